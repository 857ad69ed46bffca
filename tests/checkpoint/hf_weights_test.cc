#include "hyperpp/checkpoint/hf_weights.h"

#include <filesystem>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/checkpoint/durable_file.h"
#include "hyperpp/core/error.h"
#include "tests/support/error_text.h"
#include "tests/support/temporary_folder.h"

namespace hyperpp::checkpoint {
namespace {

using test::ErrorText;
using test::TemporaryFolder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const ModelOutline kOutline = {
    {{"embed", {4, 2}}, {"layer.0.up", {3, 2}, 0}, {"norm", {2}}}, 1, {{"head", "embed"}}};

at::Tensor Embed() { return at::arange(8).to(at::kFloat).view({4, 2}); }

/// A folder with the one file model.safetensors.
class HfWeightsTest : public ::testing::Test {
 protected:
  void Write(const std::vector<NamedTensor>& tensors) {
    WriteSafetensors(folder_ / "model.safetensors", tensors, {{"format", "pt"}});
  }
  std::string CheckError() const {
    const HfWeights weights(folder_.path());
    return ErrorText<InputError>([&] { weights.Check(kOutline); });
  }

  TemporaryFolder folder_;
  std::vector<NamedTensor> complete_ = {
      {"embed", Embed()}, {"layer.0.up", at::ones({3, 2})}, {"norm", at::ones({2})}};
};

TEST_F(HfWeightsTest, CompleteModelPassesWithAndWithoutTheTiedHead) {
  Write(complete_);
  EXPECT_TRUE(HfWeights::Present(folder_.path()));
  HfWeights(folder_.path()).Check(kOutline);
  complete_.emplace_back("head", Embed());
  complete_.emplace_back("layer.0.rotary_emb.inv_freq", at::ones({2}));
  Write(complete_);
  HfWeights(folder_.path()).Check(kOutline);
  EXPECT_THAT(HfWeights(folder_.path()).Names(),
              ElementsAre("embed", "head", "layer.0.rotary_emb.inv_freq", "layer.0.up", "norm"));
}

TEST_F(HfWeightsTest, TiedHeadThatDiffersIsReported) {
  complete_.emplace_back("head", Embed() + 1);
  Write(complete_);
  EXPECT_THAT(CheckError(), HasSubstr("head differs from embed"));
}

TEST_F(HfWeightsTest, UntiedHeadThatIsMissingIsNamed) {
  Write(complete_);
  ModelOutline untied = kOutline;
  untied.tied.clear();
  untied.parameters.push_back({"head", {4, 2}});
  EXPECT_THAT(ErrorText<InputError>([&] { HfWeights(folder_.path()).Check(untied); }),
              HasSubstr("the tensor head [4, 2] is missing"));
}

TEST_F(HfWeightsTest, AllProblemsAreNamedAtOnce) {
  Write(
      {{"embed", at::ones({4, 3})}, {"norm", at::ones({2}).to(at::kInt)}, {"odd", at::ones({1})}});
  EXPECT_THAT(CheckError(),
              AllOf(HasSubstr("model.safetensors: embed is [4, 3], the model needs [4, 2]"),
                    HasSubstr("layer.0.up [3, 2] is missing"), HasSubstr("norm has dtype I32"),
                    HasSubstr("odd is not part of the model")));
}

TEST_F(HfWeightsTest, SlicesAreConvertedAndOnlyTheirPart) {
  complete_[0].second = Embed().to(at::kBFloat16);
  Write(complete_);
  const HfWeights weights(folder_.path());
  EXPECT_EQ(weights.Dtype("embed"), at::kBFloat16);
  at::Tensor out = at::empty({2, 1});
  weights.CopySlice("embed", {2, 1}, out);
  EXPECT_TRUE(out.equal(at::tensor({5.0F, 7.0F}).view({2, 1})));
  at::Tensor half = at::zeros({2, 4}).to(at::kHalf).t();
  weights.CopySlice("embed", {0, 0}, half);
  EXPECT_TRUE(half.equal(Embed().to(at::kHalf)));
}

TEST_F(HfWeightsTest, SliceOutsideTheTensorIsReported) {
  Write(complete_);
  at::Tensor out = at::empty({2, 2});
  EXPECT_THAT(ErrorText<InputError>([&] {
                HfWeights(folder_.path()).CopySlice("embed", {3, 0}, out);
              }),
              HasSubstr("embed is [4, 2], which does not hold the part [3:5, 0:2]"));
}

TEST_F(HfWeightsTest, NamelessTensorIsReportedOnAccess) {
  Write(complete_);
  EXPECT_THAT(ErrorText<InputError>([&] { HfWeights(folder_.path()).View("other"); }),
              HasSubstr("the tensor other is missing"));
}

TEST_F(HfWeightsTest, FolderWithoutWeightsIsReported) {
  EXPECT_FALSE(HfWeights::Present(folder_.path()));
  EXPECT_FALSE(HfWeights::Present(folder_ / "none"));
  EXPECT_THAT(ErrorText<InputError>([&] { HfWeights weights(folder_.path()); }),
              HasSubstr("has no model.safetensors and no model.safetensors.index.json"));
}

/// Two shards and an index.
class HfWeightsIndexTest : public HfWeightsTest {
 protected:
  void SetUp() override {
    WriteSafetensors(folder_ / "model-00001-of-00002.safetensors", {complete_[0]}, {});
    WriteSafetensors(folder_ / "model-00002-of-00002.safetensors", {complete_[1], complete_[2]},
                     {});
    WriteIndex(R"({"metadata": {}, "weight_map": {
        "embed": "model-00001-of-00002.safetensors",
        "layer.0.up": "model-00002-of-00002.safetensors",
        "norm": "model-00002-of-00002.safetensors"}})");
  }
  void WriteIndex(const std::string& text) {
    WriteFileDurably(folder_ / "model.safetensors.index.json", text);
  }
  std::string OpenError() const {
    return ErrorText<InputError>([&] { HfWeights weights(folder_.path()); });
  }
};

