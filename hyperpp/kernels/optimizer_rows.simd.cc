#include "hyperpp/kernels/optimizer_rows.h"

#include "hyperpp/kernels/simd/vector.h"

namespace hyperpp::kernels::HYPERPP_BUILD {
namespace {

void AdamW(float* weight, const float* gradient, float* exp_avg, float* exp_avg_sq,
           uint16_t* compute_copy, int64_t size, const AdamWFactors& factors) {
  Bfloat16* copy = AsBfloat16(compute_copy);
  ForEachVector(size, [&](int64_t i, auto span) {
    const Floats g = span.Load(gradient + i) * factors.gradient_scale;
    const Floats m_old = span.Load(exp_avg + i);
    const Floats m = m_old + factors.one_minus_beta1 * (g - m_old);
    const Floats v = span.Load(exp_avg_sq + i) * factors.beta2 + factors.one_minus_beta2 * g * g;
    const Floats denominator = Sqrt(v) * factors.inverse_root_bias + factors.eps;
    const Floats w = span.Load(weight + i) * factors.decay - factors.step_size * m / denominator;
    span.Store(weight + i, w);
    span.Store(exp_avg + i, m);
    span.Store(exp_avg_sq + i, v);
    if (copy != nullptr) span.Store(copy + i, w);
  });
}

void Sgd(float* weight, const float* gradient, float* momentum_or_null, uint16_t* compute_copy,
         int64_t size, const SgdFactors& factors) {
  Bfloat16* copy = AsBfloat16(compute_copy);
  ForEachVector(size, [&](int64_t i, auto span) {
    Floats w = span.Load(weight + i);
    Floats step = span.Load(gradient + i) * factors.gradient_scale + w * factors.weight_decay;
    if (momentum_or_null != nullptr) {
      if (!factors.first_step) step += span.Load(momentum_or_null + i) * factors.momentum;
      span.Store(momentum_or_null + i, step);
    }
    w -= step * factors.lr;
    span.Store(weight + i, w);
    if (copy != nullptr) span.Store(copy + i, w);
  });
}

// Sums of as many values as a vector has doubles, each with its rounding errors beside it (TwoSum).
// The square of an fp32 is exact in double, so a fused multiply-add changes nothing.
struct ErrorFreeSum {
  Doubles sum{}, error{};

  void Add(Doubles value) {
    const Doubles next = sum + value;
    const Doubles value_part = next - sum;
    error += (sum - (next - value_part)) + (value - value_part);
    sum = next;
  }
};

template <typename T>
TwoDoubles SumOfSquares(const T* values, int64_t size) {
  ErrorFreeSum lower, upper;
  ForEachVector(size, [&](int64_t i, auto span) {
    const Floats x = span.Load(values + i);
    lower.Add(LowDoubles(x) * LowDoubles(x));
    upper.Add(HighDoubles(x) * HighDoubles(x));
  });
  // Lane by lane, in the same way.
  double sum = 0, error = Sum(lower.error + upper.error);
  for (const Doubles& lanes : {lower.sum, upper.sum}) {
    for (int lane = 0; lane < kLanes / 2; ++lane) {
      const double next = sum + lanes[lane];
      const double part = next - sum;
      error += (sum - (next - part)) + (lanes[lane] - part);
      sum = next;
    }
  }
  return {sum, error};
}

TwoDoubles SumOfSquaresFp32(const float* values, int64_t size) {
  return SumOfSquares(values, size);
}

TwoDoubles SumOfSquaresBf16(const uint16_t* values, int64_t size) {
  return SumOfSquares(AsBfloat16(values), size);
}

void Fp32ToBf16(const float* from, uint16_t* to, int64_t size) {
  ForEachVector(size,
                [&](int64_t i, auto span) { span.Store(AsBfloat16(to) + i, span.Load(from + i)); });
}

void Bf16ToFp32(const uint16_t* from, float* to, int64_t size) {
  ForEachVector(size,
                [&](int64_t i, auto span) { span.Store(to + i, span.Load(AsBfloat16(from) + i)); });
}

}  // namespace

const OptimizerRows kOptimizerRows{&AdamW,      &Sgd,       &SumOfSquaresFp32, &SumOfSquaresBf16,
                                   &Fp32ToBf16, &Bf16ToFp32};

}  // namespace hyperpp::kernels::HYPERPP_BUILD
