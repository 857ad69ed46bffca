#include "hyperpp/checkpoint/convert.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/checkpoint/durable_file.h"
#include "hyperpp/checkpoint/hf_weights.h"
#include "hyperpp/checkpoint/reader.h"
#include "hyperpp/checkpoint/resume_check.h"
#include "hyperpp/core/error.h"
#include "tests/checkpoint/small_model.h"
#include "tests/support/error_text.h"
#include "tests/support/temporary_folder.h"

namespace hyperpp::checkpoint {
namespace {

namespace fs = std::filesystem;
using test::ErrorText;
using test::TemporaryFolder;
using ::testing::HasSubstr;

/// A Hugging Face folder in mixed dtypes with a tokenizer.
void WriteHf(const std::string& directory) {
  MakeFolder(directory);
  std::vector<NamedTensor> tensors;
  for (const ParameterOutline& parameter : SmallOutline().parameters)
    tensors.emplace_back(parameter.fqn,
                         SmallTensor(parameter, kParameter)
                             .to(parameter.fqn == "norm.weight" ? at::kFloat : at::kBFloat16));
  std::swap(tensors.front(), tensors.back());
  WriteSafetensors(directory + "/model.safetensors", tensors, {{"format", "pt"}});
  WriteFileDurably(directory + "/tokenizer.json", "{}");
}

TEST(ConvertTest, ImportThenExportGivesTheSameTensorsFromAnywhere) {
  const TemporaryFolder folder;
  WriteHf(folder / "hf");
  const nlohmann::json config = {{"model_type", "qwen3"}, {"rope_theta", 1e6}};
  const std::string step = ImportHfModel(folder / "hf", SmallOutline(), config, folder / "run");
  EXPECT_EQ(step, folder / "run/step_0");
  fs::rename(folder / "run", folder / "moved");
  ExportCheckpoint(folder / "moved", folder / "again");

  const HfWeights before(folder / "hf"), after(folder / "again");
  EXPECT_EQ(before.Names(), after.Names());
  for (const std::string& name : before.Names()) {
    EXPECT_EQ(before.Dtype(name), after.Dtype(name)) << name;
    EXPECT_TRUE(before.View(name).equal(after.View(name))) << name;
  }
  EXPECT_EQ(nlohmann::json::parse(ReadWholeFile(folder / "again/config.json")), config);
  EXPECT_EQ(ReadWholeFile(folder / "again/tokenizer.json"), "{}");
}

TEST(ConvertTest, RunsStartFreshFromAnImport) {
  const TemporaryFolder folder;
  WriteHf(folder / "hf");
  CheckpointReader reader(ImportHfModel(folder / "hf", SmallOutline(), {}, folder / "run"));
  CheckModel(reader, SmallOutline());
  EXPECT_FALSE(CheckOptimizer(reader, {"adamw", {kExpAvg}, {"norm.weight"}}));
  at::Tensor master = at::empty({6, 4});
  reader.Read("embed.weight", kParameter, {0, 0}, master);
  EXPECT_TRUE(master.equal(
      SmallTensor(SmallOutline().parameters[0], kParameter).to(at::kBFloat16).to(at::kFloat)));
}

TEST(ConvertTest, ExportGathersShardsAndRoundsMasterWeights) {
  const TemporaryFolder folder;
  SaveSmall(folder / "run", 4, 3);
  ExportCheckpoint(folder / "run", folder / "hf", 50);
  const HfWeights weights(folder / "hf");
  EXPECT_TRUE(weights.View("embed.weight")
                  .equal(SmallTensor(SmallOutline().parameters[0], kParameter).to(at::kBFloat16)));
  EXPECT_EQ(weights.Dtype("norm.weight"), at::kFloat);
}

TEST(ConvertTest, ImportBesideLaterStepsIsRefused) {
  const TemporaryFolder folder;
  WriteHf(folder / "hf");
  SaveSmall(folder / "run", 4);
  EXPECT_THAT(ErrorText<ConfigError>(
                  [&] { ImportHfModel(folder / "hf", SmallOutline(), {}, folder / "run"); }),
              HasSubstr("step_4"));
}

TEST(ConvertTest, IncompleteModelIsNotImported) {
  const TemporaryFolder folder;
  WriteHf(folder / "hf");
  ModelOutline outline = SmallOutline();
  outline.parameters.push_back({"more", {1}});
  EXPECT_THROW(ImportHfModel(folder / "hf", outline, {}, folder / "run"), InputError);
  EXPECT_FALSE(fs::exists(folder / "run"));
}

}  // namespace
}  // namespace hyperpp::checkpoint