TEST_F(HfWeightsIndexTest, ShardsAreOneModel) {
  const HfWeights weights(folder_.path());
  weights.Check(kOutline);
  EXPECT_TRUE(weights.View("embed").equal(Embed()));
}

TEST_F(HfWeightsIndexTest, MissingShardIsNamed) {
  std::filesystem::remove(folder_ / "model-00002-of-00002.safetensors");
  EXPECT_THAT(OpenError(), HasSubstr("model-00002-of-00002.safetensors: the shard is missing"));
}

TEST_F(HfWeightsIndexTest, TensorAbsentFromItsShardIsNamed) {
  WriteSafetensors(folder_ / "model-00002-of-00002.safetensors", {complete_[2]}, {});
  EXPECT_THAT(OpenError(), HasSubstr("model-00002-of-00002.safetensors: has no tensor layer.0.up"));
}

TEST_F(HfWeightsIndexTest, BrokenIndexIsReported) {
  WriteIndex("{");
  EXPECT_THAT(OpenError(), HasSubstr("index.json: no valid JSON"));
  WriteIndex("{}");
  EXPECT_THAT(OpenError(), HasSubstr("no object weight_map"));
  WriteIndex(R"({"weight_map": {}})");
  EXPECT_THAT(OpenError(), HasSubstr("weight_map is empty"));
  WriteIndex(R"({"weight_map": {"a": "../x.safetensors"}})");
  EXPECT_THAT(OpenError(), AllOf(HasSubstr("../x.safetensors"), HasSubstr("for a")));
  WriteIndex(R"({"weight_map": {"a": 3}})");
  EXPECT_THAT(OpenError(), HasSubstr("gives 3 for a"));
}

}  // namespace
}  // namespace hyperpp::checkpoint
