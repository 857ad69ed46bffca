#include "hyperpp/models/generate.h"

#include <span>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include "tests/models/tiny_decoder.h"

namespace hyperpp::models {
namespace {

// The next token found by running the whole sequence again, without a cache.
int64_t NextWithoutCache(TinyDecoder& model, const std::vector<int64_t>& ids) {
  const at::NoGradGuard no_grad;
  const auto length = static_cast<int64_t>(ids.size());
  const at::Tensor hidden = model.decoder->RunLayers(
      model.decoder->Embed(at::tensor(ids, at::kLong)), model.Context(1, length));
  return model.decoder->Logits(model.decoder->Normalise(hidden))[length - 1]
      .argmax()
      .item<int64_t>();
}

TEST(GenerateTest, CacheChangesNothing) {
  TinyDecoder model(true);
  std::vector<int64_t> expected = {3, 1, 4, 1, 5};
  for (int i = 0; i < 12; ++i) expected.push_back(NextWithoutCache(model, expected));
  GenerateOptions options;
  options.max_new_tokens = 12;
  options.temperature = 0;
  EXPECT_EQ(Generate(*model.decoder, {3, 1, 4, 1, 5}, options), expected);
}

// In [-0.5, 0.5), and around 1 for gains; made from the name, so that a reference can make the
// same.
void ChaoticWeights(const std::vector<Weight*>& weights) {
  for (const Weight* weight : weights) {
    uint32_t state = 2166136261;
    for (const char c : weight->fqn()) state = (state ^ static_cast<uint8_t>(c)) * 16777619;
    const at::Tensor values = weight->parameter().detach();
    for (float& value : std::span(values.mutable_data_ptr<float>(), values.numel())) {
      state = state * 1664525 + 1013904223;
      value = static_cast<float>(state >> 8) / 0x1p24F - 0.5F +
              (weight->use() == WeightUse::kGain ? 1.0F : 0.0F);
    }
  }
}

// Expected: reference/dynamic_rope.py. Its best two logits are at least 0.006 apart.
TEST(GenerateTest, DynamicScalingGrowsWithTheSequenceAsInTransformers) {
  DecoderSpec spec = TinySpec(/*tied=*/false);
  spec.vocab_size = 64, spec.hidden_size = 24, spec.intermediate_size = 40, spec.head_dim = 8;
  spec.num_heads = 2, spec.num_key_value_heads = 1, spec.max_position_embeddings = 8;
  spec.qkv_bias = spec.output_bias = spec.mlp_bias = false;
  spec.layer_windows = {0, 0};
  spec.rope.type = RopeSpec::Type::kDynamic;
  spec.rope.factor = 4;
  spec.rope.original_max_position_embeddings = 8;
  Decoder model(spec);
  ParameterStore store(CollectWeights(model), at::kCPU, at::kFloat, /*with_gradients=*/false);
  ChaoticWeights(store.weights());
  GenerateOptions options;
  options.max_new_tokens = 40;
  options.temperature = 0;
  EXPECT_EQ(Generate(model, {3, 1, 4, 1, 5, 9}, options),
            (std::vector<int64_t>{3,  1,  4,  1,  5,  9,  29, 23, 31, 34, 33, 50, 29, 12, 34, 57,
                                  17, 35, 3,  30, 50, 63, 44, 3,  30, 50, 63, 44, 4,  45, 34, 56,
                                  57, 42, 63, 44, 3,  33, 23, 10, 58, 35, 9,  9,  9,  59}));
}

TEST(GenerateTest, StopsAfterTheStopToken) {
  TinyDecoder model(true);
  GenerateOptions options;
  options.max_new_tokens = 5;
  options.temperature = 0;
  options.stop_token = NextWithoutCache(model, {2});
  EXPECT_EQ(Generate(*model.decoder, {2}, options), (std::vector<int64_t>{2, *options.stop_token}));
}

TEST(GenerateTest, SameSeedGivesTheSameText) {
  TinyDecoder model(false);
  GenerateOptions options;
  options.max_new_tokens = 20;
  options.seed = 3;
  const auto first = Generate(*model.decoder, {2}, options);
  EXPECT_EQ(Generate(*model.decoder, {2}, options), first);
  options.seed = 4;
  EXPECT_NE(Generate(*model.decoder, {2}, options), first);
}

TEST(PickTokenTest, GreedyTakesTheLowestIndexOfTies) {
  EXPECT_EQ(PickToken(at::tensor({1.0F, 3.0F, 3.0F}), 0, 1, 0.9), 1);
}

TEST(PickTokenTest, DrawsFollowTheCumulativeProbability) {
  const at::Tensor logits = at::tensor({0.5F, 0.25F, 0.25F}).log();
  EXPECT_EQ(PickToken(logits, 1, 1, 0.49), 0);
  EXPECT_EQ(PickToken(logits, 1, 1, 0.51), 1);
  EXPECT_EQ(PickToken(logits, 1, 1, 0.99), 2);
}

TEST(PickTokenTest, NucleusLeavesOutTheTail) {
  const at::Tensor logits = at::tensor({0.5F, 0.3F, 0.2F}).log();
  for (const double uniform : {0.0, 0.5, 0.999}) EXPECT_NE(PickToken(logits, 1, 0.7, uniform), 2);
}

}  // namespace
}  // namespace hyperpp::models
