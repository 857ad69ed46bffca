#include "hyperpp/kernels/swiglu.h"

#include <limits>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <torch/csrc/autograd/autograd.h>

#include "hyperpp/core/error.h"

namespace hyperpp::kernels {
namespace {

double Error(const at::Tensor& actual, const at::Tensor& expected) {
  return ((actual.to(at::kDouble) - expected).abs().max() / expected.abs().max()).item<double>();
}

TEST(SwigluTest, MatchesDoublePrecisionForwardAndBackward) {
  at::set_num_threads(1);
  at::manual_seed(1);
  for (at::ScalarType dtype : {at::kFloat, at::kBFloat16}) {
    for (int64_t size : {1, 7, 48, 333}) {
      const double rounding = dtype == at::kFloat ? 4e-7 : 4e-3;
      const at::Tensor both = at::randn({61, 2 * size}).mul(4).to(dtype);
      const at::Tensor gate = both.narrow(1, 0, size), up = both.narrow(1, size, size);
      const at::Tensor grad = at::randn({61, size + 5}).to(dtype).narrow(1, 2, size);
      const at::Tensor gate_d = gate.to(at::kDouble).requires_grad_();
      const at::Tensor up_d = up.to(at::kDouble).requires_grad_();
      const at::Tensor expected = gate_d * at::sigmoid(gate_d) * up_d;
      const at::Tensor out = SwigluForward(gate, up);
      EXPECT_TRUE(out.is_contiguous());
      EXPECT_LT(Error(out, expected.detach()), rounding);
      const auto grads = torch::autograd::grad({expected}, {gate_d, up_d}, {grad.to(at::kDouble)});
      const auto [grad_gate, grad_up] = SwigluBackward(grad, gate, up);
      EXPECT_LT(Error(grad_gate, grads[0]), rounding);
      EXPECT_LT(Error(grad_up, grads[1]), rounding);
    }
  }
}

TEST(SwigluTest, ExtremeGatesStayFinite) {
  const at::Tensor gate = at::tensor({-1e4f, -90.0f, 0.0f, 90.0f, 1e4f}).unsqueeze(0);
  const at::Tensor up = at::ones({1, 5});
  const at::Tensor out = SwigluForward(gate, up);
  EXPECT_TRUE(at::allclose(out, at::tensor({0.0f, 0.0f, 0.0f, 90.0f, 1e4f}).unsqueeze(0)));
  const auto [grad_gate, grad_up] = SwigluBackward(up, gate, up);
  EXPECT_TRUE(at::allclose(grad_gate, at::tensor({0.0f, 0.0f, 0.5f, 1.0f, 1.0f}).unsqueeze(0)));
  EXPECT_TRUE(grad_up.equal(out));
}

TEST(SwigluTest, NotANumberIsPassedOn) {
  const at::Tensor gate = at::full({1, 3}, std::numeric_limits<float>::quiet_NaN());
  EXPECT_TRUE(SwigluForward(gate, at::ones({1, 3})).isnan().all().item<bool>());
}

TEST(SwigluTest, HalvesOfDifferentShapesAreRefused) {
  EXPECT_THROW(SwigluForward(at::ones({2, 3}), at::ones({2, 4})), InternalError);
  EXPECT_THROW(SwigluForward(at::ones({2, 3}, at::kDouble), at::ones({2, 3}, at::kDouble)),
               InternalError);
}

}  // namespace
}  // namespace hyperpp::kernels
