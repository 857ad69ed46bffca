#include "hyperpp/checkpoint/resume_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/core/error.h"
#include "tests/checkpoint/small_model.h"
#include "tests/support/error_text.h"
#include "tests/support/temporary_folder.h"

namespace hyperpp::checkpoint {
namespace {

using test::ErrorText;
using test::TemporaryFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;

const OptimizerNeeds kAdamNeeds = {
    "adamw", {kExpAvg, kExpAvgSq}, {"embed.weight", "layers.0.up.weight", "norm.weight"}};

class ResumeCheckTest : public ::testing::Test {
 protected:
  CheckpointReader Saved(int64_t step, const std::vector<SavedTensor>& tensors) const {
    SaveRequest request = SmallRequest(folder_.path(), step);
    request.tensors = tensors;
    return CheckpointReader(SaveCheckpoint(nullptr, request));
  }
  TemporaryFolder folder_;
};

TEST_F(ResumeCheckTest, SameModelAndOptimizerPass) {
  const CheckpointReader reader = Saved(4, SmallShard(0, 1, AdamKinds()));
  CheckModel(reader, SmallOutline());
  EXPECT_TRUE(CheckOptimizer(reader, kAdamNeeds));
}

TEST_F(ResumeCheckTest, OtherModelIsReportedWithAllDifferences) {
  ModelOutline other = SmallOutline();
  other.parameters[0].shape = {7, 4};
  other.parameters[1].fqn = "layers.0.down.weight";
  other.tied.clear();
  const CheckpointReader reader = Saved(4, SmallShard(0, 1, AdamKinds()));
  EXPECT_THAT(ErrorText<InputError>([&] { CheckModel(reader, other); }),
              AllOf(HasSubstr("embed.weight is [6, 4], the model needs [7, 4]"),
                    HasSubstr("lacks layers.0.down.weight"),
                    HasSubstr("the model has no layers.0.up.weight"), HasSubstr("tied")));
}

TEST_F(ResumeCheckTest, DeletedOptimizerEntryIsNamed) {
  auto tensors = SmallShard(0, 1, AdamKinds());
  std::erase_if(tensors, [](const SavedTensor& tensor) {
    return tensor.fqn == "norm.weight" && tensor.kind == kExpAvgSq;
  });
  const CheckpointReader reader = Saved(4, tensors);
  EXPECT_THAT(
      ErrorText<InputError>([&] { CheckOptimizer(reader, kAdamNeeds); }),
      AllOf(HasSubstr("state is missing: exp_avg_sq of norm.weight;"), HasSubstr("weights_only")));
}

TEST_F(ResumeCheckTest, OtherOptimizerIsNamed) {
  const CheckpointReader reader = Saved(4, SmallShard(0, 1, AdamKinds()));
  EXPECT_THAT(ErrorText<InputError>([&] {
                CheckOptimizer(reader, {"sgd", {kMomentumBuffer}, kAdamNeeds.trainable});
              }),
              HasSubstr("the optimizer is 'adamw', optimizer.type is sgd"));
}

TEST_F(ResumeCheckTest, ImportedModelStartsFreshButALaterStepDoesNot) {
  EXPECT_FALSE(CheckOptimizer(Saved(0, SmallShard(0, 1, {kParameter})), kAdamNeeds));
  EXPECT_THROW(CheckOptimizer(Saved(1, SmallShard(0, 1, {kParameter})), kAdamNeeds), InputError);
}

TEST_F(ResumeCheckTest, FrozenParametersNeedNoState) {
  auto tensors = SmallShard(0, 1, {kParameter});
  for (const SavedTensor& tensor : SmallShard(0, 1, {kExpAvg, kExpAvgSq}))
    if (tensor.fqn == "norm.weight") tensors.push_back(tensor);
  EXPECT_TRUE(CheckOptimizer(Saved(4, tensors), {"adamw", {kExpAvg, kExpAvgSq}, {"norm.weight"}}));
}

}  // namespace
}  // namespace hyperpp::checkpoint
