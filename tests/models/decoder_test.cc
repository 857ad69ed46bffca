#include "hyperpp/models/decoder.h"

#include <cmath>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/randint.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "tests/models/tiny_decoder.h"

namespace hyperpp::models {
namespace {

constexpr int64_t kBatch = 2, kLength = 7;

struct Batch {
  at::Tensor ids = at::arange(kBatch * kLength, at::kLong) * 5 % 19;
  at::Tensor labels = at::arange(kBatch * kLength, at::kLong) * 3 % 19;
};

double Loss(TinyDecoder& model, const Batch& batch) {
  const at::NoGradGuard no_grad;
  const at::Tensor hidden =
      model.decoder->RunLayers(model.decoder->Embed(batch.ids), model.Context(kBatch, kLength));
  return model.decoder->HeadLoss(model.decoder->Normalise(hidden), batch.labels, 1.0, false)
      .loss_sum.item<double>();
}

void Backward(TinyDecoder& model, const Batch& batch) {
  const at::Tensor hidden =
      model.decoder->RunLayers(model.decoder->Embed(batch.ids), model.Context(kBatch, kLength));
  const at::Tensor normed = model.decoder->Normalise(hidden);
  const auto head = model.decoder->HeadLoss(normed, batch.labels, 1.0, true);
  torch::autograd::backward({normed}, {head.grad_x_TH});
}

// Central difference of the loss along a random direction of one weight. fp32 losses near 40
// resolve about 4e-6, so the difference over 2e-2 is good to about 1e-3 of a gradient of order one.
double NumericDerivative(TinyDecoder& model, const Batch& batch, Weight& weight,
                         const at::Tensor& direction) {
  constexpr double kStep = 1e-2;
  at::Tensor value = weight.parameter().detach();
  value.add_(direction, kStep);
  const double above = Loss(model, batch);
  value.add_(direction, -2 * kStep);
  const double below = Loss(model, batch);
  value.add_(direction, kStep);
  return (above - below) / (2 * kStep);
}

void ExpectGradientsOfAllWeights(bool tied) {
  TinyDecoder model(tied);
  const Batch batch;
  Backward(model, batch);
  for (Weight* weight : model.store->weights()) {
    at::Tensor direction = at::zeros_like(weight->parameter().detach());
    FillNormal(direction, weight->fqn(), 11, 0,
               1.0 / std::sqrt(static_cast<double>(direction.numel())));
    const double expected = NumericDerivative(model, batch, *weight, direction);
    const double actual = (weight->gradient() * direction).sum().item<double>();
    EXPECT_NEAR(actual, expected, 5e-3 + 2e-2 * std::abs(expected)) << weight->fqn();
  }
}

TEST(DecoderTest, EveryGradientIsTheDerivativeOfTheLoss) { ExpectGradientsOfAllWeights(false); }

TEST(DecoderTest, TiedEmbeddingSumsTheGradientsOfBothUses) { ExpectGradientsOfAllWeights(true); }

TEST(DecoderTest, NamesAreThoseOfHuggingFace) {
  TinyDecoder model(false);
  std::vector<std::string> names;
  for (const Weight* weight : model.store->weights()) names.push_back(weight->fqn());
  EXPECT_EQ(names.front(), "model.embed_tokens.weight");
  EXPECT_EQ(names[1], "model.layers.0.self_attn.q_proj.weight");
  EXPECT_EQ(names.back(), "lm_head.weight");
  EXPECT_NE(std::find(names.begin(), names.end(), "model.layers.1.self_attn.q_norm.weight"),
            names.end());
}

TEST(DecoderTest, ConstructionAllocatesNothing) {
  Decoder decoder(TinySpec(false));
  for (const Weight* weight : CollectWeights(decoder))
    EXPECT_TRUE(weight->parameter().is_meta()) << weight->fqn();
}

TEST(DecoderTest, GradientsAccumulateOverMicrobatches) {
  TinyDecoder model(true);
  Backward(model, Batch());
  std::vector<at::Tensor> once;
  for (Weight* weight : model.store->weights()) once.push_back(weight->gradient().clone());
  Backward(model, Batch());
  for (std::size_t i = 0; i < once.size(); ++i) {
    const Weight* weight = model.store->weights()[i];
    EXPECT_TRUE(weight->gradient().allclose(once[i] * 2, 1e-5, 1e-6)) << weight->fqn();
  }
}

TEST(DecoderTest, FrozenWeightsGetNoGradientAndChangeNoOther) {
  TinyDecoder all(false);
  TinyDecoder some(false, at::kFloat,
                   {"model.embed_tokens.weight", "model.layers.0.mlp.up_proj.weight",
                    "model.layers.1.self_attn.q_norm.weight", "model.norm.weight"});
  Backward(all, Batch());
  Backward(some, Batch());
  for (std::size_t i = 0; i < all.store->weights().size(); ++i) {
    const Weight* weight = some.store->weights()[i];
    if (weight->trainable())
      EXPECT_TRUE(weight->gradient().equal(all.store->weights()[i]->gradient())) << weight->fqn();
    else
      EXPECT_FALSE(weight->gradient().defined()) << weight->fqn();
  }
}

TEST(DecoderTest, BFloat16ComputeStaysNearFloat32) {
  TinyDecoder exact(true), rounded(true, at::kBFloat16);
  EXPECT_NEAR(Loss(rounded, Batch()), Loss(exact, Batch()), 2e-2 * Loss(exact, Batch()));
  Backward(exact, Batch());
  Backward(rounded, Batch());
  for (std::size_t i = 0; i < exact.store->weights().size(); ++i) {
    const at::Tensor expected = exact.store->weights()[i]->gradient();
    const at::Tensor error = rounded.store->weights()[i]->gradient() - expected;
    // bf16 has 8 bits; errors of single products average out, so 5 % of the norm is a wide margin.
    EXPECT_LT(error.norm().item<double>(), 0.05 * expected.norm().item<double>() + 1e-3)
        << exact.store->weights()[i]->fqn();
  }
}

}  // namespace
}  // namespace hyperpp::models
