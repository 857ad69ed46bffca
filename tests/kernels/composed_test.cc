// The kernels in ATen operations, which run where there are no own kernels (GPUs), against the own
// ones on the CPU. Attention's are in attention_test.cc.
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gmock/gmock.h>

#include "hyperpp/kernels/cross_entropy.h"
#include "hyperpp/kernels/cross_entropy_composed.h"
#include "hyperpp/kernels/embedding_composed.h"
#include "hyperpp/kernels/matrix_product.h"
#include "hyperpp/kernels/optimizer_step_composed.h"
#include "hyperpp/kernels/rms_norm_composed.h"
#include "hyperpp/kernels/rotary_composed.h"
#include "hyperpp/kernels/swiglu_composed.h"
#include "hyperpp/kernels/to_device.h"

namespace hyperpp::kernels {
namespace {

// Largest difference over the largest magnitude.
double Error(const at::Tensor& actual, const at::Tensor& expected) {
  const at::Tensor wide = expected.to(at::kDouble);
  return ((actual.to(at::kDouble) - wide).abs().max() / wide.abs().max()).item<double>();
}

class ComposedTest : public testing::TestWithParam<at::ScalarType> {
 protected:
  ComposedTest() {
    at::set_num_threads(1);
    at::manual_seed(1);
  }
  at::Tensor Draw(at::IntArrayRef sizes) const { return at::randn(sizes).to(GetParam()); }
  // fp32: sums in another order. bf16: one rounding to 8 bits.
  double Rounding() const { return GetParam() == at::kFloat ? 2e-6 : 8e-3; }
  void ExpectNear(const at::Tensor& actual, const at::Tensor& expected) const {
    EXPECT_EQ(actual.scalar_type(), expected.scalar_type());
    EXPECT_EQ(actual.sizes(), expected.sizes());
    EXPECT_LT(Error(actual, expected), Rounding());
  }
};

TEST_P(ComposedTest, RmsNormIsThatOfTheOwnKernel) {
  const at::Tensor weight = at::rand({48});
  for (const at::Tensor& residual : {at::Tensor(), Draw({37, 48})}) {
    const at::Tensor x = Draw({37, 48}), grad_y = Draw({37, 48});
    const at::Tensor grad_sum = residual.defined() ? Draw({37, 48}) : at::Tensor();
    const RmsNormResult own = RmsNormForward(x, residual, weight, 1e-5);
    const RmsNormResult composed = ComposedRmsNormForward(x, residual, weight, 1e-5);
    ExpectNear(composed.y_TH, own.y_TH);
    EXPECT_TRUE(composed.sum_TH.equal(own.sum_TH));
    ExpectNear(composed.rstd_T, own.rstd_T);
    at::Tensor own_weight = at::ones({48}), composed_weight = at::ones({48});
    ExpectNear(
        ComposedRmsNormBackward(grad_y, grad_sum, own.sum_TH, own.rstd_T, weight, composed_weight),
        RmsNormBackward(grad_y, grad_sum, own.sum_TH, own.rstd_T, weight, own_weight));
    ExpectNear(composed_weight, own_weight);
  }
}

TEST_P(ComposedTest, RotaryIsThatOfTheOwnKernel) {
  const at::Tensor angle = at::rand({20, 4}) * 6;
  const RotaryTables tables{angle.cos(), angle.sin(), at::randint(20, {31}, at::kInt)};
  for (const at::Tensor& weight : {at::Tensor(), at::rand({10})}) {  // 8 of 10 dims are rotated
    const HeadNorm norm{weight, 1e-6};
    const at::Tensor x = Draw({31, 3, 12}).narrow(2, 0, 10), grad = Draw({31, 3, 10});
    const RotaryResult own = RotaryForward(x, tables, norm);
    const RotaryResult composed = ComposedRotaryForward(x, tables, norm);
    ExpectNear(composed.out_TND, own.out_TND);
    at::Tensor own_weight = at::zeros({10}), composed_weight = at::zeros({10});
    ExpectNear(ComposedRotaryBackward(grad, weight.defined() ? x : at::Tensor(), own.rstd_TN,
                                      tables, norm, composed_weight),
               RotaryBackward(grad, x, own.rstd_TN, tables, norm, own_weight));
    if (!weight.defined()) continue;
    ExpectNear(composed.rstd_TN, own.rstd_TN);
    ExpectNear(composed_weight, own_weight);
  }
}

TEST_P(ComposedTest, SwigluIsThatOfTheOwnKernel) {
  const at::Tensor halves = Draw({29, 2 * 24}), grad = Draw({29, 24});
  const at::Tensor gate = halves.narrow(1, 0, 24), up = halves.narrow(1, 24, 24);
  ExpectNear(ComposedSwigluForward(gate, up), SwigluForward(gate, up));
  const auto own = SwigluBackward(grad, gate, up);
  const auto composed = ComposedSwigluBackward(grad, gate, up);
  ExpectNear(composed.first, own.first);
  ExpectNear(composed.second, own.second);
}

TEST_P(ComposedTest, EmbeddingIsThatOfTheOwnKernel) {
  const at::Tensor weight = Draw({23, 8}), ids = at::randint(20, {50}, at::kLong);
  const at::Tensor grad = Draw({50, 8});
  for (const at::ScalarType dtype : {at::kFloat, at::kBFloat16})
    EXPECT_TRUE(
        ComposedEmbeddingForward(ids, weight, dtype).equal(EmbeddingForward(ids, weight, dtype)));
  at::Tensor own = at::ones({23, 8}), composed = at::ones({23, 8});
  AccumulateEmbeddingGradient(ids, grad, own);
  ComposedAccumulateEmbeddingGradient(ids, grad, composed);
  ExpectNear(composed, own);
}

TEST_P(ComposedTest, LossAndItsGradientAreThoseOfTheOwnKernel) {
  const int64_t tokens = 40, hidden = 16, vocabulary = 97;
  const at::Tensor x = Draw({tokens, hidden}), weight = Draw({vocabulary, hidden});
  const at::Tensor labels = at::randint(vocabulary, {tokens}, at::kLong);
  at::Tensor own_weight = at::zeros({vocabulary, hidden});
  const HeadLossResult own = HeadCrossEntropy(x, weight, labels, 0.37, own_weight, {});
  const double own_loss = own.loss_sum.item<double>();

  at::Tensor logits = at::empty({tokens, vocabulary});
  MultiplyIntoFp32(logits, x, weight.t(), false);
  const at::Tensor unchanged = logits.clone();
  EXPECT_NEAR(ComposedLossSum(logits, labels, 0.37, {}).item<double>() / own_loss, 1, 1e-6);
  EXPECT_TRUE(logits.equal(unchanged));
  const at::Tensor grad =
      GetParam() == at::kFloat ? logits : at::empty({tokens, vocabulary}, x.options());
  EXPECT_NEAR(ComposedLossSum(logits, labels, 0.37, grad).item<double>() / own_loss, 1, 1e-6);
  at::Tensor composed_weight = at::zeros({vocabulary, hidden});
  MultiplyIntoFp32(composed_weight, grad.t(), x, false);
  ExpectNear(composed_weight, own_weight);
  ExpectNear(Multiply(grad, weight), own.grad_x_TH);
}

// Each part of a split vocabulary runs twice: to hand in its numbers, and with those of all parts.
TEST_P(ComposedTest, PartsOfTheVocabularyMakeTheLossAndGradientOfTheWhole) {
  const int64_t tokens = 12, vocabulary = 30;
  const at::Tensor logits = at::randn({tokens, vocabulary});
  const at::Tensor labels = at::randint(vocabulary, {tokens}, at::kLong);
  const at::Tensor whole = at::empty({tokens, vocabulary}, Draw({1}).options());
  const double expected = ComposedLossSum(logits.clone(), labels, 0.37, whole).item<double>();
  std::vector<at::Tensor> numbers;
  const auto loss_of_part = [&](int64_t first, int64_t size, const at::Tensor& grad) {
    HeadLossOptions options{.part = {first, vocabulary}};
    options.gather_parts = [&](const at::Tensor& own) {
      if (!grad.defined()) numbers.push_back(own);
      return at::stack(numbers);
    };
    const at::Tensor part = logits.narrow(1, first, size).clone();
    return ComposedLossSum(part, labels, 0.37, grad, options).item<double>();
  };
  loss_of_part(0, 20, {});
  loss_of_part(20, 10, {});
  for (const auto& [first, size] : {std::pair<int64_t, int64_t>{0, 20}, {20, 10}}) {
    const at::Tensor grad = at::empty({tokens, size}, whole.options());
    EXPECT_NEAR(loss_of_part(first, size, grad) / expected, 1, 1e-6);
    ExpectNear(grad, whole.narrow(1, first, size));
  }
}

TEST_P(ComposedTest, PartsOfTheEmbeddingAddUpToTheWhole) {
  const at::Tensor weight = Draw({23, 8}), ids = at::randint(23, {50}, at::kLong);
  const at::Tensor grad = Draw({50, 8});
  at::Tensor rows = at::zeros({50, 8}), gradient = at::zeros({23, 8});
  for (const auto& [first, size] : {std::pair<int64_t, int64_t>{0, 13}, {13, 10}}) {
    const VocabularyPart part{first, 23};
    rows += ComposedEmbeddingForward(ids, weight.narrow(0, first, size), at::kFloat, part);
    ComposedAccumulateEmbeddingGradient(ids, grad, gradient.narrow(0, first, size), part);
  }
  EXPECT_TRUE(rows.equal(ComposedEmbeddingForward(ids, weight, at::kFloat)));
  at::Tensor expected = at::zeros({23, 8});
  ComposedAccumulateEmbeddingGradient(ids, grad, expected);
  ExpectNear(gradient, expected);
}

TEST_P(ComposedTest, SumOfSquaresIsThatOfTheOwnKernel) {
  const at::Tensor x = Draw({5001});
  EXPECT_NEAR(ComposedSumOfSquares(x).item<double>() / SumOfSquares(x).Value(), 1, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Dtypes, ComposedTest, testing::Values(at::kFloat, at::kBFloat16));

TEST(ComposedOptimizerTest, AdamWIsThatOfTheOwnKernelOverSteps) {
  at::manual_seed(2);
  at::Tensor own = at::randn({1000}), own_avg = at::zeros({1000}), own_sq = at::zeros({1000});
  at::Tensor composed = own.clone(), avg = own_avg.clone(), sq = own_sq.clone();
  for (int64_t step = 1; step <= 5; ++step) {
    const AdamWStep options{0.01, 0.9, 0.95, 1e-8, 0.1, step, 0.5};
    const at::Tensor gradient = at::randn({1000});
    AdamW(own, gradient, own_avg, own_sq, {}, options);
    ComposedAdamW(composed, gradient, avg, sq, options);
  }
  EXPECT_LT(Error(composed, own), 1e-6);
  EXPECT_LT(Error(avg, own_avg), 1e-6);
  EXPECT_LT(Error(sq, own_sq), 1e-6);
}

TEST(ComposedOptimizerTest, SgdIsThatOfTheOwnKernelOverSteps) {
  at::manual_seed(3);
  for (const double momentum : {0.0, 0.9}) {
    at::Tensor own = at::randn({1000}), composed = own.clone();
    at::Tensor own_buffer = momentum == 0 ? at::Tensor() : at::full({1000}, std::nan(""));
    at::Tensor buffer = momentum == 0 ? at::Tensor() : own_buffer.clone();
    for (int64_t step = 1; step <= 4; ++step) {
      const SgdStep options{0.1, momentum, 0.05, step, 0.5};
      const at::Tensor gradient = at::randn({1000});
      Sgd(own, gradient, own_buffer, {}, options);
      ComposedSgd(composed, gradient, buffer, options);
    }
    EXPECT_LT(Error(composed, own), 1e-6);
  }
}

TEST(ToDeviceTest, HostTensorsStayWhereTheCpuComputes) {
  const at::Tensor host = at::ones({3});
  EXPECT_TRUE(ToDevice(host, at::kCPU).is_alias_of(host));
}

}  // namespace
}  // namespace hyperpp::kernels
