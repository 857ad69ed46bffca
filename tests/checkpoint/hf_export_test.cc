#include "hyperpp/checkpoint/hf_export.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/checkpoint/durable_file.h"
#include "hyperpp/checkpoint/hf_weights.h"
#include "hyperpp/core/error.h"
#include "tests/checkpoint/small_model.h"
#include "tests/support/error_text.h"
#include "tests/support/temporary_folder.h"

namespace hyperpp::checkpoint {
namespace {

namespace fs = std::filesystem;
using test::ErrorText;
using test::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class HfExportTest : public ::testing::Test {
 protected:
  HfExportTest() {
    model_.directory = folder_ / "hf";
    model_.outline = SmallOutline();
    model_.config = {{"model_type", "qwen3"}};
    model_.default_dtype = at::kBFloat16;
    model_.dtypes = {{"norm.weight", at::kFloat}};
    model_.tensor = [this](const ParameterOutline& parameter) {
      asked_.push_back(parameter.fqn);
      return SmallTensor(parameter, kParameter);
    };
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.path()))
      names.push_back(entry.path().filename().string());
    return names;
  }

  TemporaryFolder folder_;
  HfExport model_;
  std::vector<std::string> asked_;
};

TEST_F(HfExportTest, OneFileHasNamesAndDtypesAndNoTiedHead) {
  WriteHfModel(model_);
  const HfWeights weights(folder_ / "hf");
  weights.Check(SmallOutline());
  EXPECT_THAT(weights.Names(), ElementsAre("embed.weight", "layers.0.up.weight", "norm.weight"));
  EXPECT_EQ(weights.Dtype("norm.weight"), at::kFloat);
  EXPECT_TRUE(weights.View("embed.weight")
                  .equal(SmallTensor(SmallOutline().parameters[0], kParameter).to(at::kBFloat16)));
  EXPECT_EQ(SafetensorsFile(folder_ / "hf/model.safetensors").metadata().at("format"), "pt");
  EXPECT_EQ(ReadWholeFile(folder_ / "hf/config.json"), "{\n  \"model_type\": \"qwen3\"\n}\n");
  EXPECT_THAT(Names(), ElementsAre("hf"));
}

TEST_F(HfExportTest, EveryTensorIsAligned) {
  model_.outline.parameters[1].shape = {5, 3};  // an odd number of bf16 values
  WriteHfModel(model_);
  const SafetensorsFile file(folder_ / "hf/model.safetensors");
  EXPECT_EQ(file.entries().at("norm.weight").begin % 4, 0u);
}

TEST_F(HfExportTest, LargeModelsAreShardsWithAnIndex) {
  model_.max_shard_bytes = 50;
  WriteHfModel(model_);
  EXPECT_FALSE(fs::exists(folder_ / "hf/model.safetensors"));
  EXPECT_TRUE(fs::exists(folder_ / "hf/model-00002-of-00002.safetensors"));
  const HfWeights weights(folder_ / "hf");
  weights.Check(SmallOutline());
  const auto index =
      nlohmann::json::parse(ReadWholeFile(folder_ / "hf/model.safetensors.index.json"));
  EXPECT_EQ(index.at("metadata").at("total_size"), 48 + 30 + 12);
}

TEST_F(HfExportTest, TokenizerFilesAreCopiedAndAModelIsReplacedAsAWhole) {
  MakeFolder(folder_ / "source");
  WriteFileDurably(folder_ / "source/tokenizer.json", "{1}");
  model_.source_directory = folder_ / "source";
  model_.max_shard_bytes = 50;
  WriteHfModel(model_);
  EXPECT_EQ(ReadWholeFile(folder_ / "hf/tokenizer.json"), "{1}");
  model_.max_shard_bytes = 5000;
  model_.source_directory = "";
  model_.directory += "/";
  WriteHfModel(model_);
  EXPECT_FALSE(fs::exists(folder_ / "hf/model.safetensors.index.json"));
  EXPECT_FALSE(fs::exists(folder_ / "hf/tokenizer.json"));
  HfWeights(folder_ / "hf").Check(SmallOutline());
}

TEST_F(HfExportTest, FolderWithOtherFilesIsRefused) {
  MakeFolder(folder_ / "hf");
  WriteFileDurably(folder_ / "hf/thesis.tex", "");
  EXPECT_THAT(ErrorText<ConfigError>([&] { WriteHfModel(model_); }), HasSubstr("holds thesis.tex"));
  EXPECT_TRUE(fs::exists(folder_ / "hf/thesis.tex"));
}

TEST_F(HfExportTest, RanksAskForTheSameTensorsInTheSameOrderWhateverHappens) {
  model_.max_shard_bytes = 50;
  WriteHfModel(model_);
  const auto order = std::exchange(asked_, {});
  model_.is_writer = false;
  WriteHfModel(model_);
  EXPECT_EQ(std::exchange(asked_, {}), order);
  model_.is_writer = true;
  WriteFileDurably(folder_ / "plain", "");
  model_.directory = folder_ / "plain/hf";
  EXPECT_THROW(WriteHfModel(model_), IoError);
  EXPECT_EQ(asked_, order);
}

TEST_F(HfExportTest, FailureLeavesTheOldModelAndNothingElse) {
  WriteHfModel(model_);
  model_.tensor = [](const ParameterOutline&) -> at::Tensor { throw CommError("rank 1 is lost"); };
  EXPECT_THROW(WriteHfModel(model_), CommError);
  EXPECT_THAT(Names(), ElementsAre("hf"));
  HfWeights(folder_ / "hf").Check(SmallOutline());
}

TEST(ConfigDtypeTest, OldAndNewSpellingAreRead) {
  EXPECT_EQ(ConfigDtype({{"dtype", "bfloat16"}}), at::kBFloat16);
  EXPECT_EQ(ConfigDtype({{"torch_dtype", "float16"}}), at::kHalf);
  EXPECT_EQ(ConfigDtype(nlohmann::json::object()), at::kFloat);
  EXPECT_EQ(ConfigDtype({{"dtype", nullptr}}), at::kFloat);
  EXPECT_THROW(ConfigDtype({{"dtype", "int4"}}), InputError);
}

}  // namespace
}  // namespace hyperpp::checkpoint
