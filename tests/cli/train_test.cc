// Runs of the program: layouts against one rank, resume against no interruption, failures.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/run_config.h"
#include "tests/support/program.h"

namespace hyperpp::cli {
namespace {

using test::FileText;
using test::RunProgram;
using test::TemporaryFolder;
using ::testing::HasSubstr;

std::string Hyperpp() { return test::BuiltProgram("hyperpp"); }

void Train(const std::string& config, int status = 0) {
  const test::ProgramResult result = RunProgram({Hyperpp(), "train", config});
  ASSERT_EQ(result.status, status) << result.err;
}

void ExpectSameNumbers(const std::vector<nlohmann::json>& actual,
                       const std::vector<nlohmann::json>& expected, double relative) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (const char* key : {"loss", "grad_norm"}) {
      const double want = expected[i][key];
      EXPECT_NEAR(actual[i][key].get<double>(), want, relative * want)
          << key << " of step " << i + 1;
    }
    EXPECT_EQ(actual[i]["tokens"], expected[i]["tokens"]);
  }
}

// fp32 sums in another order: losses agree to 2e-6, norms to 1e-5, over these few steps.
constexpr double kRounding = 1e-5;

TEST(TrainTest, ReplicasAndMicrobatchesGiveTheResultOfOneRank) {
  const TemporaryFolder folder;
  Train(WriteRun(folder, "one", {"training.micro_batch_size: 8", "checkpoint.export_hf: true"}));
  const auto expected = Metrics(folder, "one");
  ASSERT_EQ(expected.size(), 4U);
  EXPECT_LT(expected.at(3)["loss"], expected.at(0)["loss"]);
  for (const std::string& layout : {std::string("1"), std::string("2"), std::string("4")}) {
    Train(WriteRun(folder, "n" + layout,
                   {"training.micro_batch_size: 1", "accelerator.dp_replicate_size: " + layout}));
    ExpectSameNumbers(Metrics(folder, "n" + layout), expected, kRounding);
  }
}

TEST(TrainTest, RanksThatShareSequencesGiveTheResultOfOneRank) {
  const TemporaryFolder folder;
  // 15 tokens are padded; dropout depends on places in the sequence.
  const std::vector<std::string> common = {"training.sequence_length: 15",
                                           "data.document_mask: true",
                                           "data.eos_token_id: 3",
                                           "model.config: " + TinyModel(", attention_dropout: 0.2"),
                                           "evaluation.interval: 4",
                                           "evaluation.max_samples: 3",
                                           "evaluation.data: {type: synthetic}"};
  const auto run = [&](const std::string& name, const std::vector<std::string>& lines) {
    auto all = common;
    all.insert(all.end(), lines.begin(), lines.end());
    Train(WriteRun(folder, name, all));
    return Metrics(folder, name);
  };
  const auto expected = run("one", {});
  for (const std::string method : {"all_gather", "ring"}) {
    const auto actual = run(method, {"accelerator.cp_size: 2", "accelerator.dp_replicate_size: 2",
                                     "context_parallel.method: " + method});
    ExpectSameNumbers(actual, expected, kRounding);
    const double want = expected.at(3)["evaluation_loss"];
    EXPECT_NEAR(actual.at(3)["evaluation_loss"].get<double>(), want, kRounding * want);
  }
}

TEST(TrainTest, MomentsAndClippingAreThoseOfOneRank) {
  const TemporaryFolder folder;
  const std::vector<std::string> adamw = {"optimizer.type: adamw", "optimizer.lr: 0.003",
                                          "optimizer.eps: 1.0e-5", "optimizer.clip_grad_norm: 0.5"};
  Train(WriteRun(folder, "one", adamw));
  auto two = adamw;
  two.push_back("accelerator.dp_replicate_size: 2");
  Train(WriteRun(folder, "two", two));
  ExpectSameNumbers(Metrics(folder, "two"), Metrics(folder, "one"), kRounding);
}

