#include "hyperpp/config/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/config/minimal_config.h"
#include "tests/support/temporary_folder.h"

namespace hyperpp::config {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(LoadTest, AbsentKeysHaveTheirDefaults) {
  const Config config = Parse();
  EXPECT_EQ(config.model.path, "some/model");
  EXPECT_EQ(config.training.steps, 2);
  EXPECT_EQ(config.optimizer.lr, 0.1);
  EXPECT_EQ(config.optimizer.betas[1], 0.95);
  EXPECT_EQ(config.pipeline.schedule, ScheduleType::k1F1B);
  EXPECT_EQ(config.mtp.loss_coef, 0.3);
  EXPECT_EQ(config.data.path[0].path, "some/tokens");
  EXPECT_FALSE(config.evaluation.data.has_value());
  EXPECT_FALSE(config.accelerator.threads_per_rank.has_value());
}

TEST(LoadTest, NullCountsAsAbsent) {
  const Config config =
      Parse({"optimizer.eps=null", "evaluation.data=", "fsdp=~", "model.config="});
  EXPECT_EQ(config.optimizer.eps, 1e-8);
  EXPECT_FALSE(config.evaluation.data.has_value());
  EXPECT_TRUE(config.model.inline_config.is_null());
  EXPECT_THAT(RefusalOf({"training.steps="}), HasSubstr("training.steps: missing"));
}

TEST(LoadTest, EveryKindOfValueIsRead) {
  const Config config = Parse(
      {"model={config: {model_type: qwen3, rope_theta: 1e6}, init: random}", "training.steps=1e3",
       "training.trainable=['lm_head.*', '*norm*']", "optimizer.betas=[0.8, 0.9]",
       "accelerator={pp_size: 2, threads_per_rank: 3, dp_shard_size: -1}",
       "pipeline={enabled: true, schedule: interleaved1f1b, split: [[1, 2], [3, 4]]}",
       "activation={recompute: full, layers: [0, 2]}",
       "data={type: text, tokenizer: bytes, path: [{path: a, weight: 2}, b]}",
       "evaluation.data={type: synthetic}", "checkpoint={resume: old/run, weights_only: true}",
       "output.trace={start_step: 5}"});
  EXPECT_EQ(config.model.inline_config["rope_theta"], 1e6);
  EXPECT_EQ(config.training.steps, 1000);
  EXPECT_THAT(config.training.trainable, ElementsAre("lm_head.*", "*norm*"));
  EXPECT_THAT(config.optimizer.betas, ElementsAre(0.8, 0.9));
  EXPECT_EQ(config.accelerator.threads_per_rank, 3);
  EXPECT_EQ(config.accelerator.dp_shard_size, -1);
  EXPECT_TRUE(config.pipeline.split_is_2d);
  EXPECT_THAT(config.pipeline.split, ElementsAre(ElementsAre(1, 2), ElementsAre(3, 4)));
  EXPECT_THAT(*config.activation.layers, ElementsAre(0, 2));
  EXPECT_EQ(config.data.path[0].weight, 2);
  EXPECT_EQ(config.data.path[1].path, "b");
  EXPECT_EQ(config.evaluation.data->type, DataType::kSynthetic);
  EXPECT_EQ(config.checkpoint.resume, ResumeMode::kDirectory);
  EXPECT_EQ(config.checkpoint.resume_directory, "old/run");
  EXPECT_EQ(config.output.trace->start_step, 5);
  EXPECT_EQ(config.output.trace->num_steps, 1);
}

TEST(LoadTest, OneDimensionalSplitBecomesOneRow) {
  const Config config = Parse({"accelerator.pp_size=2", "pipeline={enabled: true, split: [2, 3]}"});
  EXPECT_FALSE(config.pipeline.split_is_2d);
  EXPECT_THAT(config.pipeline.split, ElementsAre(ElementsAre(2, 3)));
}

TEST(LoadTest, UnknownAndMisplacedKeysNameTheirLineAndTheKeyThatWasMeant) {
  const std::string text = std::string(kMinimal) +
                           "optimiser: {}\n"
                           "fsdp:\n  prefech: 2\n  pp_size: 3\n";
  EXPECT_EQ(Refusal(text),
            "run.yaml, line 14: optimiser: unknown section; did you mean optimizer\n"
            "run.yaml, line 16: fsdp.prefech: unknown key; did you mean prefetch\n"
            "run.yaml, line 17: fsdp.pp_size: unknown key; it belongs elsewhere: "
            "accelerator.pp_size");
  EXPECT_EQ(RefusalOf({"optimizer.learning_rate=1"}),
            "--set optimizer.learning_rate: unknown key; did you mean lr");
}

TEST(LoadTest, WrongValuesAreReportedAllAtOnceWithWhatIsWanted) {
  const std::string refusal =
      RefusalOf({"training.steps=-1", "training.seed=many", "optimizer.lr=\"0.1\"",
                 "optimizer.betas=[0.9, 1]", "accelerator.tp_size=0", "accelerator.dp_shard_size=0",
                 "pipeline.schedule=1b1f", "data.shuffle=yes", "precision.compute_dtype=bf16",
                 "fsdp=3", "training.sequence_length=3e9", "training.global_batch_size=1.5"});
  for (const char* line :
       {"--set training.steps: -1 is out of range; give an integer >= 0\n",
        "--set training.seed: many is not an integer; give an integer >= 0\n",
        "--set optimizer.lr: \"0.1\" is text; give a number >= 0 without quotes\n",
        "--set optimizer.betas: 1 is out of range; give a number >= 0 and < 1\n",
        "--set accelerator.tp_size: 0 is out of range; give an integer >= 1\n",
        "--set accelerator.dp_shard_size: 0 is out of range; give -1 or an integer >= 1\n",
        "--set pipeline.schedule: 1b1f is not among the choices; give gpipe | 1f1b | "
        "interleaved1f1b (did you mean 1f1b?)\n",
        "--set data.shuffle: yes is neither true nor false; give one of them",
        "--set precision.compute_dtype: bf16 is not among the choices; give auto | bfloat16",
        "--set fsdp: 3 is not a map; write its keys below it",
        "--set training.sequence_length: 3000000000 is out of range; give at most 2147483647",
        "--set training.global_batch_size: 1.5 is not an integer; give an integer >= 1"}) {
    EXPECT_THAT(refusal + "\n", HasSubstr(line));
  }
}

TEST(LoadTest, MalformedSplitsAreRefusedByTheirShape) {
  const auto refusal = [](const std::string& split) {
    return RefusalOf({"pipeline.split=" + split, "accelerator.pp_size=2", "pipeline.enabled=true",
                      "pipeline.schedule=interleaved1f1b"});
  };
  EXPECT_EQ(refusal("[[1, 1], [1, 1]]"), "");
  EXPECT_THAT(refusal("[4, 0]"), HasSubstr("pipeline.split: 0 is out of range"));
  EXPECT_THAT(refusal("[[1, 1], [2]]"), HasSubstr("rows have 2 and 1 entries"));
  EXPECT_THAT(refusal("[[1, 1], 2]"), HasSubstr("mixes 1 rows and 1 numbers"));
  EXPECT_THAT(refusal("[[1, 1], []]"), HasSubstr("a list without items"));
  EXPECT_THAT(refusal("auto"), HasSubstr("auto is not a list"));
}

TEST(LoadTest, MissingKeysAreNamedAtTheirSectionOrTheFile) {
  EXPECT_EQ(
      Refusal("model: {path: x}\ntraining: {steps: 1}\ndata: {type: synthetic}\n"
              "evaluation:\n  data:\n    shuffle: true\n"),
      "run.yaml, line 2: training.global_batch_size: missing; it has no default, give integer "
      ">= 1\n"
      "run.yaml, line 2: training.sequence_length: missing; it has no default, give integer "
      ">= 1\n"
      "run.yaml: optimizer.lr: missing; it has no default, give number >= 0\n"
      "run.yaml, line 5: evaluation.data.type: missing; it has no default, give indexed | "
      "samples | text | synthetic\n"
      "run.yaml: output.directory: missing; it has no default, give folder");
}

TEST(LoadTest, MalformedYamlIsReportedAlone) {
  EXPECT_THAT(Refusal("training: {steps: 1\noutput: [unclosed\n"),
              AllOf(HasSubstr("malformed YAML"), HasSubstr("line"), Not(HasSubstr("missing"))));
}

TEST(LoadTest, SourcesOfAMixtureAreChecked) {
  EXPECT_THAT(
      RefusalOf({"data.path=[{path: a, wieght: 2}]"}),
      HasSubstr("data.path: wieght: unknown key; the keys of a source are path and weight"));
  EXPECT_THAT(RefusalOf({"data.path=[{path: a, weight: 0}]"}), HasSubstr("0 is out of range"));
  EXPECT_THAT(RefusalOf({"data.path=[{weight: 1}]"}), HasSubstr("has no path"));
  EXPECT_THAT(RefusalOf({"data.path=[]"}), HasSubstr("empty list"));
}

TEST(LoadTest, FilesThatCannotBeReadAreAnIoError) {
  EXPECT_THROW(LoadConfig("no/such/file.yaml", {}), IoError);
  const test::TemporaryFolder folder;
  EXPECT_THROW(LoadConfig(folder.path(), {}), IoError);
  const std::string path = folder.Write("run.yaml", kMinimal);
  EXPECT_EQ(LoadConfig(path, {"training.steps=7"}).training.steps, 7);
  folder.Write("run.yaml", "");
  EXPECT_THROW(LoadConfig(path, {}), ConfigError) << "an empty file lacks the required keys";
}

TEST(LoadTest, MessagesOfTheModelKnowTheLineOfAKey) {
  const Config config = Parse({"accelerator.tp_size=3"});
  EXPECT_EQ(config.locations.At("optimizer.lr"), "run.yaml, line 8: optimizer.lr");
  EXPECT_EQ(config.locations.At("accelerator.tp_size"), "--set accelerator.tp_size");
  EXPECT_EQ(config.locations.At("fsdp.prefetch"), "run.yaml: fsdp.prefetch");
  EXPECT_EQ(Config{}.locations.At("optimizer.lr"), "optimizer.lr");
}

}  // namespace
}  // namespace hyperpp::config
