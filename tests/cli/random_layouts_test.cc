// Random mixtures of all dimensions, up to eight ranks, against one rank: loss and gradient norm of
// each step, and the evaluation at the end.
#include <algorithm>
#include <random>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "tests/cli/run_config.h"
#include "tests/support/program.h"

namespace hyperpp::cli {
namespace {

using test::RunProgram;
using test::TemporaryFolder;

constexpr int kLargestWorld = 8;
constexpr int64_t kLayers = 6, kBatch = 12;

class Dice {
 public:
  explicit Dice(unsigned seed) : generator_(seed) {}
  template <typename T>
  T Of(const std::vector<T>& choices) {
    return choices[generator_() % choices.size()];
  }
  bool Coin() { return Of<int>({0, 1}) == 1; }

 private:
  std::mt19937 generator_;
};

// Counts >= 1 that add up to `total`.
std::vector<int64_t> RandomParts(int64_t total, int64_t count, Dice& dice) {
  std::vector<int64_t> parts(static_cast<std::size_t>(count), 1);
  for (int64_t i = count; i < total; ++i) {
    std::vector<std::size_t> places(parts.size());
    for (std::size_t p = 0; p < places.size(); ++p) places[p] = p;
    ++parts[dice.Of(places)];
  }
  return parts;
}

std::string RandomPipeline(int pp, Dice& dice) {
  std::string text = "pipeline.enabled: true\n  p2p_overlap: ";
  const bool overlap = dice.Coin();
  text += overlap ? "true\n" : "false\n";
  text += fmt::format("  p2p_multi_stream: {}\n", overlap && dice.Coin());
  text += fmt::format("  pp_microbatch_size: {}\n", dice.Of<int>({1, 1, 2}));
  const int64_t chunks = kLayers / pp >= 2 ? dice.Of<int64_t>({1, 2, 2}) : 1;
  const std::vector<int64_t> parts = RandomParts(kLayers, pp * chunks, dice);
  if (chunks == 1)
    return text + fmt::format("  schedule: {}\n  split: [{}]",
                              dice.Of<std::string>({"gpipe", "1f1b"}), fmt::join(parts, ", "));
  const auto row = parts.begin() + pp;
  return text + fmt::format("  schedule: interleaved1f1b\n  split: [[{}], [{}]]",
                            fmt::join(parts.begin(), row, ", "), fmt::join(row, parts.end(), ", "));
}

// Lines of a run; the model and the data are the same for all layouts of a seed.
std::vector<std::string> RandomLayout(Dice& dice) {
  int pp = 0, tp = 0, cp = 0, shard = 0, replicate = 0;
  do {
    pp = dice.Of<int>({1, 1, 2, 3});
    tp = dice.Of<int>({1, 1, 2});
    cp = dice.Of<int>({1, 1, 2, 3});
    shard = dice.Of<int>({1, 1, 2, 3});
    replicate = dice.Of<int>({1, 1, 1, 2});
  } while (pp * tp * cp * shard * replicate > kLargestWorld ||
           pp * tp * cp * shard * replicate < 3);
  std::vector<std::string> lines = {
      fmt::format("accelerator.pp_size: {}", pp),
      fmt::format("accelerator.tp_size: {}", tp),
      fmt::format("accelerator.cp_size: {}", cp),
      fmt::format("accelerator.dp_shard_size: {}", shard),
      fmt::format("accelerator.dp_replicate_size: {}", replicate),
      fmt::format("accelerator.sequence_parallel: {}", dice.Coin()),
      fmt::format("fsdp.comm_fusion: {}", dice.Coin()),
      fmt::format("fsdp.reshard_after_forward: {}", dice.Coin()),
      fmt::format("fsdp.prefetch: {}", dice.Of<int>({0, 1, 2})),
      fmt::format("context_parallel.load_balance: {}", dice.Coin()),
      "activation.recompute: " + dice.Of<std::string>({"none", "selective", "full"})};
  // all_to_all needs heads for every rank of cp and tp together.
  const bool heads_divide = 2 % (cp * tp) == 0;
  lines.push_back("context_parallel.method: " +
                  dice.Of<std::string>(heads_divide
                                           ? std::vector<std::string>{"all_to_all", "ring"}
                                           : std::vector<std::string>{"all_gather", "ring"}));
  if (pp > 1) lines.push_back(RandomPipeline(pp, dice));
  return lines;
}

std::vector<std::string> RandomRun(Dice& dice) {
  const std::string model =
      "model.config: {model_type: qwen3, vocab_size: 62, hidden_size: 24, intermediate_size: 40, "
      "num_hidden_layers: 6, num_attention_heads: 4, num_key_value_heads: 2, head_dim: 8, "
      "attention_dropout: " +
      dice.Of<std::string>({"0.0", "0.2"}) +
      ", tie_word_embeddings: " + (dice.Coin() ? "true" : "false") + "}";
  return {model,
          fmt::format("training.global_batch_size: {}", kBatch),
          "training.micro_batch_size: 1",
          "training.steps: 2",
          fmt::format("training.sequence_length: {}", dice.Of<int>({13, 16, 23})),
          "training.loss_reduction: " +
              dice.Of<std::string>({"token_mean", "token_mean", "microbatch_mean"}),
          "data.document_mask: true",
          "data.eos_token_id: 3",
          "evaluation.data: {type: synthetic}",
          "evaluation.max_samples: 5"};
}

class RandomLayoutsTest : public ::testing::TestWithParam<unsigned> {
 protected:
  void Train(const std::string& name, const std::vector<std::string>& lines) {
    const std::string config = WriteRun(folder_, name, lines);
    const auto result = RunProgram({test::BuiltProgram("hyperpp"), "train", config});
    ASSERT_EQ(result.status, 0) << test::FileText(config) << "\n" << result.err;
  }
  TemporaryFolder folder_;
};

TEST_P(RandomLayoutsTest, NumbersAreThoseOfOneRank) {
  Dice dice(GetParam());
  const std::vector<std::string> run = RandomRun(dice);
  // With microbatch_mean the microbatches are part of the definition: one sample each.
  const bool by_microbatch = run[5].find("microbatch_mean") != std::string::npos;
  std::vector<std::string> layout = RandomLayout(dice);
  if (by_microbatch) {
    std::string& last = layout.back();
    const std::size_t place = last.find("pp_microbatch_size: 2");
    if (place != std::string::npos) last.replace(place, 21, "pp_microbatch_size: 1");
  }
  Train("one", run);
  std::vector<std::string> lines = run;
  lines.insert(lines.end(), layout.begin(), layout.end());
  Train("many", lines);
  const auto expected = Metrics(folder_, "one"), actual = Metrics(folder_, "many");
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (const char* key : {"loss", "grad_norm", "evaluation_loss"}) {
      if (!expected[i].contains(key)) continue;
      const double want = expected[i][key];
      // fp32 sums in another order, over two steps of plain SGD.
      EXPECT_NEAR(actual[i].value(key, 0.0), want, 2e-5 * want)
          << key << " of step " << i + 1 << "\n"
          << test::FileText((folder_ / "many.yaml").string());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomLayoutsTest, ::testing::Range(0U, 6U));

}  // namespace
}  // namespace hyperpp::cli
