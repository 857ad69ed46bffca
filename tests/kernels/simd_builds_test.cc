// Runs every build that this CPU can run, not only the one it would choose.
#include <cmath>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "hyperpp/kernels/optimizer_rows.h"
#include "hyperpp/kernels/row_sums.h"
#include "hyperpp/kernels/simd/builds.h"
#include "hyperpp/kernels/softmax_rows.h"

namespace hyperpp::kernels {
namespace {

struct Build {
  const char* name;
  const OptimizerRows* optimizer;
  const RowSums* sums;
  const SoftmaxRows* softmax;
};

std::vector<Build> RunnableBuilds() {
  std::vector<Build> builds = {
      {"plain", &plain::kOptimizerRows, &plain::kRowSums, &plain::kSoftmaxRows}};
#if defined(__x86_64__)
  if (Cpu().avx2)
    builds.push_back({"avx2", &avx2::kOptimizerRows, &avx2::kRowSums, &avx2::kSoftmaxRows});
  if (Cpu().avx512)
    builds.push_back({"avx512", &avx512::kOptimizerRows, &avx512::kRowSums, &avx512::kSoftmaxRows});
#endif
  return builds;
}

class SimdBuildsTest : public testing::TestWithParam<Build> {};

TEST_P(SimdBuildsTest, SoftmaxIsAccurateOverTheRangeOfExp) {
  for (int64_t size : {1, 3, 97, 5000}) {
    const at::Tensor logits = at::linspace(-100, 30, size, at::kFloat).contiguous();
    double sum = 0;
    const float largest = GetParam().softmax->sum_exp(logits.const_data_ptr<float>(), size, &sum);
    EXPECT_EQ(largest, logits.max().item<float>());
    const double expected = (logits.to(at::kDouble) - largest).exp().sum().item<double>();
    EXPECT_NEAR(sum / expected, 1, 3e-7) << size;

    at::Tensor out = at::empty({size});
    GetParam().softmax->softmax_fp32(logits.const_data_ptr<float>(), size, largest, 2,
                                     out.mutable_data_ptr<float>());
    const at::Tensor exact = (logits - largest).to(at::kDouble).exp() * 2;
    // Below e^-87.33 the result is zero.
    EXPECT_TRUE(((out - exact).abs() <= exact * 2.5e-7 + 2.4e-38).all().item<bool>()) << size;
  }
}

TEST_P(SimdBuildsTest, SoftmaxKeepsInfinitiesAndNan) {
  const float inf = INFINITY;
  const std::vector<float> logits = {-inf, 0, 88.7f, 89, inf, NAN};
  std::vector<float> out(logits.size());
  GetParam().softmax->softmax_fp32(logits.data(), 6, 0, 1, out.data());
  EXPECT_EQ(out[0], 0);
  EXPECT_EQ(out[1], 1);
  EXPECT_NEAR(out[2] / std::exp(double{88.7f}), 1, 2e-7);
  EXPECT_EQ(out[3], inf);
  EXPECT_EQ(out[4], inf);
  EXPECT_TRUE(std::isnan(out[5]));
}

TEST_P(SimdBuildsTest, ConversionsAgreeWithAten) {
  for (int64_t size : {1, 15, 64, 1001}) {
    const at::Tensor fp32 = at::randn({size}) * 1e3, bf16 = fp32.to(at::kBFloat16);
    at::Tensor to_bf16 = at::empty({size}, at::kBFloat16), to_fp32 = at::empty({size});
    auto* bits = static_cast<uint16_t*>(to_bf16.mutable_data_ptr());
    GetParam().optimizer->fp32_to_bf16(fp32.const_data_ptr<float>(), bits, size);
    GetParam().optimizer->bf16_to_fp32(bits, to_fp32.mutable_data_ptr<float>(), size);
    EXPECT_TRUE(at::equal(to_bf16, bf16));
    EXPECT_TRUE(at::equal(to_fp32, bf16.to(at::kFloat)));
  }
}

TEST_P(SimdBuildsTest, WritesNothingBehindTheRow) {
  for (int64_t size : {1, 3, 7, 15, 17, 33}) {
    at::Tensor out = at::zeros({size + 20}), row = at::ones({size + 20});
    GetParam().sums->add_row_fp32(row.const_data_ptr<float>(), out.mutable_data_ptr<float>(), size);
    EXPECT_EQ(out.sum().item<float>(), static_cast<float>(size));
  }
}

TEST_P(SimdBuildsTest, SumsAndStepsAgreeWithAten) {
  const int64_t size = 103, num_rows = 130;
  const at::Tensor rows = at::randn({num_rows, size});
  at::Tensor sum = at::zeros({size});
  GetParam().sums->add_columns_fp32(rows.const_data_ptr<float>(), size, num_rows,
                                    sum.mutable_data_ptr<float>(), size);
  EXPECT_LT((sum - rows.sum(0)).abs().max().item<double>(), 2e-5);
  const TwoDoubles squares =
      GetParam().optimizer->sum_of_squares_fp32(rows.const_data_ptr<float>(), rows.numel());
  EXPECT_NEAR((squares.high + squares.low) / rows.to(at::kDouble).square().sum().item<double>(), 1,
              1e-13);

  at::Tensor weight = at::ones({size}), average = at::zeros({size}), square = at::zeros({size});
  GetParam().optimizer->adamw(weight.mutable_data_ptr<float>(), rows.const_data_ptr<float>(),
                              average.mutable_data_ptr<float>(), square.mutable_data_ptr<float>(),
                              nullptr, size, {1, 1, 0.1f, 0.95f, 0.05f, 0.5f, 2, 1e-8f});
  const at::Tensor expected =
      1 - 0.5 * 0.1 * rows[0] / ((0.05 * rows[0] * rows[0]).sqrt() * 2 + 1e-8);
  EXPECT_LT((weight - expected).abs().max().item<double>(), 5e-7);
}

INSTANTIATE_TEST_SUITE_P(Builds, SimdBuildsTest, testing::ValuesIn(RunnableBuilds()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace hyperpp::kernels
