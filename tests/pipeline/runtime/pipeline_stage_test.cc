#include "hyperpp/pipeline/runtime/pipeline_stage.h"

#include <functional>

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "hyperpp/core/error.h"
#include "tests/support/error_text.h"

namespace hyperpp::pipeline {
namespace {

using test::ErrorText;
using testing::HasSubstr;

constexpr StageRange kMiddle{.stage = 1, .first_layer = 2, .end_layer = 4};
constexpr StageRange kLast{.stage = 2, .first_layer = 4, .end_layer = 6, .is_last = true};
constexpr StageRange kFirst{.stage = 0, .first_layer = 0, .end_layer = 2, .is_first = true};

// Boundaries hand over `hidden` [B, 3], `memory` [B] and the whole numbers `route` [B]. A stage
// makes tanh(hidden * weight) + embedding[ids] and leaves the others alone; `route` counts stages.
class RowsModel : public PipelineModel {
 public:
  std::vector<std::string> LayerNames() const override { return std::vector<std::string>(6, "x"); }
  std::vector<std::string> FirstStageNames() const override { return {}; }
  std::vector<std::string> LastStageNames() const override { return {}; }

  StateSpec BoundaryState(int64_t layer, const Keywords& keywords) const override {
    asked_layers.push_back(layer);
    const int64_t rows = keywords.at("input_ids").numel();
    return {
        {.name = "hidden", .shape = {rows, 3}},
        {.name = "memory", .shape = {rows}},
        {.name = "route", .shape = {rows}, .dtype = at::kLong, .differentiable = false},
    };
  }
  StageState ForwardStage(const StageRange& stage, const StageState& input,
                          const Keywords& keywords) override {
    const at::Tensor& ids = keywords.at("input_ids");
    const at::Tensor rows = embedding.index_select(0, ids);
    if (stage.is_first)
      return {{"hidden", rows}, {"memory", rows.sum(1)}, {"route", at::zeros_like(ids, at::kLong)}};
    StageState output;
    output.Set("hidden", at::tanh(input["hidden"] * weight) + rows);
    output.Set("memory", drop_memory ? at::ones({ids.numel()}) : input["memory"] * 2);
    output.Set("route", input["route"] + 1);
    return output;
  }
  at::Tensor Loss(const StageState& output, const at::Tensor& target,
                  const Keywords& /*keywords*/) override {
    return (output["hidden"].sum(1) * target).sum() + output["memory"].sum();
  }

