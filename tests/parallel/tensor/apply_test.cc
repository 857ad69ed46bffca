#include "hyperpp/parallel/tensor/apply.h"

#include <functional>

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "tests/models/tiny_decoder.h"
#include "tests/support/ranks.h"

namespace hyperpp::parallel {
namespace {

using models::Decoder;
using models::DecoderSpec;
using models::Weight;

constexpr int64_t kBatch = 3, kLength = 8, kTokens = kBatch * kLength, kVocabulary = 24;

MeshLayout Ranks(int degree) { return MeshLayout({1, 1, 1, 1, degree}); }

// All traits of the dense families, in sizes that four ranks can share.
DecoderSpec SharedSpec(bool tied) {
  DecoderSpec spec = models::TinySpec(tied);
  spec.vocab_size = kVocabulary;
  spec.num_heads = 8;
  spec.num_key_value_heads = 4;
  spec.attention_dropout = 0.2;
  spec.pad_token_id = 7;
  return spec;
}

// The local box of `whole`, a tensor of the weight's full shape.
at::Tensor LocalBox(const Weight& weight, at::Tensor whole) {
  for (std::size_t d = 0; d < weight.full_shape().size(); ++d)
    whole =
        whole.narrow(static_cast<int64_t>(d), weight.local_offsets()[d], weight.local_shape()[d]);
  return whole;
}

struct Model {
  Model(const DecoderSpec& spec, at::ScalarType dtype, bool remake,
        const std::function<void(Decoder&)>& split)
      : decoder(std::make_shared<Decoder>(spec)) {
    decoder->set_run({.sequence_length = kLength, .dropout_seed = 5, .compute_dtype = dtype});
    const std::vector<Weight*> weights = models::CollectWeights(*decoder);
    if (split) split(*decoder);
    for (int64_t i = 0; i < spec.num_layers; ++i) decoder->layer(i).set_remake_cheap(remake);
    store = std::make_unique<models::ParameterStore>(weights, at::kCPU, dtype, true);
    for (const Weight* weight : weights) {
      at::Tensor whole = at::empty(weight->full_shape());
      models::FillNormal(whole, weight->fqn(), 7, 0, 0.3);
      if (weight->use() == models::WeightUse::kGain) whole.add_(1);
      weight->parameter().detach().copy_(LocalBox(*weight, whole));
    }
    store->CastParameters();
    decoder->RebuildBuffers(at::kCPU);
  }

  // Forward and backward of one microbatch, of two documents in each sequence; returns the loss.
  double Train() const {
    const at::Tensor positions = at::arange(kLength, at::kInt).remainder(5).repeat({kBatch, 1});
    at::Tensor labels = (at::arange(kTokens, at::kLong) * 7 + 3).remainder(kVocabulary);
    labels.slice(0, 0, kTokens, 5).fill_(-100);
    at::Tensor starts = at::zeros({kBatch, kLength}, at::kInt);
    starts.slice(1, 5).fill_(5);
    const pipeline::Keywords keywords{
        {"input_ids",
         (at::arange(kTokens, at::kLong) * 5).remainder(kVocabulary).view({kBatch, -1})},
        {"positions", positions},
        {"document_starts", starts},
        {"sample_ids", at::arange(kBatch, at::kLong)},
        {"token_weight", at::scalar_tensor(0.25, at::kDouble)},
        {"step", at::scalar_tensor(3, at::kLong)}};
    const pipeline::StageRange stage{
        .end_layer = decoder->num_layers(), .is_first = true, .is_last = true};
    const auto output = decoder->ForwardStage(stage, {}, keywords);
    const at::Tensor loss = decoder->Loss(output, labels.view({kBatch, -1}), keywords);
    torch::autograd::backward({loss}, {at::ones_like(loss)});
    return loss.item<double>();
  }

