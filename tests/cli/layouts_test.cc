// Runs of the program in many layouts: loss, gradient norm, evaluation, checkpoints and exported
// weights are those of one rank.
#include <algorithm>

#include <fmt/format.h>
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

// fp32 sums in another order, over a few steps of plain SGD.
constexpr double kRounding = 1e-5;

struct Layout {
  std::string name;
  std::vector<std::string> lines;
};

// Four layers; two documents' worth of ids.
std::string FourLayers(const std::string& more = "") {
  return "model.config: {model_type: qwen3, vocab_size: 62, hidden_size: 24, intermediate_size: "
         "40, "
         "num_hidden_layers: 4, num_attention_heads: 4, num_key_value_heads: 2, head_dim: 8" +
         more + "}";
}

std::string Pipeline(const std::string& schedule, const std::string& split) {
  return "pipeline.enabled: true\n  schedule: " + schedule + "\n  split: " + split;
}

const std::vector<Layout>& Layouts() {
  static const std::vector<Layout> layouts = {
      {"shard2", {"accelerator.dp_shard_size: 2"}},
      {"shard3_per_weight", {"accelerator.dp_shard_size: 3", "fsdp.comm_fusion: false"}},
      {"shard2_kept", {"accelerator.dp_shard_size: 2", "fsdp.reshard_after_forward: false"}},
      {"hybrid",
       {"accelerator.dp_shard_size: 2", "accelerator.dp_replicate_size: 2", "fsdp.prefetch: 0"}},
      {"pp2", {"accelerator.pp_size: 2", Pipeline("1f1b", "[1, 3]")}},
      {"pp2_interleaved",
       {"accelerator.pp_size: 2", Pipeline("interleaved1f1b", "[[1, 1], [1, 1]]")}},
      {"pp2_shard2",
       {"accelerator.pp_size: 2", "accelerator.dp_shard_size: 2", Pipeline("gpipe", "[3, 1]"),
        "activation.recompute: full"}},
      {"pp2_shard2_chunks",
       {"accelerator.pp_size: 2", "accelerator.dp_shard_size: 2",
        Pipeline("interleaved1f1b", "[[1, 1], [1, 1]]"), "fsdp.reshard_after_forward: false",
        "activation.recompute: selective"}},
      {"tp2", {"accelerator.tp_size: 2"}},
      {"tp2_shard2",
       {"accelerator.tp_size: 2", "accelerator.dp_shard_size: 2",
        "accelerator.sequence_parallel: false", "activation.recompute: selective"}},
      {"pp2_tp2_chunks",
       {"accelerator.pp_size: 2", "accelerator.tp_size: 2",
        Pipeline("interleaved1f1b", "[[1, 1], [1, 1]]"), "activation.recompute: full"}},
      {"cp3_contiguous", {"accelerator.cp_size: 3", "context_parallel.load_balance: false"}},
      {"cp2_ring_shard2",
       {"accelerator.cp_size: 2", "accelerator.dp_shard_size: 2", "context_parallel.method: ring",
        "activation.recompute: full"}},
      {"tp2_cp2", {"accelerator.tp_size: 2", "accelerator.cp_size: 2"}},
      {"pp2_cp2_chunks",
       {"accelerator.pp_size: 2", "accelerator.cp_size: 2", "context_parallel.method: all_to_all",
        Pipeline("interleaved1f1b", "[[1, 1], [1, 1]]"), "activation.recompute: selective"}},
  };
  return layouts;
}

std::vector<std::string> With(const std::vector<std::string>& common, const Layout& layout) {
  std::vector<std::string> lines = common;
  lines.insert(lines.end(), layout.lines.begin(), layout.lines.end());
  return lines;
}

class LayoutsTest : public ::testing::TestWithParam<bool> {
 protected:
  void Train(const std::string& name, const std::vector<std::string>& lines) {
    const auto result =
        RunProgram({test::BuiltProgram("hyperpp"), "train", WriteRun(folder_, name, lines)});
    ASSERT_EQ(result.status, 0) << name << ": " << result.err;
  }
  void ExpectNumbersOf(const std::string& expected_name, const std::string& name) {
    const auto expected = Metrics(folder_, expected_name), actual = Metrics(folder_, name);
    ASSERT_EQ(actual.size(), expected.size()) << name;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      for (const char* key : {"loss", "grad_norm", "evaluation_loss"}) {
        if (!expected[i].contains(key)) continue;
        const double want = expected[i][key];
        EXPECT_NEAR(actual[i].value(key, 0.0), want, kRounding * want)
            << name << ": " << key << " of step " << i + 1;
      }
    }
  }

  TemporaryFolder folder_;
};