  at::Tensor weight = at::tensor({0.5F, -1.0F, 2.0F}).requires_grad_();
  at::Tensor embedding = at::arange(15, at::kFloat).view({5, 3}).div(10).requires_grad_();
  bool drop_memory = false;
  mutable std::vector<int64_t> asked_layers;
};

MicrobatchInput Microbatch() {
  return {{{"input_ids", at::tensor({4, 0}, at::kInt)}}, at::tensor({1.0F, 3.0F})};
}

std::vector<at::Tensor> Received(double value = 0.25) {
  return {at::full({2, 3}, value), at::full({2}, 7.0), at::tensor({1, 1}, at::kLong)};
}

// d tanh(x w) / dx.
at::Tensor Slope(const at::Tensor& x, const at::Tensor& weight) {
  const at::Tensor tanh = at::tanh(x * weight).detach();
  return (1 - tanh * tanh) * weight.detach();
}

TEST(PipelineStageTest, EndsOfTheModelReceiveOrSendNothing) {
  RowsModel model;
  EXPECT_TRUE(PipelineStage(model, kFirst).InputSpec(Microbatch()).empty());
  EXPECT_TRUE(PipelineStage(model, kLast).OutputSpec(Microbatch()).empty());
  EXPECT_TRUE(model.asked_layers.empty());
  EXPECT_EQ(PipelineStage(model, kMiddle).InputSpec(Microbatch()).size(), 3U);
  EXPECT_EQ(PipelineStage(model, kMiddle).OutputSpec(Microbatch()).size(), 3U);
  EXPECT_THAT(model.asked_layers, testing::ElementsAre(2, 4));
}

TEST(PipelineStageTest, LaterStageGivesTheGradientOfWhatItReceived) {
  RowsModel model;
  PipelineStage stage(model, kMiddle);
  const std::vector<at::Tensor> received = Received();
  const at::Tensor hidden = at::randn({2, 3}), memory = at::randn({2});
  stage.Forward({0}, received, Microbatch(), /*keep_graph=*/true);
  const auto gradients = stage.Backward({0}, {hidden, memory});
  ASSERT_EQ(gradients.size(), 2U);  // `route` has none
  EXPECT_TRUE(at::allclose(gradients[0], hidden * Slope(received[0], model.weight)));
  EXPECT_TRUE(at::allclose(gradients[1], memory * 2));
  EXPECT_TRUE(model.weight.grad().defined());
  EXPECT_TRUE(at::allclose(model.embedding.grad()[4], hidden[0]));
  for (const at::Tensor& tensor : received) EXPECT_FALSE(tensor.requires_grad());
}

TEST(PipelineStageTest, IdsOfALaterStageKeepTheirFlag) {
  RowsModel model;
  PipelineStage stage(model, kMiddle);
  const MicrobatchInput microbatch = Microbatch();
  stage.Forward({0}, Received(), microbatch, /*keep_graph=*/true);
  stage.Backward({0}, {at::ones({2, 3}), at::ones({2})});
  EXPECT_FALSE(microbatch.keywords.at("input_ids").requires_grad());
  EXPECT_EQ(microbatch.keywords.at("input_ids").scalar_type(), at::kInt);
}

TEST(PipelineStageTest, OutputHasNoHistory) {
  RowsModel model;
  PipelineStage stage(model, kMiddle);
  for (const at::Tensor& output : stage.Forward({0}, Received(), Microbatch(), true)) {
    EXPECT_FALSE(output.requires_grad());
    EXPECT_EQ(output.grad_fn(), nullptr);
  }
}

TEST(PipelineStageTest, LastStageReturnsTheLossAndStartsTheBackward) {
  RowsModel model;
  PipelineStage stage(model, kLast);
  const auto output = stage.Forward({0}, Received(), Microbatch(), true);
  ASSERT_EQ(output.size(), 1U);
  const at::Tensor rows = model.embedding.index_select(0, at::tensor({4, 0}, at::kInt)).detach();
  const at::Tensor hidden = at::tanh(at::full({2, 3}, 0.25) * model.weight.detach()) + rows;
  EXPECT_NEAR(output[0].item<double>(),
              (hidden.sum(1) * at::tensor({1.0F, 3.0F})).sum().item<double>() + 28, 1e-5);
  const auto gradients = stage.Backward({0}, {});
  ASSERT_EQ(gradients.size(), 2U);
  EXPECT_TRUE(at::allclose(gradients[0], at::tensor({1.0F, 3.0F}).unsqueeze(1) *
                                             Slope(at::full({2, 3}, 0.25), model.weight)));
  EXPECT_TRUE(at::allclose(gradients[1], at::full({2}, 2.0)));
}

TEST(PipelineStageTest, ReceivedTensorWithoutInfluenceGetsZeros) {
  RowsModel model;
  model.drop_memory = true;
  for (const StageRange& range : {kMiddle, kLast}) {
    PipelineStage stage(model, range);
    stage.Forward({0}, Received(), Microbatch(), true);
    const auto gradients = stage.Backward(
        {0}, range.is_last ? std::vector<at::Tensor>{}
                           : std::vector<at::Tensor>{at::ones({2, 3}), at::ones({2})});
    ASSERT_EQ(gradients.size(), 2U);
    EXPECT_TRUE(at::equal(gradients[1], at::zeros({2})));
  }
}

TEST(PipelineStageTest, FirstStageHasNoInputGradients) {
  RowsModel model;
  PipelineStage stage(model, kFirst);
  stage.Forward({0}, {}, Microbatch(), true);
  EXPECT_TRUE(stage.Backward({0}, {at::ones({2, 3}), at::ones({2})}).empty());
  EXPECT_TRUE(at::equal(model.embedding.grad()[0], at::full({3}, 2.0)));
}

TEST(PipelineStageTest, MicrobatchesHaveGraphsOfTheirOwn) {
  RowsModel model;
  PipelineStage stage(model, kMiddle);
  EXPECT_EQ(stage.NumAlive(), 0);
  stage.Forward({0}, Received(0.1), Microbatch(), true);
  stage.Forward({1}, Received(0.7), Microbatch(), true);
  EXPECT_EQ(stage.NumAlive(), 2);
  const at::Tensor ones = at::ones({2, 3});
  const auto of_1 = stage.Backward({1}, {ones, at::ones({2})});
  EXPECT_EQ(stage.NumAlive(), 1);
  const auto of_0 = stage.Backward({0}, {ones, at::ones({2})});
  EXPECT_EQ(stage.NumAlive(), 0);
  EXPECT_TRUE(at::allclose(of_0[0], Slope(at::full({2, 3}, 0.1), model.weight)));
  EXPECT_TRUE(at::allclose(of_1[0], Slope(at::full({2, 3}, 0.7), model.weight)));
}

TEST(PipelineStageTest, WithoutBackwardNoGraphIsKept) {
  RowsModel model;
  PipelineStage stage(model, kLast);
  const auto output = stage.Forward({0}, Received(), Microbatch(), /*keep_graph=*/false);
  EXPECT_FALSE(output[0].requires_grad());
  EXPECT_EQ(stage.NumAlive(), 0);
  EXPECT_THROW(stage.Backward({0}, {}), InternalError);
}

TEST(PipelineStageTest, PassesAreRefusedOutOfTurn) {
  RowsModel model;
  PipelineStage stage(model, kMiddle);
  EXPECT_THAT(ErrorText<InternalError>([&] { stage.Backward({3}, {}); }),
              HasSubstr("microbatch 3 is not in stage 1"));
  stage.Forward({3}, Received(), Microbatch(), true);
  EXPECT_THAT(ErrorText<InternalError>([&] { stage.Forward({3}, Received(), Microbatch(), true); }),
              HasSubstr("microbatch 3 is in stage 1 already"));
  EXPECT_EQ(stage.NumAlive(), 1) << "the refused pass left the first alone";
}

TEST(PipelineStageTest, OutputUnlikeItsSpecIsReportedWithBothShapes) {
  RowsModel model;
  PipelineStage stage(model, kMiddle);
  std::vector<at::Tensor> received = Received();
  received[1] = at::ones({2, 1});
  EXPECT_THAT(ErrorText<InternalError>([&] { stage.Forward({0}, received, Microbatch(), true); }),
              HasSubstr("stage output memory is [2, 1], expected [2]"));
}

TEST(PipelineStageTest, GradientUnlikeItsSpecIsReportedWithBothShapes) {
  RowsModel model;
  PipelineStage stage(model, kMiddle);
  stage.Forward({0}, Received(), Microbatch(), true);
  EXPECT_THAT(ErrorText<InternalError>([&] {
                stage.Backward({0}, {at::ones({2, 4}), at::ones({2})});
              }),
              HasSubstr("output gradient of hidden is [2, 4], expected [2, 3]"));
}

}  // namespace
}  // namespace hyperpp::pipeline
