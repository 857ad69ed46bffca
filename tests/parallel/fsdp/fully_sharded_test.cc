#include "hyperpp/parallel/fsdp/fully_sharded.h"

#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "tests/models/tiny_decoder.h"
#include "tests/support/ranks.h"

namespace hyperpp::parallel {
namespace {

using models::Weight;

constexpr int64_t kBatch = 2, kLength = 7, kVocabulary = 19;

// The tiny decoder, sharded over `world`'s dp_shard axis, with the values of TinyDecoder.
struct ShardedDecoder {
  ShardedDecoder(comm::World& world, bool tied, FsdpOptions options,
                 at::ScalarType dtype = at::kFloat, const std::vector<std::string>& frozen = {})
      : groups{world.Along({Axis::kShard}, "gather"), world.Along({Axis::kShard}, "reduce")},
        decoder(std::make_shared<models::Decoder>(models::TinySpec(tied))),
        sharding(options) {
    for (Weight* weight : models::CollectWeights(*decoder))
      for (const std::string& name : frozen)
        if (weight->fqn() == name) weight->set_trainable(false);
    decoder->set_run({.sequence_length = kLength, .dropout_seed = 0, .compute_dtype = dtype});
    decoder->RebuildBuffers(at::kCPU);
    const int64_t layers = decoder->num_layers();
    sharding.AddStage(*decoder, {0, 0, layers, true, true});
    store = std::make_unique<models::ParameterStore>(sharding.unit_lists(), groups.gather.rank(),
                                                     groups.gather.size(), at::kCPU, dtype, true);
    for (Weight* weight : store->weights()) {
      at::Tensor own = weight->parameter().detach();
      models::FillNormal(own, weight->fqn(), 7, weight->owned_first(), 0.3);
      if (weight->use() == models::WeightUse::kGain) own.add_(1);
    }
    store->CastParameters();
    sharding.Attach(*store, groups, at::kCPU);
  }

  double Step(int microbatch) {
    const pipeline::StageRange stage{0, 0, decoder->num_layers(), true, true};
    const at::Tensor ids =
        (at::arange(kBatch * kLength, at::kLong) * (5 + microbatch) % kVocabulary)
            .view({kBatch, kLength});
    const pipeline::Keywords keywords = {
        {"input_ids", ids},
        {"positions", at::arange(kLength, at::kInt).repeat({kBatch}).view({kBatch, kLength})},
        {"document_starts", at::zeros({kBatch, kLength}, at::kInt)},
        {"token_weight", at::scalar_tensor(1.0, at::kDouble)}};
    const auto output = decoder->ForwardStage(stage, {}, keywords);
    const at::Tensor loss = decoder->Loss(output, ids * 3 % kVocabulary, keywords);
    if (loss.requires_grad()) torch::autograd::backward({loss});
    return loss.item<double>();
  }

  // Two microbatches, each reduced.
  double Train() {
    sharding.BeginStep(1);
    double loss = 0;
    for (int i = 0; i < 2; ++i) {
      loss += Step(i);
      sharding.ReduceGradients({0});
    }
    sharding.Reshard({0});
    sharding.FinishStep();
    return loss;
  }

