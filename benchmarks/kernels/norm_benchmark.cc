#include <ATen/ATen.h>
#include <fmt/format.h>

#include "hyperpp/kernels/rms_norm.h"
#include "hyperpp/kernels/rotary.h"
#include "hyperpp/kernels/swiglu.h"

#include "benchmarks/kernels/compare.h"

namespace hyperpp::kernels {
namespace {

constexpr int64_t kTokens = 2048, kHidden = 512, kIntermediate = 1536, kHeads = 8, kDim = 64;

void CompareNorm(at::ScalarType dtype) {
  const at::Tensor x = at::randn({kTokens, kHidden}).to(dtype), grad = at::randn_like(x);
  const at::Tensor weight = at::rand({kHidden}).to(dtype), accumulator = at::zeros({kHidden});
  const RmsNormResult own = RmsNormForward(x, x, weight, 1e-5);
  const std::string shape = c10::toString(dtype);
  Compare(
      "residual_norm_forward/" + shape, 0, [=] { at::rms_norm(x + x, {kHidden}, weight, 1e-5); },
      [=] { RmsNormForward(x, x, weight, 1e-5); });
  Compare(
      "residual_norm_backward/" + shape, 0,
      [=] {
        const at::Tensor wide = grad.to(at::kFloat), scale = own.rstd_T.unsqueeze(-1);
        const at::Tensor normed = own.sum_TH.to(at::kFloat) * scale, g = wide * weight;
        at::Tensor(accumulator).add_((wide * normed).sum(0));
        (scale * (g - normed * (g * normed).mean(-1, true))).to(dtype).add_(grad);
      },
      [=] { RmsNormBackward(grad, grad, own.sum_TH, own.rstd_T, weight, accumulator); });
}

void CompareSwiglu(at::ScalarType dtype) {
  const at::Tensor both = at::randn({kTokens, 2 * kIntermediate}).to(dtype);
  const at::Tensor gate = both.narrow(1, 0, kIntermediate);
  const at::Tensor up = both.narrow(1, kIntermediate, kIntermediate);
  const at::Tensor grad = at::randn({kTokens, kIntermediate}).to(dtype);
  const std::string shape = c10::toString(dtype);
  Compare(
      "swiglu_forward/" + shape, 0, [=] { at::mul(at::silu(gate), up); },
      [=] { SwigluForward(gate, up); });
  Compare(
      "swiglu_backward/" + shape, 0,
      [=] {
        at::silu_backward(grad * up, gate);
        at::mul(grad, at::silu(gate));
      },
      [=] { SwigluBackward(grad, gate, up); });
}

void CompareRotary(at::ScalarType dtype) {
  const at::Tensor x = at::randn({kTokens, kHeads + 4, kDim}).to(dtype).narrow(1, 0, kHeads);
  const at::Tensor angle = at::rand({kTokens, kDim / 2});
  const at::Tensor cos = at::cat({angle.cos(), angle.cos()}, 1).unsqueeze(1).to(dtype);
  const at::Tensor sin = at::cat({angle.sin(), angle.sin()}, 1).unsqueeze(1).to(dtype);
  const RotaryTables tables{angle.cos(), angle.sin(), at::arange(kTokens, at::kInt)};
  const HeadNorm norm{at::rand({kDim}).to(dtype), 1e-6};
  const auto rotate = [=](const at::Tensor& v) {
    const at::Tensor turned =
        at::cat({-v.narrow(2, kDim / 2, kDim / 2), v.narrow(2, 0, kDim / 2)}, 2);
    return v * cos + turned * sin;
  };
  const std::string shape = c10::toString(dtype);
  Compare(
      "rotary_forward/" + shape, 0, [=] { rotate(x); }, [=] { RotaryForward(x, tables, {}); });
  Compare(
      "rotary_with_norm_forward/" + shape, 0,
      [=] { rotate(at::rms_norm(x, {kDim}, norm.weight_D, norm.eps)); },
      [=] { RotaryForward(x, tables, norm); });
}

}  // namespace

void CompareNorms() {
  for (at::ScalarType dtype : {at::kBFloat16, at::kFloat}) {
    CompareNorm(dtype);
    CompareSwiglu(dtype);
    CompareRotary(dtype);
  }
}

}  // namespace hyperpp::kernels
