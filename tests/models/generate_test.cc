#include "hyperpp/models/generate.h"

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
