#include "hyperpp/plan/pass_memory.h"

#include <gtest/gtest.h>

#include "tests/plan/tiny_model.h"

namespace hyperpp::plan {
namespace {

constexpr int64_t kTokens = 32, kHidden = 4 * kTokens * 32, kInner = 4 * kTokens * 80;
constexpr int64_t kAttention = kTokens * (4 * (4 + 2) * 2 * 16 + 4 * 4);
constexpr int64_t kWholeLayer = 4 * kHidden + kAttention + 3 * kInner;

PassMemory PassOf(const std::vector<std::string>& settings, int world_size, int stage = 0) {
  const TinyModel model = DenseModel();
  const config::Config config = TinyConfig(settings);
  const TrainPlan plan =
      MakePlan(config, model.outline, model.facts, world_size, Purpose::kInspection);
  return MemoryOfPass(config, model.facts, plan, plan.stages.at(static_cast<std::size_t>(stage)));
}

TEST(PassMemoryTest, LayersKeepWhatTheirBackwardReads) {
  const PassMemory pass = PassOf(Pipelined(2), 2);
  EXPECT_EQ(pass.kept, 2 * kWholeLayer + kHidden);
  EXPECT_EQ(pass.backward, 2 * kInner);
  EXPECT_EQ(pass.boundary, kHidden);
}

TEST(PassMemoryTest, NormsOfHeadsKeepQueriesAndKeysFromBeforeThem) {
  TinyModel model = DenseModel();
  model.facts.qk_norm = true;
  const config::Config config = TinyConfig({});
  const TrainPlan plan = MakePlan(config, model.outline, model.facts, 1, Purpose::kInspection);
  const PassMemory pass = MemoryOfPass(config, model.facts, plan, plan.stages.front());
  const int64_t queries_and_keys = kTokens * 4 * (4 + 2) * 16;
  EXPECT_EQ(pass.kept, 4 * (kWholeLayer + queries_and_keys) + 2 * kHidden);
}

TEST(PassMemoryTest, TheHeadKeepsItsGradientAndNeedsLogits) {
  const PassMemory pass = PassOf(Pipelined(2), 2, 1);
  EXPECT_EQ(pass.kept, 2 * kWholeLayer + 2 * kHidden);
  EXPECT_EQ(pass.forward, kHidden + 4 * kTokens * (96 + 32));
  const PassMemory cast = PassOf(Pipelined(2, {"precision.compute_dtype=bfloat16"}), 2, 1);
  EXPECT_EQ(cast.forward, kHidden / 2 + kTokens * (96 * 6 + 32 * 4)) << "and their gradient";
}

TEST(PassMemoryTest, RecomputationMovesMemoryFromKeptToBackward) {
  const PassMemory selective = PassOf(Pipelined(2, {"activation.recompute=selective"}), 2);
  EXPECT_EQ(selective.kept, 2 * (kWholeLayer - 2 * kHidden - kInner) + kHidden);
  EXPECT_EQ(selective.backward, 3 * kInner);
  const PassMemory full = PassOf(Pipelined(2, {"activation.recompute=full"}), 2);
  EXPECT_EQ(full.kept, 3 * kHidden);
  EXPECT_EQ(full.backward, kWholeLayer + 2 * kInner);
}

TEST(PassMemoryTest, LayersBehindHaveLetGoWhenALayerIsMadeAgain) {
  const PassMemory pass = PassOf(Pipelined(2, {"activation={recompute: full, layers: [0]}"}), 2);
  EXPECT_EQ(pass.kept, kWholeLayer + 2 * kHidden);
  EXPECT_EQ(pass.backward, 2 * kInner) << "layer 0 follows on layer 1, which is gone by then";
}

TEST(PassMemoryTest, TensorParallelismDividesWhatLiesBetweenMatrices) {
  const PassMemory split = PassOf({"accelerator.tp_size=2"}, 2);
  const int64_t inside = (kAttention + 3 * kInner) / 2;
  EXPECT_EQ(split.kept, 4 * (3 * kHidden + inside) + kHidden / 2 + kHidden);
  EXPECT_EQ(split.boundary, kHidden / 2);
  const PassMemory whole =
      PassOf({"accelerator.tp_size=2", "accelerator.sequence_parallel=false"}, 2);
  EXPECT_EQ(whole.kept, 4 * (4 * kHidden + inside) + 2 * kHidden);
}

}  // namespace
}  // namespace hyperpp::plan
