#include "hyperpp/kernels/cross_entropy.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "hyperpp/core/error.h"
#include "hyperpp/kernels/softmax_rows.h"

namespace hyperpp::kernels {
namespace {

constexpr double kTokenWeight = 0.37;

struct Head {
  at::Tensor x_TH, weight_VH, labels_T;

  Head(int64_t tokens, int64_t hidden, int64_t vocabulary, at::ScalarType dtype) {
    at::manual_seed(vocabulary);
    x_TH = at::randn({tokens, hidden}).to(dtype);
    weight_VH = (at::randn({vocabulary, hidden}) * 0.3).to(dtype);
    labels_T = at::randint(vocabulary, {tokens}, at::kLong);
    labels_T[0] = 0;
    labels_T[1] = vocabulary - 1;
  }
};

struct Expected {
  double loss_sum;
  at::Tensor grad_x_TH, grad_weight_VH;
};

// The definition, in double.
Expected InDouble(const Head& head) {
  const at::Tensor x = head.x_TH.to(at::kDouble), weight = head.weight_VH.to(at::kDouble);
  const at::Tensor labelled_T = head.labels_T >= 0;
  const at::Tensor labels_T1 = head.labels_T.clamp_min(0).unsqueeze(1);
  const at::Tensor log_p = at::log_softmax(at::mm(x, weight.t()), 1);
  const at::Tensor loss_T = -log_p.gather(1, labels_T1).squeeze(1) * labelled_T;
  at::Tensor grad = log_p.exp();
  grad.scatter_add_(1, labels_T1, -at::ones_like(labels_T1, at::kDouble));
  grad = grad * labelled_T.unsqueeze(1) * kTokenWeight;
  return {loss_T.sum().item<double>(), at::mm(grad, weight), at::mm(grad.t(), x)};
}

double RelativeError(const at::Tensor& value, const at::Tensor& expected) {
  return ((value.to(at::kDouble) - expected).norm() / expected.norm()).item<double>();
}

class HeadCrossEntropyTest : public testing::TestWithParam<at::ScalarType> {
 protected:
  // bf16 rounds the gradient of the logits, and that of x, to 8 bits.
  double GradientTolerance() const { return GetParam() == at::kFloat ? 2e-6 : 4e-3; }
};

TEST_P(HeadCrossEntropyTest, LossAndGradientsAgreeWithDouble) {
  for (int threads : {1, 2}) {
    at::set_num_threads(threads);
    for (int64_t vocabulary : {2, 97, 4099}) {
      const Head head(70, 33, vocabulary, GetParam());
      const Expected expected = InDouble(head);
      at::Tensor accumulator_VH = at::zeros({vocabulary, 33});
      const HeadLossResult result = HeadCrossEntropy(head.x_TH, head.weight_VH, head.labels_T,
                                                     kTokenWeight, accumulator_VH, {});
      EXPECT_NEAR(result.loss_sum.item<double>() / expected.loss_sum, 1, 5e-7);
      EXPECT_EQ(result.grad_x_TH.scalar_type(), GetParam());
      EXPECT_LT(RelativeError(result.grad_x_TH, expected.grad_x_TH), GradientTolerance());
      EXPECT_LT(RelativeError(accumulator_VH, expected.grad_weight_VH), GradientTolerance());
    }
  }
}

TEST_P(HeadCrossEntropyTest, TokensWithoutLabelCountNowhere) {
  Head head(70, 33, 97, GetParam());
  head.labels_T.slice(0, 0, 70, 3).fill_(-100);
  head.labels_T[1] = -1;
  const Expected expected = InDouble(head);
  at::Tensor accumulator_VH = at::zeros({97, 33});
  const HeadLossResult result =
      HeadCrossEntropy(head.x_TH, head.weight_VH, head.labels_T, kTokenWeight, accumulator_VH, {});
  EXPECT_NEAR(result.loss_sum.item<double>() / expected.loss_sum, 1, 5e-7);
  EXPECT_LT(RelativeError(result.grad_x_TH, expected.grad_x_TH), GradientTolerance());
  EXPECT_LT(RelativeError(accumulator_VH, expected.grad_weight_VH), GradientTolerance());
  for (int64_t token : {0, 1, 3, 69})
    EXPECT_EQ(result.grad_x_TH[token].abs().max().item<double>(), 0) << token;
}

TEST_P(HeadCrossEntropyTest, NoLabelAtAllGivesZeros) {
  Head head(5, 8, 97, GetParam());
  head.labels_T.fill_(-100);
  at::Tensor accumulator_VH = at::ones({97, 8});
  const HeadLossResult result =
      HeadCrossEntropy(head.x_TH, head.weight_VH, head.labels_T, kTokenWeight, accumulator_VH, {});
  EXPECT_EQ(result.loss_sum.item<double>(), 0);
  EXPECT_TRUE(at::equal(result.grad_x_TH, at::zeros_like(head.x_TH)));
  EXPECT_TRUE(at::equal(accumulator_VH, at::ones({97, 8})));
}

TEST_P(HeadCrossEntropyTest, ChunksChangeTheGradientByRoundingOnly) {
  const Head head(70, 33, 97, GetParam());
  at::Tensor whole_VH = at::zeros({97, 33}), chunked_VH = at::zeros({97, 33});
  const HeadLossResult whole =
      HeadCrossEntropy(head.x_TH, head.weight_VH, head.labels_T, kTokenWeight, whole_VH, {});
  const HeadLossResult chunked = HeadCrossEntropy(head.x_TH, head.weight_VH, head.labels_T,
                                                  kTokenWeight, chunked_VH, {true, 16});
  EXPECT_NEAR(chunked.loss_sum.item<double>() / whole.loss_sum.item<double>(), 1, 1e-7);
  EXPECT_LT(RelativeError(chunked.grad_x_TH, whole.grad_x_TH.to(at::kDouble)), 1e-3);
  EXPECT_LT(RelativeError(chunked_VH, whole_VH.to(at::kDouble)), 1e-6);
}

TEST_P(HeadCrossEntropyTest, WithoutGradientOnlyTheLoss) {
  const Head head(20, 33, 97, GetParam());
  const HeadLossResult with =
      HeadCrossEntropy(head.x_TH, head.weight_VH, head.labels_T, kTokenWeight, {}, {});
  const HeadLossResult without =
      HeadCrossEntropy(head.x_TH, head.weight_VH, head.labels_T, kTokenWeight, {}, {false, 0});
  EXPECT_EQ(without.loss_sum.item<double>(), with.loss_sum.item<double>());
  EXPECT_FALSE(without.grad_x_TH.defined());
}

TEST_P(HeadCrossEntropyTest, RepeatsBitByBit) {
  at::set_num_threads(2);
  const Head head(70, 33, 4099, GetParam());
  at::Tensor first_VH = at::zeros({4099, 33}), second_VH = at::zeros({4099, 33});
  const HeadLossResult first =
      HeadCrossEntropy(head.x_TH, head.weight_VH, head.labels_T, kTokenWeight, first_VH, {});
  const HeadLossResult second =
      HeadCrossEntropy(head.x_TH, head.weight_VH, head.labels_T, kTokenWeight, second_VH, {});
  EXPECT_EQ(first.loss_sum.item<double>(), second.loss_sum.item<double>());
  EXPECT_TRUE(at::equal(first.grad_x_TH, second.grad_x_TH));
  EXPECT_TRUE(at::equal(first_VH, second_VH));
}

TEST_P(HeadCrossEntropyTest, LargeLogitsDoNotOverflow) {
  Head head(4, 8, 97, GetParam());
  head.weight_VH.mul_(300);
  const HeadLossResult result =
      HeadCrossEntropy(head.x_TH, head.weight_VH, head.labels_T, kTokenWeight, {}, {});
  EXPECT_NEAR(result.loss_sum.item<double>() / InDouble(head).loss_sum, 1, 1e-6);
}

TEST_P(HeadCrossEntropyTest, NonFiniteInputGivesNonFiniteLoss) {
  Head head(4, 8, 97, GetParam());
  head.x_TH[2][3] = std::nan("");
  const HeadLossResult result =
      HeadCrossEntropy(head.x_TH, head.weight_VH, head.labels_T, kTokenWeight, {}, {});
  EXPECT_TRUE(std::isnan(result.loss_sum.item<double>()));
}

TEST_P(HeadCrossEntropyTest, LabelOutsideTheVocabularyIsRefused) {
  Head head(4, 8, 97, GetParam());
  head.labels_T[3] = 97;
  EXPECT_THROW(HeadCrossEntropy(head.x_TH, head.weight_VH, head.labels_T, 1, {}, {}), InputError);
}

struct Part {
  HeadLossResult result;
  at::Tensor grad_weight_VH;
};

// What the ranks of a split vocabulary compute, in one process: a first pass records what each part
// hands in, a second one gives all of them what everyone handed in.
std::vector<Part> InParts(const Head& head, int num_parts, int64_t chunk_tokens) {
  const int64_t whole = head.weight_VH.size(0), size = whole / num_parts;
  std::vector<Part> parts(num_parts);
  const auto run = [&](int part, const auto& gather) {
    parts[part].grad_weight_VH = at::zeros({size, head.x_TH.size(1)});
    parts[part].result = HeadCrossEntropy(
        head.x_TH, head.weight_VH.narrow(0, part * size, size), head.labels_T, kTokenWeight,
        parts[part].grad_weight_VH,
        {.chunk_tokens = chunk_tokens, .part = {part * size, whole}, .gather_parts = gather});
  };
  std::vector<std::vector<at::Tensor>> of_chunk;
  for (int part = 0; part < num_parts; ++part) {
    std::size_t chunk = 0;
    run(part, [&](const at::Tensor& numbers) {
      if (chunk == of_chunk.size()) of_chunk.emplace_back();
      of_chunk[chunk++].push_back(numbers.clone());
      return at::stack(std::vector<at::Tensor>(num_parts, numbers));
    });
  }
  for (int part = 0; part < num_parts; ++part) {
    std::size_t chunk = 0;
    run(part, [&](const at::Tensor&) { return at::stack(of_chunk[chunk++]); });
  }
  return parts;
}

TEST_P(HeadCrossEntropyTest, PartsOfTheVocabularyAddUpToTheWhole) {
  for (int num_parts : {2, 3}) {
    Head head(70, 33, 96, GetParam());
    const int64_t size = 96 / num_parts;
    for (int part = 0; part < num_parts; ++part) {  // both borders of each part
      head.labels_T[2 * part] = part * size;
      head.labels_T[2 * part + 1] = (part + 1) * size - 1;
    }
    head.labels_T.slice(0, 10, 70, 3).fill_(-100);
    const Expected expected = InDouble(head);
    at::Tensor grad_x_TH = at::zeros({70, 33});
    std::vector<at::Tensor> grad_weight;
    for (const Part& part : InParts(head, num_parts, 16)) {
      EXPECT_NEAR(part.result.loss_sum.item<double>() / expected.loss_sum, 1, 5e-7);
      grad_x_TH += part.result.grad_x_TH;
      grad_weight.push_back(part.grad_weight_VH);
    }
    EXPECT_LT(RelativeError(grad_x_TH, expected.grad_x_TH), GradientTolerance());
    EXPECT_LT(RelativeError(at::cat(grad_weight), expected.grad_weight_VH), GradientTolerance());
  }
}

TEST_P(HeadCrossEntropyTest, PartsWithLargeLogitsDoNotOverflow) {
  Head head(4, 8, 96, GetParam());
  head.weight_VH.mul_(300);
  for (const Part& part : InParts(head, 2, 0))
    EXPECT_NEAR(part.result.loss_sum.item<double>() / InDouble(head).loss_sum, 1, 1e-6);
}

TEST_P(HeadCrossEntropyTest, NonFiniteLogitOfOnePartShowsInTheLossOfAll) {
  Head head(4, 8, 96, GetParam());
  head.weight_VH[95].fill_(std::nan(""));
  for (const Part& part : InParts(head, 2, 0))
    EXPECT_TRUE(std::isnan(part.result.loss_sum.item<double>()));
}

TEST_P(HeadCrossEntropyTest, LabelOutsideTheWholeVocabularyIsRefusedByEveryPart) {
  Head head(4, 8, 96, GetParam());
  head.labels_T[3] = 96;
  EXPECT_THROW(HeadCrossEntropy(head.x_TH, head.weight_VH.narrow(0, 0, 48), head.labels_T, 1, {},
                                {.part = {0, 96},
                                 .gather_parts =
                                     [](const at::Tensor& x) {
                                       return at::stack({x, x});
                                     }}),
               InputError);
}

INSTANTIATE_TEST_SUITE_P(Dtypes, HeadCrossEntropyTest, testing::Values(at::kFloat, at::kBFloat16));

}  // namespace
}  // namespace hyperpp::kernels
