#include "hyperpp/plan/make_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plan/tiny_model.h"

namespace hyperpp::plan {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(MakePlanTest, OneRankAccumulatesMicrobatches) {
  const TrainPlan plan = PlanOf({"training.micro_batch_size=2"}, 1);
  EXPECT_EQ(plan.mesh.WorldSize(), 1);
  EXPECT_EQ(plan.batch.local, 8);
  EXPECT_EQ(plan.batch.microbatch, 2);
  EXPECT_EQ(plan.batch.num_microbatches, 4);
  EXPECT_EQ(plan.batch.tokens_per_step, 256);
  EXPECT_EQ(plan.schedule, "");
  EXPECT_EQ(plan.bubble_fraction, 0);
  ASSERT_THAT(plan.stages, SizeIs(1));
  EXPECT_TRUE(plan.stages[0].is_first && plan.stages[0].is_last);
  EXPECT_EQ(plan.stages[0].num_parameters, plan.cost.num_parameters);
  EXPECT_EQ(plan.trainable.size(), DenseModel().outline.parameters.size());
}

TEST(MakePlanTest, ReplicasDivideTheBatch) {
  const TrainPlan plan = PlanOf({"accelerator.dp_replicate_size=2"}, 2);
  EXPECT_EQ(plan.mesh.DataDegree(), 2);
  EXPECT_EQ(plan.batch.local, 4);
  EXPECT_EQ(plan.batch.num_microbatches, 4);
}

TEST(MakePlanTest, PipelineUsesItsOwnMicrobatchSize) {
  const TrainPlan plan =
      PlanOf(Pipelined(2, {"pipeline.pp_microbatch_size=2", "training.micro_batch_size=8",
                           "pipeline.schedule=interleaved1f1b", "pipeline.split=[[1, 1], [1, 1]]"}),
             2);
  EXPECT_EQ(plan.schedule, "interleaved1f1b");
  EXPECT_EQ(plan.batch.num_microbatches, 4);
  EXPECT_DOUBLE_EQ(plan.bubble_fraction, 1.0 / 9);
  EXPECT_THAT(plan.stages, SizeIs(4));
  EXPECT_THAT(plan.memory, SizeIs(2));
}

TEST(MakePlanTest, BatchIsCheckedAgainWhereTheWorldDecidesTheShards) {
  EXPECT_EQ(RefusalOf({"accelerator.dp_shard_size=-1"}, 8), "");
  EXPECT_THAT(RefusalOf({"accelerator.dp_shard_size=-1"}, 3),
              HasSubstr("run.yaml, line 2: training.global_batch_size: 8 does not divide by the "
                        "data-parallel degree dp_shard_size 3 * dp_replicate_size 1 = 3"));
  EXPECT_THAT(RefusalOf({"accelerator.dp_shard_size=-1", "training.micro_batch_size=8"}, 2),
              HasSubstr("--set training.micro_batch_size: 8 does not divide the local batch 4 = "
                        "global_batch_size 8 / data-parallel degree 2"));
}

TEST(MakePlanTest, AllReasonsAreReportedMistakesBeforeWhatIsUnsupported) {
  const std::string refusal =
      RefusalOf(Pipelined(2, {"accelerator.tp_size=3", "pipeline.split=[2, 3]",
                              "moe.balance_loss_coef=0.1", "precision.param_dtype=bfloat16"}),
                6, DenseModel(), Purpose::kTraining);
  const char* parts[] = {"3 does not divide num_attention_heads = 4", "moe.balance_loss_coef: 0.1",
                         "add up to 5, but the model has 4 decoder layers",
                         "precision.param_dtype: bfloat16 is not supported yet"};
  size_t position = 0;
  for (const char* part : parts) {
    const size_t found = refusal.find(part, position);
    EXPECT_NE(found, std::string::npos) << part << " in\n" << refusal;
    if (found != std::string::npos) position = found;
  }
}

TEST(MakePlanTest, InspectionListsWhatTrainingRefuses) {
  const std::vector<std::string> asked = {"precision.param_dtype=bfloat16"};
  EXPECT_THAT(RefusalOf(asked, 1, DenseModel(), Purpose::kTraining),
              HasSubstr("precision.param_dtype: bfloat16 is not supported yet"));
  EXPECT_THAT(PlanOf(asked, 1).unsupported, SizeIs(1));
  EXPECT_EQ(RefusalOf({}, 1, DenseModel(), Purpose::kTraining), "");
}

TEST(MakePlanTest, FrozenParametersAreNotTrainable) {
  const TrainPlan plan = PlanOf({"training.trainable=['*norm.weight']"}, 1);
  EXPECT_THAT(plan.trainable, SizeIs(9));
  // Gradients lie like the weights, frozen ones included; moments are those of trained weights
  // alone.
  EXPECT_EQ(plan.memory[0].gradients_bytes, plan.memory[0].weights_bytes);
  EXPECT_EQ(plan.memory[0].optimizer_bytes, 2 * 9 * 32 * 4);
  EXPECT_THAT(RefusalOf({"training.trainable=['*', 'model.norms*']"}, 1),
              HasSubstr("training.trainable: pattern model.norms* matches no parameter"));
}

}  // namespace
}  // namespace hyperpp::plan