TEST(TrainTest, ResumedRunIsBitEqualToAnUninterruptedOne) {
  const TemporaryFolder folder;
  const std::vector<std::string> common = {
      "optimizer.type: adamw",  "optimizer.lr: 0.003",        "accelerator.dp_replicate_size: 2",
      "checkpoint.interval: 3", "checkpoint.export_hf: true", "checkpoint.resume: auto"};
  const auto with = [&](const std::string& line) {
    auto lines = common;
    lines.push_back(line);
    return lines;
  };
  Train(WriteRun(folder, "whole", with("training.steps: 5")));
  Train(WriteRun(folder, "parts", with("training.steps: 3")));
  Train(WriteRun(folder, "parts", with("training.steps: 5")));
  ExpectSameNumbers(Metrics(folder, "parts"), Metrics(folder, "whole"), 0.0);
  const std::string weights = FileText(folder / "whole/hf/model.safetensors");
  EXPECT_FALSE(weights.empty());
  EXPECT_EQ(FileText(folder / "parts/hf/model.safetensors"), weights);
  // Resuming once more has nothing to do, and says so.
  const auto again = RunProgram({Hyperpp(), "train", (folder / "parts.yaml").string()});
  EXPECT_EQ(again.status, 0);
  EXPECT_THAT(again.out, HasSubstr("nothing to train"));
}

TEST(TrainTest, DropoutMasksDoNotDependOnTheLayout) {
  const TemporaryFolder folder;
  const std::string dropout = "model.config: " + TinyModel(", attention_dropout: 0.3");
  Train(WriteRun(folder, "plain", {}));
  Train(WriteRun(folder, "one", {dropout, "training.micro_batch_size: 8"}));
  Train(WriteRun(folder, "two",
                 {dropout, "training.micro_batch_size: 1", "accelerator.dp_replicate_size: 2"}));
  const auto expected = Metrics(folder, "one");
  ExpectSameNumbers(Metrics(folder, "two"), expected, kRounding);
  EXPECT_NE(Metrics(folder, "plain").at(0)["loss"], expected.at(0)["loss"]);
}

TEST(TrainTest, FrozenParametersStayAsTheyWere) {
  const TemporaryFolder folder;
  Train(WriteRun(folder, "before", {"training.steps: 0", "checkpoint.export_hf: true"}));
  Train(WriteRun(folder, "after",
                 {"training.trainable: ['model.layers.1.*']", "checkpoint.export_hf: true"}));
  const std::string before = FileText(folder / "before/hf/model.safetensors");
  const std::string after = FileText(folder / "after/hf/model.safetensors");
  ASSERT_EQ(before.size(), after.size());
  EXPECT_NE(before, after);
  Train(WriteRun(folder, "none", {"training.trainable: ['no.such.*']"}), 2);
}

TEST(TrainTest, NonFiniteLossStopsWithItsOwnStatus) {
  const TemporaryFolder folder;
  const auto result =
      RunProgram({Hyperpp(), "train", WriteRun(folder, "run", {"optimizer.lr: 1.0e+30"})});
  EXPECT_EQ(result.status, 4);
  EXPECT_THAT(result.err, HasSubstr("optimizer.lr"));
  Train(WriteRun(folder, "skip", {"optimizer.lr: 1.0e+30", "training.on_nonfinite: skip"}));
  const auto records = Metrics(folder, "skip");
  EXPECT_EQ(records.size(), 4U);
  EXPECT_TRUE(std::any_of(records.begin(), records.end(), [](const auto& record) {
    return record["loss"].is_null() || record["grad_norm"].is_null();
  }));
}

TEST(TrainTest, EvaluationIsTheSameOnAnyNumberOfRanks) {
  const TemporaryFolder folder;
  const std::vector<std::string> lines = {"evaluation.interval: 2", "evaluation.max_samples: 7",
                                          "evaluation.data: {type: synthetic}"};
  Train(WriteRun(folder, "one", lines));
  auto two = lines;
  two.push_back("accelerator.dp_replicate_size: 2");
  Train(WriteRun(folder, "two", two));
  const auto expected = Metrics(folder, "one"), actual = Metrics(folder, "two");
  EXPECT_FALSE(expected.at(0).contains("evaluation_loss"));
  for (const int i : {1, 3}) {
    const double want = expected.at(i)["evaluation_loss"];
    EXPECT_NEAR(actual.at(i)["evaluation_loss"].get<double>(), want, kRounding * want);
  }
}

}  // namespace
}  // namespace hyperpp::cli
