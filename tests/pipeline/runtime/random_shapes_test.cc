// Random models, splits, schedules and transports against one rank: loss, every gradient, and the
// parameters after a step of plain gradient descent.
#include <random>

#include <ATen/ATen.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "hyperpp/models/decoder.h"
#include "hyperpp/models/parameter_store.h"
#include "hyperpp/models/random_init.h"
#include "tests/models/tiny_decoder.h"
#include "tests/pipeline/runtime/small_pipeline.h"
#include "tests/support/near_tensors.h"
#include "tests/support/ranks.h"

namespace hyperpp::pipeline {
namespace {

constexpr int kShapesPerDegree = 7;
constexpr double kLearningRate = 0.05;

/// What a seed stands for.
struct Shape {
  Shape(int num_ranks, uint64_t seed) : random(seed) {
    const int most_chunks = std::min(3, 12 / num_ranks);
    const int chunks = Between(1, most_chunks);
    num_layers = Between(std::max(2, chunks * num_ranks), 12);
    num_microbatches = Between(1, 9);
    rows = Between(1, 2);
    length = Between(2, 6);
    tied = Between(0, 1) == 1;
    transport = kTransports[Between(0, 2)];
    schedule = chunks > 1 ? "interleaved1f1b" : Between(0, 1) == 0 ? "gpipe" : "1f1b";
    if (chunks > 1 || Between(0, 1) == 1) DrawSplit(num_ranks, chunks);
  }

  int Between(int low, int high) { return std::uniform_int_distribution(low, high)(random); }

  // One layer in each stage, and the rest wherever they fall.
  void DrawSplit(int num_ranks, int chunks) {
    split.assign(chunks, std::vector<int64_t>(static_cast<std::size_t>(num_ranks), 1));
    for (int64_t rest = num_layers - chunks * num_ranks; rest > 0; --rest)
      ++split[Between(0, chunks - 1)][Between(0, num_ranks - 1)];
  }

  std::string Describe() const {
    std::string text = fmt::format("{} layers{}, {}, {}, {} microbatches of {} x {}, split",
                                   num_layers, tied ? " tied" : "", schedule, NameOf(transport),
                                   num_microbatches, rows, length);
    for (const auto& row : split) text += fmt::format(" [{}]", fmt::join(row, " "));
    return text;
  }

  std::mt19937_64 random;
  int64_t num_layers = 2, rows = 1, length = 4;
  int num_microbatches = 1;
  bool tied = false;
  std::string schedule;
  Transport transport = Transport::kBlocking;
  std::vector<std::vector<int64_t>> split;
};

/// Labels of some tokens; microbatch 1 has none.
std::vector<MicrobatchInput> DrawBatch(Shape& shape, const models::DecoderSpec& spec) {
  const auto draw = [&](int low, int high) {
    at::Tensor values = at::empty({shape.rows, shape.length}, at::kLong);
    auto* value = values.mutable_data_ptr<int64_t>();
    for (int64_t i = 0; i < values.numel(); ++i) value[i] = shape.Between(low, high);
    return values;
  };
  const int last = static_cast<int>(spec.vocab_size) - 1;
  std::vector<MicrobatchInput> batch;
  int64_t labels = 0;
  for (int i = 0; i < shape.num_microbatches; ++i) {
    MicrobatchInput& microbatch = batch.emplace_back();
    microbatch.keywords["input_ids"] = draw(0, last);
    microbatch.keywords["positions"] = at::arange(shape.length, at::kInt).repeat({shape.rows, 1});
    microbatch.keywords["document_starts"] = at::zeros({shape.rows, shape.length}, at::kInt);
    // A different share of labels in each microbatch, and at least one in the batch.
    microbatch.target = at::where(draw(0, 9) <= shape.Between(0, 9), draw(0, last), -100);
    if (i == 0) microbatch.target.select(0, 0).fill_(3);
    if (i == 1) microbatch.target.fill_(-100);
    labels += (microbatch.target >= 0).sum().item<int64_t>();
  }
  for (MicrobatchInput& microbatch : batch)
    microbatch.keywords["token_weight"] =
        at::scalar_tensor(1.0 / static_cast<double>(labels), at::kDouble);
  return batch;
}

models::DecoderSpec SpecOf(const Shape& shape) {
  models::DecoderSpec spec = models::TinySpec(shape.tied);
  spec.num_layers = shape.num_layers;
  spec.layer_windows.clear();
  for (int64_t i = 0; i < spec.num_layers; ++i) spec.layer_windows.push_back(i % 2 * 3);
  return spec;
}

/// A decoder with values in the weights that it was asked for.
struct FilledDecoder {
  explicit FilledDecoder(const models::DecoderSpec& spec)
      : decoder(std::make_shared<models::Decoder>(spec)) {
    decoder->set_run({.sequence_length = 8});
  }
  void Fill(std::vector<models::Weight*> weights) {
    store = std::make_unique<models::ParameterStore>(std::move(weights), at::kCPU, at::kFloat,
                                                     /*with_gradients=*/true);
    for (const models::Weight* weight : store->weights()) {
      at::Tensor value = weight->parameter().detach();
      models::FillNormal(value, weight->fqn(), 7, 0, 0.25);
      if (weight->use() == models::WeightUse::kGain) value.add_(1);
    }
  }
  void Descend() const {
    for (const models::Weight* weight : store->weights())
      weight->parameter().detach().sub_(weight->gradient(), kLearningRate);
    store->ZeroGradients();
  }