  std::shared_ptr<Decoder> decoder;
  std::unique_ptr<models::ParameterStore> store;
};

struct Variant {
  int degree;
  bool sequence_parallel, tied, remake;
  at::ScalarType dtype;
};

void SumPartial(const Model& model, comm::Group& group, bool sequence_parallel) {
  SumPartialGradients(PartialGradientWeights(model.store->TrainableWeights(),
                                             models::DensePlacements(), sequence_parallel),
                      group);
}

class ApplyTensorParallelTest : public testing::TestWithParam<Variant> {};

TEST_P(ApplyTensorParallelTest, LossAndGradientsAreThoseOfOneRank) {
  const Variant variant = GetParam();
  test::RunRanks(Ranks(variant.degree), [&](comm::World& world) {
    comm::Group& group = world.Along({Axis::kTensor});
    const DecoderSpec spec = SharedSpec(variant.tied);
    const Model whole(spec, variant.dtype, variant.remake, nullptr);
    const Model split(spec, variant.dtype, variant.remake, [&](Decoder& decoder) {
      ApplyTensorParallel(decoder, models::DensePlacements(), group, variant.sequence_parallel);
    });
    const bool exact = variant.dtype == at::kFloat;
    EXPECT_NEAR(split.Train() / whole.Train(), 1, exact ? 1e-6 : 1e-2);
    SumPartial(split, group, variant.sequence_parallel);
    for (std::size_t i = 0; i < whole.store->weights().size(); ++i) {
      const Weight& weight = *split.store->weights()[i];
      const at::Tensor expected = LocalBox(weight, whole.store->weights()[i]->gradient());
      const double error = (weight.gradient() - expected).norm().item<double>();
      EXPECT_LT(error, (exact ? 2e-6 : 4e-2) * expected.norm().item<double>() + 1e-7)
          << weight.fqn();
    }
  });
}

TEST_P(ApplyTensorParallelTest, WholeWeightsHaveTheSameBitsOnAllRanks) {
  const Variant variant = GetParam();
  test::RunRanks(Ranks(variant.degree), [&](comm::World& world) {
    comm::Group& group = world.Along({Axis::kTensor});
    const Model split(SharedSpec(variant.tied), variant.dtype, variant.remake, [&](Decoder& d) {
      ApplyTensorParallel(d, models::DensePlacements(), group, variant.sequence_parallel);
    });
    split.Train();
    SumPartial(split, group, variant.sequence_parallel);
    int num_whole = 0;
    for (const Weight* weight : split.store->weights()) {
      if (weight->IsSplit()) continue;
      ++num_whole;
      const at::Tensor first = weight->gradient().clone();
      group.Broadcast(first, 0)->Wait();
      EXPECT_TRUE(at::equal(first, weight->gradient())) << weight->fqn();
    }
    EXPECT_EQ(num_whole, 2 * 6 + 1);  // two norms, two head norms, two biases a layer; final norm
  });
}

// docs/tensor_parallel.md: a pass over [T, H] is one exchange of hidden states.
TEST_P(ApplyTensorParallelTest, TrafficIsWhatTheDocumentSays) {
  const Variant variant = GetParam();
  test::RunRanks(Ranks(variant.degree), [&](comm::World& world) {
    comm::Group& group = world.Along({Axis::kTensor});
    const DecoderSpec spec = SharedSpec(variant.tied);
    const Model split(spec, variant.dtype, variant.remake, [&](Decoder& d) {
      ApplyTensorParallel(d, models::DensePlacements(), group, variant.sequence_parallel);
    });
    split.Train();
    SumPartial(split, group, variant.sequence_parallel);

    const int64_t layers = spec.num_layers, element = variant.dtype == at::kFloat ? 4 : 2;
    const int64_t pass = kTokens * spec.hidden_size * element;
    const int64_t labelled = kTokens - (kTokens + 4) / 5;
    const int64_t head_numbers = group.size() * labelled * 16;
    const int64_t head_gains = 4 * layers * 2 * spec.head_dim;
    const int64_t hidden_gains = 4 * (2 * layers + 1) * spec.hidden_size;
    const comm::Traffic traffic = group.traffic();
    if (variant.sequence_parallel) {
      const int64_t again = variant.remake ? 2 * layers : 0;
      EXPECT_EQ(traffic.all_gather_bytes, (4 * layers + 2 + again) * pass + head_numbers);
      EXPECT_EQ(traffic.reduce_scatter_bytes, (4 * layers + 2) * pass);
      EXPECT_EQ(traffic.all_reduce_bytes, head_gains + hidden_gains);
    } else {
      EXPECT_EQ(traffic.all_gather_bytes, head_numbers);
      EXPECT_EQ(traffic.reduce_scatter_bytes, 0);
      EXPECT_EQ(traffic.all_reduce_bytes, (4 * layers + 2) * pass + head_gains);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Variants, ApplyTensorParallelTest,
                         testing::Values(Variant{2, true, false, false, at::kFloat},
                                         Variant{2, false, true, false, at::kFloat},
                                         Variant{4, true, true, true, at::kFloat},
                                         Variant{4, false, false, true, at::kFloat},
                                         Variant{2, true, false, true, at::kBFloat16}),
                         [](const auto& info) {
                           const Variant& v = info.param;
                           return fmt::format("Tensor{}{}{}{}{}", v.degree,
                                              v.sequence_parallel ? "Sequence" : "",
                                              v.tied ? "Tied" : "", v.remake ? "Remake" : "",
                                              v.dtype == at::kFloat ? "" : "BFloat16");
                         });

TEST(ApplyTensorParallelToOneRankTest, ChangesNothing) {
  test::RunRanks(Ranks(1), [](comm::World& world) {
    Decoder decoder(SharedSpec(false));
    ApplyTensorParallel(decoder, models::DensePlacements(), world.Along({Axis::kTensor}), true);
    for (const Weight* weight : models::CollectWeights(decoder)) EXPECT_FALSE(weight->IsSplit());
  });
}

}  // namespace
}  // namespace hyperpp::parallel
