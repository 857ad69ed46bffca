// Every build of the row kernels of rms_norm, rotary and swiglu gives the numbers of the plain one,
// which the tests of those functions do not reach on a CPU with wider vectors.
#include <functional>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "hyperpp/kernels/rms_norm_rows.h"
#include "hyperpp/kernels/rotary_rows.h"
#include "hyperpp/kernels/swiglu_rows.h"
#include "tests/kernels/builds.h"

namespace hyperpp::kernels {
namespace {

using Tensors = std::vector<at::Tensor>;

// Compares what `run` gives for each build with what it gives for the first.
template <typename Table>
void ExpectAgreement(const std::vector<std::pair<const char*, const Table*>>& builds,
                     const std::function<Tensors(const Table&)>& run, double tolerance) {
  const Tensors expected = run(*builds[0].second);
  for (const auto& [build, table] : builds) {
    const Tensors actual = run(*table);
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_TRUE(expected[i].isfinite().all().item<bool>());
      EXPECT_TRUE(
          at::allclose(actual[i].to(at::kFloat), expected[i].to(at::kFloat), tolerance, tolerance))
          << build << ", result " << i;
    }
  }
}

double ToleranceOf(at::ScalarType dtype) { return dtype == at::kFloat ? 4e-6 : 8e-3; }

TEST(RowBuildsTest, RmsNorm) {
  for (at::ScalarType dtype : {at::kFloat, at::kBFloat16}) {
    at::manual_seed(1);
    constexpr int64_t kRows = 5, kSize = 77;
    const at::Tensor x = at::randn({kRows, kSize}).to(dtype),
                     grad = at::randn({kRows, kSize}).to(dtype);
    const at::Tensor weight = at::rand({kSize});
    const auto run = [&](const RmsNormRows& table) -> Tensors {
      Tensors r{at::empty_like(x), at::empty_like(x), at::empty({kRows}), at::empty_like(x),
                at::ones({kSize})};
      const bool fp32 = dtype == at::kFloat;
      (fp32 ? table.forward_fp32 : table.forward_bf16)(
          {x.const_data_ptr(), grad.const_data_ptr(), weight.const_data_ptr<float>(),
           r[0].mutable_data_ptr(), r[1].mutable_data_ptr(), r[2].mutable_data_ptr<float>(), kRows,
           kSize, 1e-5f});
      (fp32 ? table.backward_fp32 : table.backward_bf16)(
          {grad.const_data_ptr(), x.const_data_ptr(), r[1].const_data_ptr(),
           r[2].const_data_ptr<float>(), weight.const_data_ptr<float>(), r[3].mutable_data_ptr(),
           r[4].mutable_data_ptr<float>(), kRows, kSize});
      table.add_fp32(r[4].mutable_data_ptr<float>(), weight.const_data_ptr<float>(), kSize);
      return r;
    };
    ExpectAgreement<RmsNormRows>(HYPERPP_TEST_BUILDS(RmsNormRows, kRmsNormRows), run,
                                 ToleranceOf(dtype));
  }
}

TEST(RowBuildsTest, Rotary) {
  for (at::ScalarType dtype : {at::kFloat, at::kBFloat16}) {
    at::manual_seed(2);
    constexpr int64_t kTokens = 4, kHeads = 3, kDim = 50, kRotated = 42;
    const at::Tensor x = at::randn({kTokens, kHeads, kDim}).to(dtype);
    const at::Tensor grad = at::randn({kTokens, kHeads, kDim}).to(dtype);
    const at::Tensor cos = at::randn({9, kRotated / 2}), sin = at::randn({9, kRotated / 2});
    const at::Tensor positions = at::tensor({8, 0, 3, 3}, at::kInt), weight = at::rand({kDim});
    const auto run = [&](const RotaryRows& table) -> Tensors {
      Tensors r{at::empty_like(x), at::empty({kTokens, kHeads}), at::empty_like(x),
                at::ones({kDim})};
      at::Tensor scratch = at::empty({kDim});
      const bool fp32 = dtype == at::kFloat;
      (fp32 ? table.forward_fp32 : table.forward_bf16)(
          {x.const_data_ptr(), x.stride(0), x.stride(1), cos.const_data_ptr<float>(),
           sin.const_data_ptr<float>(), positions.const_data_ptr<int32_t>(),
           weight.const_data_ptr<float>(), r[0].mutable_data_ptr(), r[1].mutable_data_ptr<float>(),
           0, kTokens, kHeads, kDim, kRotated, 1e-6f});
      (fp32 ? table.backward_fp32 : table.backward_bf16)(
          {grad.const_data_ptr(), x.stride(0), x.stride(1), x.const_data_ptr(), x.stride(0),
           x.stride(1), cos.const_data_ptr<float>(), sin.const_data_ptr<float>(),
           positions.const_data_ptr<int32_t>(), weight.const_data_ptr<float>(),
           r[1].const_data_ptr<float>(), r[2].mutable_data_ptr(), r[3].mutable_data_ptr<float>(),
           scratch.mutable_data_ptr<float>(), 0, kTokens, kHeads, kDim, kRotated});
      return r;
    };
    ExpectAgreement<RotaryRows>(HYPERPP_TEST_BUILDS(RotaryRows, kRotaryRows), run,
                                ToleranceOf(dtype));
  }
}

TEST(RowBuildsTest, Swiglu) {
  for (at::ScalarType dtype : {at::kFloat, at::kBFloat16}) {
    constexpr int64_t kSize = 301;
    const at::Tensor gate = at::linspace(-200, 200, kSize).to(dtype);
    const at::Tensor up = at::linspace(1, 2, kSize).to(dtype);
    const auto run = [&](const SwigluRows& table) -> Tensors {
      Tensors r{at::empty_like(gate), at::empty_like(gate), at::empty_like(gate)};
      const bool fp32 = dtype == at::kFloat;
      (fp32 ? table.forward_fp32 : table.forward_bf16)(gate.const_data_ptr(), up.const_data_ptr(),
                                                       r[0].mutable_data_ptr(), kSize);
      (fp32 ? table.backward_fp32 : table.backward_bf16)(
          up.const_data_ptr(), gate.const_data_ptr(), up.const_data_ptr(), r[1].mutable_data_ptr(),
          r[2].mutable_data_ptr(), kSize);
      return r;
    };
    ExpectAgreement<SwigluRows>(HYPERPP_TEST_BUILDS(SwigluRows, kSwigluRows), run,
                                ToleranceOf(dtype));
  }
}

}  // namespace
}  // namespace hyperpp::kernels