  std::shared_ptr<models::Decoder> decoder;
  std::unique_ptr<models::ParameterStore> store;
};

/// The whole decoder on this rank.
double StepOfOneRank(FilledDecoder& whole, const std::vector<MicrobatchInput>& batch) {
  const StageRange all{.end_layer = whole.decoder->num_layers(), .is_first = true, .is_last = true};
  double sum = 0;
  for (const MicrobatchInput& microbatch : batch) {
    const StageState output = whole.decoder->ForwardStage(all, {}, microbatch.keywords);
    const at::Tensor loss = whole.decoder->Loss(output, microbatch.target, microbatch.keywords);
    loss.backward();
    sum += loss.item<double>();
  }
  return sum;
}

double StepOfPipeline(AutoPipeline& pipeline, const FilledDecoder& own,
                      const std::vector<MicrobatchInput>& batch) {
  double sum = 0;
  for (const at::Tensor& loss : pipeline.Step(batch)) sum += loss.item<double>();
  for (const SharedParameter& shared : pipeline.shared_parameters())
    for (const models::Weight* weight : own.store->weights())
      if (weight->fqn() == shared.fqn) pipeline.SumSharedGradient(shared.fqn, weight->gradient());
  return sum;
}

void ExpectEqualsOneRank(comm::World& world, Shape shape) {
  SCOPED_TRACE(shape.Describe());
  const models::DecoderSpec spec = SpecOf(shape);
  FilledDecoder whole(spec), own(spec);
  whole.Fill(models::CollectWeights(*whole.decoder));
  whole.decoder->RebuildBuffers(at::kCPU);

  AutoPipeline pipeline(world, {.schedule = shape.schedule,
                                .split = shape.split,
                                .microbatch_size = shape.rows,
                                .p2p_overlap = shape.transport != Transport::kBlocking,
                                .p2p_multi_stream = shape.transport == Transport::kMultiStream});
  pipeline.build(own.decoder, nullptr, shape.rows * shape.num_microbatches);
  auto weights = models::CollectWeights(*own.decoder);
  std::erase_if(weights, [&](const auto* weight) { return !pipeline.Holds(weight->fqn()); });
  own.Fill(weights);
  pipeline.Prepare();

  const auto of_whole = [&](const std::string& fqn) {
    for (const models::Weight* weight : whole.store->weights())
      if (weight->fqn() == fqn) return weight;
    throw std::out_of_range(fqn);
  };
  for (int step = 0; step < 2; ++step) {
    const auto batch = DrawBatch(shape, spec);
    const double expected = StepOfOneRank(whole, batch);
    const double loss = StepOfPipeline(pipeline, own, batch);
    if (pipeline.info().has_last_stage) EXPECT_NEAR(loss, expected, 1e-5 * expected);
    for (const models::Weight* weight : own.store->weights())
      EXPECT_TRUE(test::NearTensors(weight->gradient(), of_whole(weight->fqn())->gradient()))
          << "gradient of " << weight->fqn() << " in step " << step;
    own.Descend();
    whole.Descend();
    for (const models::Weight* weight : own.store->weights())
      EXPECT_TRUE(test::NearTensors(weight->parameter(), of_whole(weight->fqn())->parameter()))
          << weight->fqn() << " after step " << step;
  }
}

// The seeds of `num_ranks` ranks: 100 n, 100 n + 1, ...
void TestDegree(int num_ranks) {
  test::RankOptions options;
  options.time_limit = std::chrono::seconds(100);
  test::RunRanks(
      Stages(num_ranks),
      [&](comm::World& world) {
        for (int i = 0; i < kShapesPerDegree; ++i)
          ExpectEqualsOneRank(world, Shape(num_ranks, static_cast<uint64_t>(100 * num_ranks + i)));
      },
      options);
}

TEST(RandomShapesTest, OneRank) { TestDegree(1); }
TEST(RandomShapesTest, TwoRanks) { TestDegree(2); }
TEST(RandomShapesTest, ThreeRanks) { TestDegree(3); }
TEST(RandomShapesTest, FourRanks) { TestDegree(4); }

}  // namespace
}  // namespace hyperpp::pipeline
