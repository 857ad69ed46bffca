#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/config/schema.h"
#include "tests/config/minimal_config.h"

namespace hyperpp::config {
namespace {

using ::testing::Contains;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

const std::vector<std::string> kUnusual = {
    "model={config: {model_type: qwen3, rope_theta: 10000.0, name: 'yes', layers: ['1', 2],"
    " rope_scaling: {type: linear, factor: 2}, none: null, empty: {}}}",
    "optimizer.lr=1.2345678901234567e-4",
    "accelerator={pp_size: 2, threads_per_rank: 3}",
    "pipeline={enabled: true, schedule: interleaved1f1b, split: [[1, 2], [3, 4]]}",
    "activation.layers=[0, 2]",
    "data={type: text, tokenizer: 'a: b', path: [{path: 'odd \"name', weight: 0.5}, b]}",
    "evaluation={interval: 3, data: {type: samples, path: 'null'}}",
    "checkpoint={resume: '12', directory: '- x'}",
    "output.trace={start_step: 5}"};

TEST(WriteTest, WrittenConfigParsesToTheSame) {
  for (const auto& settings : {std::vector<std::string>{}, kUnusual}) {
    const Config config = Parse(settings);
    const std::string text = WriteConfig(config);
    SCOPED_TRACE(text);
    const Config again = ParseConfig(text, "config.yaml", {});
    EXPECT_EQ(WriteConfig(again), text);
    EXPECT_EQ(Flatten(again), Flatten(config));
    EXPECT_EQ(again.optimizer.lr, config.optimizer.lr);
    EXPECT_EQ(again.model.inline_config, config.model.inline_config);
  }
}

TEST(WriteTest, EveryKeyIsWritten) {
  const std::string text = WriteConfig(Parse());
  for (const Section& section : Schema()) {
    if (section.name.find('.') != std::string::npos) continue;
    for (const auto& key : section.keys) {
      EXPECT_NE(text.find("\n  " + key.name + ": "), std::string::npos)
          << section.name << "." << key.name;
    }
  }
}

TEST(WriteTest, FlatFormHasALinePerKeyAndPerKeyInsideAMap) {
  const auto flat = Flatten(Parse(kUnusual));
  EXPECT_THAT(flat, Contains(Pair("pipeline.schedule", "interleaved1f1b")));
  EXPECT_THAT(flat, Contains(Pair("pipeline.split", "[[1, 2], [3, 4]]")));
  EXPECT_THAT(flat, Contains(Pair("model.config.rope_scaling.factor", "2")));
  EXPECT_THAT(flat, Contains(Pair("evaluation.data.path", "null")));
  EXPECT_THAT(Flatten(Parse()), Not(Contains(Key("evaluation.data.path"))));
}

TEST(WriteTest, ExplicitDefaultIsTheSameAsAnAbsentKey) {
  const Config written =
      Parse({"mtp.loss_coef=0.3", "accelerator.threads_per_rank=auto", "activation.layers=all",
             "checkpoint.resume=none", "training.micro_batch_size=1", "pipeline.split=[]"});
  EXPECT_EQ(Flatten(written), Flatten(Parse()));
}

}  // namespace
}  // namespace hyperpp::config