TEST_P(LayoutsTest, NumbersAreThoseOfOneRank) {
  const std::string tied = GetParam() ? ", tie_word_embeddings: true" : "";
  const std::vector<std::string> common = {FourLayers(tied + ", attention_dropout: 0.2"),
                                           "training.global_batch_size: 12",
                                           "training.micro_batch_size: 1",
                                           "evaluation.data: {type: synthetic}",
                                           "evaluation.max_samples: 7",
                                           "training.sequence_length: 13",  // padded for tp and cp
                                           "training.steps: 3"};
  Train("one", common);
  // Tied in all layouts; a third of them untied, where less can go wrong.
  for (std::size_t i = 0; i < Layouts().size(); i += GetParam() ? 1 : 3) {
    const Layout& layout = Layouts()[i];
    Train(layout.name, With(common, layout));
    ExpectNumbersOf("one", layout.name);
  }
}

INSTANTIATE_TEST_SUITE_P(TiedAndUntied, LayoutsTest, ::testing::Bool());

TEST_F(LayoutsTest, RandomInitAndExportAreTheSameBytes) {
  const std::vector<std::string> common = {
      FourLayers(", tie_word_embeddings: true, pad_token_id: 5"), "training.global_batch_size: 12",
      "training.micro_batch_size: 1", "training.steps: 0", "checkpoint.export_hf: true"};
  Train("one", common);
  const std::string expected = FileText(folder_ / "one/hf/model.safetensors");
  ASSERT_FALSE(expected.empty());
  for (std::size_t i = 0; i < Layouts().size(); i += 2) {
    const Layout& layout = Layouts()[i];
    Train(layout.name, With(common, layout));
    EXPECT_EQ(FileText(folder_ / layout.name / "hf/model.safetensors"), expected) << layout.name;
  }
}

TEST_F(LayoutsTest, CheckpointsLoadIntoAnyOtherLayout) {
  const std::vector<std::string> common = {FourLayers(", tie_word_embeddings: true"),
                                           "training.global_batch_size: 12",
                                           "training.micro_batch_size: 1",
                                           "optimizer.type: adamw",
                                           "optimizer.lr: 0.003",
                                           "optimizer.eps: 1.0e-5",
                                           "checkpoint.interval: 2",
                                           "checkpoint.resume: auto"};
  const auto run = [&](const std::string& name, const std::string& steps, const Layout& layout) {
    auto lines = With(common, layout);
    lines.push_back("training.steps: " + steps);
    Train(name, lines);
  };
  run("whole", "4", {"one", {}});
  const auto& layouts = Layouts();
  for (std::size_t i = 0; i < layouts.size(); i += 2) {
    const std::string name = "then_" + layouts[i].name;
    run(name, "2", layouts[(i + 3) % layouts.size()]);
    run(name, "4", layouts[i]);
    ExpectNumbersOf("whole", name);
  }
}

TEST_F(LayoutsTest, ChecksumsFindTheFirstDifferenceOfTwoRuns) {
  const Layout layout = {"",
                         {"accelerator.dp_shard_size: 2", "accelerator.pp_size: 2",
                          Pipeline("1f1b", "[2, 2]"), "output.checksums: true"}};
  const std::vector<std::string> common = {FourLayers(), "training.steps: 3"};
  Train("a", With(common, layout));
  Train("b", With(common, layout));
  auto other = With(common, layout);
  other.push_back("lr_scheduler.type: linear");
  Train("c", other);
  for (int rank = 0; rank < 4; ++rank) {
    const std::string file = fmt::format("checksums/rank_{}.jsonl", rank);
    const std::string hashes = FileText(folder_ / "a" / file);
    EXPECT_EQ(std::count(hashes.begin(), hashes.end(), '\n'), 3) << file;
    EXPECT_EQ(FileText(folder_ / "b" / file), hashes) << file;
  }
  const auto compare = [&](const std::string& with) {
    return RunProgram({"/usr/bin/env", "python3",
                       std::string(HYPERPP_TOOLS_DIR) + "/first_difference.py",
                       (folder_ / "a").string(), (folder_ / with).string()});
  };
  EXPECT_THAT(compare("b").out, HasSubstr("no difference in 3 steps of 4 ranks"));
  // The learning rate of step 1 is lower there: gradients are still the same, weights are not.
  EXPECT_THAT(compare("c").out, HasSubstr("step 1, rank 0, weights: model.embed_tokens.weight"));
}

}  // namespace
}  // namespace hyperpp::cli
