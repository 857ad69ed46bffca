#include "hyperpp/parallel/recompute/recompute.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/scalar_tensor.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "tests/models/tiny_decoder.h"

namespace hyperpp::parallel {
namespace {

using models::TinyDecoder;

constexpr int64_t kBatch = 2, kLength = 7, kVocabulary = 19;

models::ForwardContext ContextWithDropout(const TinyDecoder& model, uint64_t step) {
  models::ForwardContext context = model.Context(kBatch, kLength);
  context.dropout = models::DropoutContext{3, step, at::arange(kBatch, at::kLong)};
  return context;
}

struct Pass {
  at::Tensor normed, gradient;
  double loss;
};

Pass Forward(TinyDecoder& model, uint64_t step) {
  const at::Tensor ids = at::arange(kBatch * kLength, at::kLong) * 5 % kVocabulary;
  const at::Tensor normed = model.decoder->Normalise(
      model.decoder->RunLayers(model.decoder->Embed(ids), ContextWithDropout(model, step)));
  const auto head = model.decoder->HeadLoss(normed, ids * 3 % kVocabulary, 1.0, true);
  return {normed, head.grad_x_TH, head.loss_sum.item<double>()};
}

void Backward(const Pass& pass) { torch::autograd::backward({pass.normed}, {pass.gradient}); }

// Two microbatches in flight, as in 1F1B, differentiated in the order of GPipe.
double TrainTwoMicrobatches(TinyDecoder& model) {
  const Pass first = Forward(model, 1), second = Forward(model, 2);
  Backward(second);
  Backward(first);
  return first.loss + second.loss;
}

void ExpectSameBits(TinyDecoder& plain, TinyDecoder& recomputed) {
  EXPECT_EQ(TrainTwoMicrobatches(plain), TrainTwoMicrobatches(recomputed));
  for (std::size_t i = 0; i < plain.store->weights().size(); ++i) {
    const models::Weight* weight = recomputed.store->weights()[i];
    if (weight->trainable())
      EXPECT_TRUE(weight->gradient().equal(plain.store->weights()[i]->gradient())) << weight->fqn();
  }
}

class RecomputeTest : public ::testing::TestWithParam<RecomputeKind> {};

TEST_P(RecomputeTest, GradientsAreBitEqualWithDropoutAndSeveralMicrobatchesInFlight) {
  TinyDecoder plain(false, at::kFloat, {}, 0.3), recomputed(false, at::kFloat, {}, 0.3);
  ApplyRecompute(*recomputed.decoder, 0, 2, GetParam(), std::nullopt);
  ExpectSameBits(plain, recomputed);
}

TEST_P(RecomputeTest, GradientsAreBitEqualInBFloat16) {
  TinyDecoder plain(true, at::kBFloat16), recomputed(true, at::kBFloat16);
  ApplyRecompute(*recomputed.decoder, 0, 2, GetParam(), std::vector<int64_t>{1});
  ExpectSameBits(plain, recomputed);
}

TEST_P(RecomputeTest, GradientsAreCompleteWhereNoInputNeedsOne) {
  const std::vector<std::string> frozen = {"model.embed_tokens.weight",
                                           "model.layers.0.mlp.gate_proj.weight",
                                           "model.layers.1.self_attn.k_proj.weight"};
  TinyDecoder plain(false, at::kFloat, frozen), recomputed(false, at::kFloat, frozen);
  ApplyRecompute(*recomputed.decoder, 0, 2, GetParam(), std::nullopt);
  ExpectSameBits(plain, recomputed);
}

INSTANTIATE_TEST_SUITE_P(All, RecomputeTest,
                         ::testing::Values(RecomputeKind::kSelective, RecomputeKind::kFull));

TEST(RecomputeRunsTest, FullRunsEachListedLayerTwice) {
  TinyDecoder model(false);
  std::vector<int> runs(2, 0);
  for (const int64_t layer : {0, 1})
    model.decoder->WrapLayer(layer, [&runs, layer](const auto& call, const at::Tensor& hidden) {
      ++runs[layer];
      return call(hidden);
    });
  ApplyRecompute(*model.decoder, 0, 2, RecomputeKind::kFull, std::vector<int64_t>{1});
  Backward(Forward(model, 1));
  EXPECT_EQ(runs, (std::vector<int>{1, 2}));
}

TEST(RecomputeRunsTest, SharedRemakeIsMadeOnceForAllItsReaders) {
  int made = 0;
  models::Remake remake(
      [&made] {
        ++made;
        return at::scalar_tensor(7);
      },
      3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(remake.Take().item<double>(), 7);
  EXPECT_EQ(made, 1);
  remake.Take();
  EXPECT_EQ(made, 2);
}

}  // namespace
}  // namespace hyperpp::parallel
