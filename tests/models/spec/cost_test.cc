#include "hyperpp/models/spec/cost.h"

#include <gtest/gtest.h>

namespace hyperpp::models {
namespace {

DecoderSpec SmallSpec(bool tied) {
  return ParseDecoderSpec({{"model_type", "qwen3"},
                           {"vocab_size", 10},
                           {"hidden_size", 4},
                           {"intermediate_size", 6},
                           {"num_hidden_layers", 2},
                           {"num_attention_heads", 2},
                           {"num_key_value_heads", 1},
                           {"head_dim", 2},
                           {"use_sliding_window", true},
                           {"sliding_window", 2},
                           {"max_window_layers", 1},
                           {"tie_word_embeddings", tied}},
                          "config.json");
}

// Per layer: q 16, k 8, v 8, o 16, MLP 72 = 120 weights in products; norms 2 + 2 + 4 + 4.
TEST(CostTest, ParametersAreCountedOnceIfTied) {
  EXPECT_EQ(CountParameters(SmallSpec(false).Outline()), 40 + 2 * 132 + 4 + 40);
  EXPECT_EQ(CountParameters(SmallSpec(true).Outline()), 40 + 2 * 132 + 4);
}

TEST(CostTest, MatrixWeightsHoldTheHeadAndNotTheLookup) {
  EXPECT_EQ(CountMatrixWeights(SmallSpec(false)), 40 + 240);
  EXPECT_EQ(CountMatrixWeights(SmallSpec(true)), 40 + 240);
}

TEST(CostTest, FlopsCountVisibleKeysOnly) {
  // Sequence of 4: full attention sees 1, 2, 3, 4 keys, a window of 2 sees 1, 2, 2, 2.
  const double attention = 12 * 4 * (10.0 / 4 + 7.0 / 4);
  EXPECT_DOUBLE_EQ(FlopsPerToken(SmallSpec(false), 4), 6.0 * 280 + attention);
  // A window of the whole sequence is full attention.
  EXPECT_DOUBLE_EQ(FlopsPerToken(SmallSpec(false), 2), 6.0 * 280 + 12 * 4 * (1.5 + 1.5));
}

}  // namespace
}  // namespace hyperpp::models
