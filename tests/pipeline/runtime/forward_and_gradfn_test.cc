#include "hyperpp/pipeline/runtime/forward_and_gradfn.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "hyperpp/core/error.h"
#include "tests/support/error_text.h"

namespace hyperpp::pipeline {
namespace {

using test::ErrorText;
using testing::HasSubstr;
using Tensors = std::vector<at::Tensor>;

at::Tensor Parameter(const at::Tensor& value) { return value.clone().requires_grad_(); }

// A later stage: hidden states come in, ids choose rows of an embedding, a mask weighs them.
struct LaterStage {
  at::Tensor weight = Parameter(at::randn({3, 3}));
  at::Tensor embedding = Parameter(at::randn({5, 3}));
  at::Tensor hidden = at::randn({4, 3});
  Keywords keywords = {{"input_ids", at::tensor({0, 3, 3, 1}, at::kInt)},
                       {"mask", at::tensor({1.0F, 0.5F, 0.0F, 2.0F}).unsqueeze(1)}};

  Tensors operator()(const Tensors& args, const Keywords& given) const {
    const at::Tensor rows = embedding.index_select(0, given.at("input_ids"));
    return {at::tanh(at::mm(args[0], weight)) * given.at("mask") + rows * args[0]};
  }
  ForwardFunction fn() const {
    return [this](const Tensors& args, const Keywords& given) { return (*this)(args, given); };
  }
  // The same as formulas: y = tanh(x W) * m + E[ids] * x.
  at::Tensor SlopeOfTanh(const at::Tensor& gradient) const {
    const at::Tensor tanh = at::tanh(at::mm(hidden, weight));
    return gradient * keywords.at("mask") * (1 - tanh * tanh);
  }
  at::Tensor HiddenGradient(const at::Tensor& gradient) const {
    return at::mm(SlopeOfTanh(gradient), weight.t()) +
           gradient * embedding.index_select(0, keywords.at("input_ids"));
  }
};

TEST(ForwardAndGradfnTest, InputGradientOfAPositionIsRight) {
  const LaterStage stage;
  const at::Tensor gradient = at::randn({4, 3});
  auto [outputs, gradfn] = forward_and_gradfn(stage.fn(), {stage.hidden}, stage.keywords, {0});
  const InputGradients result = gradfn({gradient});
  ASSERT_EQ(result.positional.size(), 1U);
  EXPECT_TRUE(at::allclose(result.positional[0], stage.HiddenGradient(gradient), 1e-5, 1e-6));
  EXPECT_TRUE(result.keywords.empty());
}

TEST(ForwardAndGradfnTest, KeywordsReachTheFunctionUnchanged) {
  const LaterStage stage;
  const auto identity_of = [](const at::Tensor& tensor) { return tensor.unsafeGetTensorImpl(); };
  const auto fn = [&](const Tensors& args, const Keywords& given) {
    for (const auto& [name, tensor] : stage.keywords)
      EXPECT_EQ(identity_of(given.at(name)), identity_of(tensor)) << name;
    return stage(args, given);
  };
  auto [outputs, gradfn] = forward_and_gradfn(fn, {stage.hidden}, stage.keywords, {0});
  gradfn({at::ones({4, 3})});
  for (const auto& [name, tensor] : stage.keywords) {
    EXPECT_FALSE(tensor.requires_grad()) << name;
    EXPECT_FALSE(tensor.grad().defined()) << name;
    EXPECT_EQ(tensor._version(), 0) << name;
  }
  EXPECT_EQ(stage.keywords.at("input_ids").scalar_type(), at::kInt);
}

TEST(ForwardAndGradfnTest, ArgumentsStayAsTheyWere) {
  const LaterStage stage;
  auto [outputs, gradfn] = forward_and_gradfn(stage.fn(), {stage.hidden}, stage.keywords, {0});
  gradfn({at::ones({4, 3})});
  EXPECT_FALSE(stage.hidden.requires_grad());
  EXPECT_FALSE(stage.hidden.grad().defined());
}

TEST(ForwardAndGradfnTest, KeywordsTakePartInGradientsOfParameters) {
  const LaterStage stage;
  const at::Tensor gradient = at::randn({4, 3});
  auto [outputs, gradfn] = forward_and_gradfn(stage.fn(), {stage.hidden}, stage.keywords, {0});
  gradfn({gradient});
  EXPECT_TRUE(at::allclose(stage.weight.grad(),
                           at::mm(stage.hidden.t(), stage.SlopeOfTanh(gradient)), 1e-5, 1e-6));
  const at::Tensor expected = at::zeros({5, 3}).index_add(0, stage.keywords.at("input_ids"),
                                                          (gradient * stage.hidden).detach());
  EXPECT_TRUE(at::allclose(stage.embedding.grad(), expected, 1e-5, 1e-6));
}

TEST(ForwardAndGradfnTest, GradientsFlowThroughAKeywordToTheParameterItWasMadeFrom) {
  const at::Tensor scale = Parameter(at::tensor({2.0F}));
  const Keywords keywords = {{"scale", scale * 3}};
  const auto fn = [](const Tensors& args, const Keywords& given) {
    return Tensors{args[0] * given.at("scale")};
  };
  auto [outputs, gradfn] = forward_and_gradfn(fn, {at::tensor({5.0F})}, keywords, {0});
  EXPECT_EQ(gradfn({at::ones({1})}).positional[0].item<double>(), 6);
  EXPECT_EQ(scale.grad().item<double>(), 15);
}

TEST(ForwardAndGradfnTest, EmptyTupleGivesParameterGradientsAlone) {
  const LaterStage stage;
  auto [outputs, gradfn] =
      forward_and_gradfn(stage.fn(), {stage.hidden}, stage.keywords, GradPosition());
  EXPECT_TRUE(gradfn({at::ones({4, 3})}).positional.empty());
  EXPECT_TRUE(stage.weight.grad().defined());
}

TEST(ForwardAndGradfnTest, MinusOneMeansAllPositionalAndKeywordTensors) {
  const LaterStage stage;
  const at::Tensor gradient = at::randn({4, 3}), unused = at::ones({2}),
                   index = at::tensor({1}, at::kLong);
  Keywords keywords = stage.keywords;
  keywords["unused"] = at::ones({2});
  auto [outputs, gradfn] =
      forward_and_gradfn(stage.fn(), {stage.hidden, index, unused}, keywords, {GradPosition::kAll});
  const InputGradients result = gradfn({gradient});
  ASSERT_EQ(result.positional.size(), 3U);
  EXPECT_TRUE(at::allclose(result.positional[0], stage.HiddenGradient(gradient), 1e-5, 1e-6));
  EXPECT_FALSE(result.positional[1].defined());  // no floating dtype
  EXPECT_FALSE(result.positional[2].defined());  // the output does not depend on it
  ASSERT_EQ(result.keywords.size(), 1U);
  const at::Tensor mask_gradient =
      (gradient * at::tanh(at::mm(stage.hidden, stage.weight))).sum(1, /*keepdim=*/true);
  EXPECT_TRUE(at::allclose(result.keywords.at("mask"), mask_gradient, 1e-5, 1e-6));
  for (const auto& [name, tensor] : keywords) EXPECT_FALSE(tensor.requires_grad()) << name;
  EXPECT_TRUE(stage.weight.grad().defined());
}

TEST(ForwardAndGradfnTest, GraphOfAnArgumentIsNotEntered) {
  const at::Tensor before = Parameter(at::ones({2}));
  const auto fn = [](const Tensors& args, const Keywords&) { return Tensors{args[0] * 3}; };
  auto [outputs, gradfn] = forward_and_gradfn(fn, {before * 2}, {}, {0});
  EXPECT_EQ(gradfn({at::ones({2})}).positional[0].sum().item<double>(), 6);
  EXPECT_FALSE(before.grad().defined());
}

TEST(ForwardAndGradfnTest, PositionsMayBeAnyOfTheArguments) {
  const auto fn = [](const Tensors& args, const Keywords&) { return Tensors{args[0] * args[1]}; };
  const at::Tensor a = at::tensor({2.0F}), b = at::tensor({7.0F});
  auto second = forward_and_gradfn(fn, {a, b}, {}, {1});
  const InputGradients one = second.gradfn({at::ones({1})});
  ASSERT_EQ(one.positional.size(), 1U);
  EXPECT_EQ(one.positional[0].item<double>(), 2);
  auto both = forward_and_gradfn(fn, {a, b}, {}, {0, 1});
  const InputGradients two = both.gradfn({at::ones({1})});
  EXPECT_EQ(two.positional[0].item<double>(), 7);
  EXPECT_EQ(two.positional[1].item<double>(), 2);
}

TEST(ForwardAndGradfnTest, OutputsWithoutGradientAreLeftOut) {
  const auto fn = [](const Tensors& args, const Keywords&) {
    return Tensors{args[0] * 2, args[0] * 5, at::ones({1}, at::kLong)};
  };
  auto [outputs, gradfn] = forward_and_gradfn(fn, {at::ones({1})}, {}, {0});
  EXPECT_EQ(gradfn({{}, at::ones({1}), {}}).positional[0].item<double>(), 5);
}

TEST(ForwardAndGradfnTest, InputWithoutInfluenceHasNoGradient) {
  const auto fn = [](const Tensors& args, const Keywords&) { return Tensors{args[0] * 2}; };
  auto [outputs, gradfn] = forward_and_gradfn(fn, {at::ones({1}), at::ones({1})}, {}, {0, 1});
  EXPECT_FALSE(gradfn({at::ones({1})}).positional[1].defined());
}

TEST(ForwardAndGradfnTest, OneScalarMayGoWithoutGradient) {
  const auto fn = [](const Tensors& args, const Keywords&) { return Tensors{args[0].sum() * 4}; };
  auto [outputs, gradfn] = forward_and_gradfn(fn, {at::ones({3})}, {}, {0});
  EXPECT_TRUE(at::equal(gradfn({}).positional[0], at::full({3}, 4.0)));

  const auto wide = [](const Tensors& args, const Keywords&) { return Tensors{args[0] * 4}; };
  auto refused = forward_and_gradfn(wide, {at::ones({3})}, {}, {0});
  EXPECT_THAT(ErrorText<InternalError>([&] { refused.gradfn({}); }),
              HasSubstr("only one scalar may go without"));
}

TEST(ForwardAndGradfnTest, PositionThatIsNoArgumentIsRefused) {
  const auto fn = [](const Tensors& args, const Keywords&) { return args; };
  const Tensors args = {at::ones({1}), at::ones({1}, at::kLong)};
  const auto refusal = [&](const GradPosition& position) {
    return ErrorText<InternalError>([&] { forward_and_gradfn(fn, args, {}, position); });
  };
  EXPECT_THAT(refusal({2}), HasSubstr("grad position 2 of 2 arguments"));
  EXPECT_THAT(refusal({-2}), HasSubstr("grad position -2 of 2 arguments"));
  EXPECT_THAT(refusal({0, -1}), HasSubstr("grad position -1 of 2 arguments"));
  EXPECT_THAT(refusal({1}), HasSubstr("argument 1 has no floating dtype"));
}

TEST(ForwardAndGradfnTest, SecondDifferentiationIsRefused) {
  const auto fn = [](const Tensors& args, const Keywords&) { return Tensors{args[0] * 2}; };
  auto [outputs, gradfn] = forward_and_gradfn(fn, {at::ones({1})}, {}, {0});
  gradfn({at::ones({1})});
  EXPECT_THAT(ErrorText<InternalError>([&, &again = gradfn] { again({at::ones({1})}); }),
              HasSubstr("differentiated twice"));
}

TEST(ForwardAndGradfnTest, AnotherNumberOfGradientsIsRefused) {
  const auto fn = [](const Tensors& args, const Keywords&) { return Tensors{args[0], args[0]}; };
  auto [outputs, gradfn] = forward_and_gradfn(fn, {at::ones({1})}, {}, {0});
  EXPECT_THAT(ErrorText<InternalError>([&, &once = gradfn] { once({at::ones({1})}); }),
              HasSubstr("gradients of outputs"));
}

}  // namespace
}  // namespace hyperpp::pipeline
