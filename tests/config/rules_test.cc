#include "hyperpp/config/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/config/minimal_config.h"

namespace hyperpp::config {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> Pipelined(std::vector<std::string> settings) {
  settings.insert(settings.begin(), {"accelerator.pp_size=2", "pipeline.enabled=true"});
  return settings;
}

TEST(RulesTest, ModelIsAFolderOrAConfig) {
  EXPECT_EQ(RefusalOf({"model={config: {model_type: qwen3}, init: random}"}), "");
  EXPECT_THAT(RefusalOf({"model.config={a: 1}"}),
              HasSubstr("run.yaml, line 2: model.path: given beside model.config"));
  EXPECT_THAT(RefusalOf({"model.path="}), HasSubstr("neither model.path nor model.config"));
  EXPECT_THAT(RefusalOf({"model={config: {a: 1}, overrides: {b: 2}}"}),
              HasSubstr("model.overrides: changes the config.json of model.path"));
  EXPECT_THAT(RefusalOf({"model={config: {a: 1}, init: pretrained}"}),
              HasSubstr("model.init: pretrained needs the weights of model.path"));
}

TEST(RulesTest, GlobalBatchDividesByTheDataParallelDegree) {
  EXPECT_EQ(RefusalOf({"accelerator={dp_replicate_size: 2, dp_shard_size: 4}"}), "");
  EXPECT_THAT(RefusalOf({"accelerator.dp_replicate_size=3"}),
              AllOf(HasSubstr("run.yaml, line 5: training.global_batch_size: 8 does not divide"),
                    HasSubstr("1 * 3 = 3; use 9"), Not(HasSubstr("\n"))));
}

TEST(RulesTest, MicrobatchesDivideTheLocalBatchWithThreeNumbers) {
  EXPECT_EQ(RefusalOf({"training.micro_batch_size=4", "accelerator.dp_replicate_size=2"}), "");
  EXPECT_THAT(RefusalOf({"training.micro_batch_size=3", "accelerator.dp_replicate_size=2"}),
              HasSubstr("training.micro_batch_size: 3 does not divide the local batch 4 = "
                        "global_batch_size 8 / data-parallel degree 2; use a divisor of 4"));
  EXPECT_THAT(RefusalOf(Pipelined({"pipeline.pp_microbatch_size=3"})),
              HasSubstr("pipeline.pp_microbatch_size: 3 does not divide the local batch 8 ="));
  EXPECT_EQ(RefusalOf({"pipeline.pp_microbatch_size=3"}), "") << "no pipeline, no effect";
  EXPECT_EQ(RefusalOf({"training.micro_batch_size=3", "accelerator.dp_shard_size=-1"}), "")
      << "the degree is not known yet";
}

TEST(RulesTest, PipelineIsEnabledExactlyWithSeveralRanks) {
  EXPECT_EQ(RefusalOf(Pipelined({})), "");
  EXPECT_THAT(RefusalOf({"accelerator.pp_size=2"}),
              HasSubstr("pipeline.enabled: false contradicts accelerator.pp_size = 2"));
  EXPECT_THAT(RefusalOf({"pipeline.enabled=true"}),
              HasSubstr("pipeline.enabled: true contradicts accelerator.pp_size = 1"));
}

TEST(RulesTest, SplitAndScheduleAgree) {
  const std::string interleaved = "pipeline.schedule=interleaved1f1b";
  EXPECT_EQ(RefusalOf(Pipelined({interleaved, "pipeline.split=[[1, 1], [1, 1]]"})), "");
  EXPECT_THAT(RefusalOf(Pipelined({"pipeline.split=[[1, 1], [1, 1]]"})),
              HasSubstr("pipeline.split: has 2 rows, but pipeline.schedule is 1f1b; use "
                        "interleaved1f1b"));
  for (const auto& [split, fact] : std::vector<std::pair<std::string, std::string>>{
           {"[]", "is empty"}, {"[2, 2]", "is one list"}, {"[[2, 2]]", "has one row"}}) {
    EXPECT_THAT(
        RefusalOf(Pipelined({interleaved, "pipeline.split=" + split})),
        HasSubstr("pipeline.split: " + fact + ", but pipeline.schedule is interleaved1f1b"));
  }
  EXPECT_THAT(RefusalOf(Pipelined({interleaved})), HasSubstr("pipeline.split: is empty"));
}

TEST(RulesTest, SplitHasOneEntryPerPipelineRank) {
  EXPECT_THAT(RefusalOf(Pipelined({"pipeline.split=[1, 1, 2]"})),
              HasSubstr("pipeline.split: has 3 entries, but accelerator.pp_size is 2"));
  EXPECT_THAT(RefusalOf(Pipelined(
                  {"pipeline.schedule=interleaved1f1b", "pipeline.split=[[1, 1, 2], [1, 1, 1]]"})),
              HasSubstr("has 3 entries in a row, but accelerator.pp_size is 2"));
}

TEST(RulesTest, MultiStreamNeedsOverlap) {
  EXPECT_EQ(RefusalOf({"pipeline.p2p_multi_stream=true"}), "");
  EXPECT_THAT(RefusalOf({"pipeline.p2p_multi_stream=true", "pipeline.p2p_overlap=false"}),
              HasSubstr("pipeline.p2p_multi_stream: true needs pipeline.p2p_overlap"));
}

TEST(RulesTest, OptimizerAndScheduleKeysFitTheirTypes) {
  EXPECT_THAT(RefusalOf({"optimizer.momentum=0.9"}), HasSubstr("0.9 has no effect on adamw"));
  EXPECT_EQ(RefusalOf({"optimizer.momentum=0.9", "optimizer.type=sgd"}), "");
  EXPECT_THAT(RefusalOf({"lr_scheduler.type=wsd"}),
              HasSubstr("lr_scheduler.decay_steps: missing, and lr_scheduler.type wsd needs it"));
  EXPECT_THAT(RefusalOf({"lr_scheduler={type: wsd, warmup_steps: 1, decay_steps: 2}"}),
              HasSubstr("2 and lr_scheduler.warmup_steps = 1 exceed training.steps = 2"));
  EXPECT_EQ(RefusalOf({"lr_scheduler={type: wsd, warmup_steps: 1, decay_steps: 1}"}), "");
  EXPECT_EQ(RefusalOf({"lr_scheduler={type: constant, decay_steps: 7}"}), "");
}

TEST(RulesTest, DataSectionsNeedWhatTheirTypeReads) {
  EXPECT_THAT(RefusalOf({"data.path="}), HasSubstr("data.path: missing"));
  EXPECT_EQ(RefusalOf({"data={type: synthetic}"}), "");
  EXPECT_THAT(RefusalOf({"data.type=text"}), HasSubstr("data.tokenizer: missing"));
  EXPECT_THAT(RefusalOf({"evaluation.data={type: text, path: x}"}),
              HasSubstr("evaluation.data.tokenizer: missing"));
  EXPECT_THAT(RefusalOf({"evaluation.interval=5"}), HasSubstr("5 without evaluation.data"));
}

TEST(RulesTest, CheckpointKeysThatWouldDoNothingAreRefused) {
  EXPECT_THAT(RefusalOf({"checkpoint.weights_only=true"}), HasSubstr("checkpoint.resume none"));
  EXPECT_THAT(RefusalOf({"checkpoint.async=true"}), HasSubstr("checkpoints are off"));
  EXPECT_EQ(RefusalOf({"checkpoint={async: true, interval: 5}"}), "");
  EXPECT_THAT(RefusalOf({"accelerator={backend: nccl, device: cpu}"}), HasSubstr("use gloo"));
}

TEST(RulesTest, RulesAboutAWrongValueAreLeftOut) {
  EXPECT_EQ(RefusalOf({"accelerator.pp_size=0", "pipeline.enabled=true"}),
            "--set accelerator.pp_size: 0 is out of range; give an integer >= 1");
}

}  // namespace
}  // namespace hyperpp::config
