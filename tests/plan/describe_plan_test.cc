#include "hyperpp/plan/describe_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plan/tiny_model.h"

namespace hyperpp::plan {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TrainPlan InterleavedPlan() {
  TrainPlan plan =
      PlanOf(Pipelined(2, {"accelerator.dp_replicate_size=2", "pipeline.schedule=interleaved1f1b",
                           "pipeline.split=[[1, 1], [1, 1]]", "pipeline.pp_microbatch_size=2"}),
             4);
  plan.unsupported = {"some.key: 2 is not supported yet; use 1"};
  return plan;
}

TEST(DescribePlanTest, TextShowsMeshBatchStagesAndMemory) {
  const std::string text = DescribePlan(InterleavedPlan());
  for (const char* part :
       {"world     4 rank(s): pp 2, dp_replicate 2\n",
        "8 sequences = 2 data-parallel rank(s) * 2 microbatch(es) of 2; 32 tokens each, 256 per "
        "step\n",
        "pipeline  interleaved1f1b, bubble 20.0 % with equal stages, 22.2 % with these\n",
        "embedding, 0\n", "3, head\n", "\nrank 1  .   1F0 1F1 ", "\npp rank  bubble  in flight",
        "memory per rank at its peak, MiB", "communication    total\n",
        "sent per rank and step, MiB\npp rank       pp  dp_replicate",
        "cannot be run:\n  some.key: 2 is not supported"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  const std::string one_rank = DescribePlan(PlanOf({}, 1));
  EXPECT_THAT(one_rank, HasSubstr("pipeline  none\n"));
  EXPECT_THAT(one_rank, Not(HasSubstr("sent per rank")));
}

TEST(DescribePlanTest, JsonHasTheSameFacts) {
  const nlohmann::json json = PlanJson(InterleavedPlan());
  EXPECT_EQ(json["world_size"], 4);
  EXPECT_EQ(json["mesh"]["pp"], 2);
  EXPECT_EQ(json["mesh"]["dp_replicate"], 2);
  EXPECT_EQ(json["batch"]["num_microbatches"], 2);
  EXPECT_EQ(json["pipeline"]["schedule"], "interleaved1f1b");
  EXPECT_EQ(json["stages"].size(), 4u);
  EXPECT_EQ(json["stages"][3]["first_layer"], 3);
  EXPECT_GT(json["stages"][3]["flops_per_token"], json["stages"][2]["flops_per_token"]);
  EXPECT_EQ(json["ranks"][1]["stages"], nlohmann::json::parse("[1, 3]"));
  EXPECT_EQ(json["ranks"][1]["global_ranks"], nlohmann::json::parse("[2, 3]"));
  EXPECT_GT(json["ranks"][1]["memory"]["total_bytes"], 0);
  EXPECT_GT(json["ranks"][1]["memory"]["communication_bytes"], 0);
  EXPECT_GT(json["ranks"][1]["sent_bytes_per_step"]["pp"], 0);
  EXPECT_GT(json["ranks"][1]["sent_bytes_per_step"]["dp_replicate"], 0);
  EXPECT_EQ(json["ranks"][1]["sent_bytes_per_step"]["tp"], 0);
  EXPECT_EQ(json["unsupported"].size(), 1u);
  EXPECT_TRUE(PlanJson(PlanOf({}, 1))["pipeline"].is_null());
}

}  // namespace
}  // namespace hyperpp::plan