  ShardGroups groups;
  std::shared_ptr<models::Decoder> decoder;
  FullySharded sharding;
  std::unique_ptr<models::ParameterStore> store;
};

// The same two microbatches in one process, whole.
struct WholeGradients {
  WholeGradients(bool tied, at::ScalarType dtype, const std::vector<std::string>& frozen)
      : model(tied, dtype, frozen) {
    model.decoder->set_run({.sequence_length = kLength, .dropout_seed = 0, .compute_dtype = dtype});
    model.decoder->RebuildBuffers(at::kCPU);
    for (int microbatch = 0; microbatch < 2; ++microbatch) {
      const at::Tensor ids =
          at::arange(kBatch * kLength, at::kLong) * (5 + microbatch) % kVocabulary;
      const at::Tensor normed = model.decoder->Normalise(
          model.decoder->RunLayers(model.decoder->Embed(ids), model.Context(kBatch, kLength)));
      const auto head = model.decoder->HeadLoss(normed, ids * 3 % kVocabulary, 1.0, true);
      torch::autograd::backward({normed}, {head.grad_x_TH});
      loss += head.loss_sum.item<double>();
    }
  }
  models::TinyDecoder model;
  double loss = 0;
};

// Every rank computes the same microbatches, so sums over `size` ranks are `size` times as large.
void ExpectGradients(const ShardedDecoder& sharded, const WholeGradients& whole, int size,
                     double tolerance) {
  int64_t owned = 0;
  for (const Weight* weight : sharded.store->weights()) {
    const at::Tensor own = weight->owned_gradient();
    if (!own.defined()) continue;
    owned += own.numel();
    for (const Weight* expected : whole.model.store->weights()) {
      if (expected->fqn() != weight->fqn() || own.numel() == 0) continue;
      const at::Tensor part =
          expected->gradient().flatten().narrow(0, weight->owned_first(), own.numel()) * size;
      EXPECT_LE((own - part).abs().max().item<double>(),
                tolerance * part.abs().max().item<double>() + 1e-7)
          << weight->fqn();
    }
  }
  EXPECT_GT(owned, 0);
}

void ExpectEqualToWhole(int size, bool tied, FsdpOptions options, at::ScalarType dtype = at::kFloat,
                        const std::vector<std::string>& frozen = {}) {
  test::RunRanks(MeshLayout({1, 1, size, 1, 1}), [&](comm::World& world) {
    ShardedDecoder sharded(world, tied, options, dtype, frozen);
    const WholeGradients whole(tied, dtype, frozen);
    EXPECT_NEAR(sharded.Train(), whole.loss, 1e-5 * whole.loss);
    ExpectGradients(sharded, whole, size, 2e-6);
    // A second step starts from the same place.
    sharded.store->ZeroGradients();
    sharded.Train();
    ExpectGradients(sharded, whole, size, 2e-6);
  });
}

TEST(FullyShardedTest, GradientsAreThoseOfOneProcess) {
  ExpectEqualToWhole(2, true, {});
  ExpectEqualToWhole(3, false, {});
}

TEST(FullyShardedTest, GradientsDoNotDependOnPrefetchReshardingAndFusion) {
  ExpectEqualToWhole(2, true, {.prefetch = 0});
  ExpectEqualToWhole(2, false, {.reshard_after_forward = false, .prefetch = 2});
  ExpectEqualToWhole(3, false, {.comm_fusion = false});
}

TEST(FullyShardedTest, FrozenWeightsAreGatheredAndNotReduced) {
  ExpectEqualToWhole(
      2, false, {}, at::kFloat,
      {"model.embed_tokens.weight", "model.layers.0.mlp.up_proj.weight", "model.norm.weight"});
}

// bf16 weights are gathered, gradients are summed in fp32.
TEST(FullyShardedTest, BFloat16ComputeGivesTheGradientsOfOneProcess) {
  ExpectEqualToWhole(2, true, {}, at::kBFloat16);
}

TEST(FullyShardedTest, AGroupOfOneRankGathersNothingAndAccumulates) {
  test::RunRanks(MeshLayout({1, 2, 1, 1, 1}), [](comm::World& world) {
    ShardedDecoder sharded(world, false, {});
    const WholeGradients whole(false, at::kFloat, {});
    sharded.Train();
    EXPECT_EQ(sharded.sharding.num_unshards(), 0);
    EXPECT_EQ(sharded.groups.gather.traffic().num_calls, 0);
    ExpectGradients(sharded, whole, 1, 2e-6);
  });
}

TEST(FullyShardedTest, AGroupOfFourRanksGathersAheadOfUse) {
  test::RunRanks(MeshLayout({1, 1, 4, 1, 1}), [](comm::World& world) {
    ShardedDecoder sharded(world, false, {.prefetch = 1});
    sharded.sharding.BeginStep(1);
    int64_t started_before_layer = 0;
    sharded.decoder->WrapLayer(0, [&](const models::LayerCall& call, const at::Tensor& hidden) {
      const int64_t before = sharded.sharding.num_unshards();
      at::Tensor out = call(hidden);
      started_before_layer = sharded.sharding.num_unshards() - before;
      return out;
    });
    sharded.Step(0);
    // The wrapper is outermost: layer 0's own weights were asked for by the embedding, so all that
    // is started inside is the gather of layer 1.
    EXPECT_EQ(started_before_layer, 1);
    sharded.sharding.ReduceGradients({0});
    sharded.sharding.FinishStep();
  });
}

TEST(FullyShardedTest, WeightsAreThereOnlyAroundTheirUse) {
  test::RunRanks(MeshLayout({1, 1, 2, 1, 1}), [](comm::World& world) {
    ShardedDecoder sharded(world, false, {.prefetch = 0});
    sharded.Train();
    for (const Weight* weight : sharded.store->weights()) {
      EXPECT_FALSE(weight->compute().defined()) << weight->fqn();
      EXPECT_FALSE(weight->gradient().defined()) << weight->fqn();
    }
  });
}

// What goes over the wire in a step of two microbatches: each weight is gathered for the forward
// pass and, but for embedding and head, for the backward pass; each gradient is reduced once a
// microbatch.
TEST(FullyShardedTest, VolumeIsThatOfTheFormula) {
  test::RunRanks(MeshLayout({1, 1, 2, 1, 1}), [](comm::World& world) {
    ShardedDecoder sharded(world, false, {});
    int64_t all = 0, layers = 0, norm = 0;
    for (const models::ShardUnit& unit : sharded.store->units()) {
      all += unit.numel;
      if (unit.weights.front()->fqn().starts_with("model.layers.")) layers += unit.numel;
      if (unit.weights.front()->fqn() == "model.norm.weight") norm += unit.numel;
    }
    sharded.Train();
    constexpr int64_t kBytes = 4, kMicrobatches = 2;
    EXPECT_EQ(sharded.groups.gather.traffic().all_gather_bytes,
              kBytes * kMicrobatches * (all + layers + norm));
    EXPECT_EQ(sharded.groups.reduce.traffic().reduce_scatter_bytes, kBytes * kMicrobatches * all);
  });
}

}  // namespace
}  // namespace hyperpp::parallel
