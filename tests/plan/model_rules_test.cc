#include "hyperpp/plan/model_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plan/tiny_model.h"

namespace hyperpp::plan {
namespace {

using ::testing::HasSubstr;

TEST(ModelRulesTest, TensorParallelDegreeDividesWhatItSplits) {
  EXPECT_EQ(RefusalOf({"accelerator.tp_size=2"}, 2), "");
  EXPECT_EQ(RefusalOf({"accelerator.tp_size=3"}, 3),
            "--set accelerator.tp_size: 3 does not divide num_attention_heads = 4; use 1 or 2\n"
            "--set accelerator.tp_size: 3 does not divide num_key_value_heads = 2; use 1 or 2\n"
            "--set accelerator.tp_size: 3 does not divide intermediate_size = 80; use 1 or 2");
  EXPECT_EQ(RefusalOf({"accelerator.tp_size=4"}, 4),
            "--set accelerator.tp_size: 4 does not divide num_key_value_heads = 2; use 1 or 2");
}

TEST(ModelRulesTest, AllToAllNeedsHeadsThatDivide) {
  const std::string all_to_all = "context_parallel.method=all_to_all";
  EXPECT_EQ(RefusalOf({all_to_all, "accelerator.cp_size=2"}, 2), "");
  EXPECT_EQ(RefusalOf({all_to_all, "accelerator.cp_size=4"}, 4),
            "--set context_parallel.method: all_to_all: cp_size 4 * tp_size 1 does not divide "
            "num_key_value_heads = 2; use all_gather or ring, or other sizes");
  EXPECT_THAT(RefusalOf({all_to_all, "accelerator={cp_size: 2, tp_size: 2}"}, 4),
              HasSubstr("cp_size 2 * tp_size 2 does not divide num_key_value_heads = 2"));
  EXPECT_EQ(RefusalOf({"context_parallel.method=ring", "accelerator.cp_size=3"}, 3), "");
  EXPECT_EQ(RefusalOf({all_to_all}, 1), "");
}

TEST(ModelRulesTest, ExpertParallelDegreeNeedsExpertsThatDivide) {
  EXPECT_EQ(RefusalOf({"accelerator={ep_size: 2, dp_shard_size: 2}"}, 2),
            "--set accelerator.ep_size: 2, but the qwen3 model has no routed experts; use 1");
  EXPECT_EQ(RefusalOf({"accelerator={ep_size: 2, dp_shard_size: 2}"}, 2, ExpertModel()), "");
  TinyModel model = ExpertModel();
  model.facts.num_experts = 6;
  EXPECT_THAT(RefusalOf({"accelerator={ep_size: 4, dp_shard_size: 4}"}, 4, model),
              HasSubstr("4 does not divide the number of experts = 6; use 1, 2, 3 or 6"));
}

TEST(ModelRulesTest, CoefficientsOfPartsThatTheModelLacksAreRefused) {
  for (const char* setting :
       {"moe.balance_loss_coef=0.1", "moe.z_loss_coef=0.1", "moe.bias_update_speed=0.1",
        "mtp.loss_coef=0.1", "indexer.loss_coef=0.1"}) {
    const std::string key = std::string(setting).substr(0, std::string(setting).find('='));
    EXPECT_THAT(RefusalOf({setting}, 1), HasSubstr(key + ": 0.1, but the qwen3 model has no"));
  }
  for (const char* inert : {"mtp.loss_coef=0.3", "mtp.loss_coef=0", "moe.balance_loss_coef=0.0"}) {
    EXPECT_EQ(RefusalOf({inert}, 1), "") << inert;
  }
  EXPECT_EQ(RefusalOf({"moe.balance_loss_coef=0.1"}, 1, ExpertModel()), "");
}

TEST(ModelRulesTest, NumbersBeyondTheModelAreRefused) {
  EXPECT_EQ(RefusalOf({"training.sequence_length=512"}, 1), "");
  EXPECT_THAT(RefusalOf({"training.sequence_length=513"}, 1),
              HasSubstr("513 exceeds max_position_embeddings = 512"));
  EXPECT_THAT(RefusalOf({"activation.layers=[3, 4]"}, 1),
              HasSubstr("activation.layers: 4 is not a layer, the model has 4; use 0 to 3"));
  EXPECT_EQ(RefusalOf({"data.eos_token_id=95"}, 1), "");
  EXPECT_THAT(RefusalOf({"data.eos_token_id=96"}, 1),
              HasSubstr("data.eos_token_id: 96 is not in the vocabulary, vocab_size = 96"));
  EXPECT_THAT(RefusalOf({"evaluation.data={type: synthetic, eos_token_id: 96}"}, 1),
              HasSubstr("evaluation.data.eos_token_id: 96"));
}

TEST(ModelRulesTest, LayersAreSplitOverThePipelineRanks) {
  EXPECT_EQ(RefusalOf(Pipelined(2, {"pipeline.split=[1, 3]"}), 2), "");
  EXPECT_THAT(RefusalOf(Pipelined(2, {"pipeline.split=[2, 3]"}), 2),
              HasSubstr("--set pipeline.split: the entries add up to 5, but the model has 4"));
  EXPECT_THAT(RefusalOf(Pipelined(8), 8), HasSubstr("8 pipeline ranks for 4 decoder layers"));
}

}  // namespace
}  // namespace hyperpp::plan
