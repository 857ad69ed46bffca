// Exponentials and reciprocals that are as exact as their result will be stored. Included by simd
// sources only.
//
// `Result` names the type that the number ends in: for bf16 (relative rounding 2e-3) a polynomial
// of degree 4 (3e-6) and the CPU's approximate reciprocal (at most 4e-4) do; for fp32 rounding is
// the only error.
#pragma once

#include "hyperpp/kernels/simd/vector.h"

namespace hyperpp::kernels::HYPERPP_BUILD {

/// Returns 2^f for f in [-1/2, 1/2]. (2^f - 1) / f is approximated with the least largest relative
/// error.
template <typename Result>
inline Floats Exp2OfFraction(Floats f) {
  if constexpr (sizeof(Result) == 2) {
    const Floats p = ((9.58283618e-3f * f + 5.59064150e-2f) * f + 0.240240991f) * f + 0.693124175f;
    return p * f + 1.0f;
  } else {
    Floats p = 1.53533547e-4f * f + 1.33988750e-3f;
    p = p * f + 9.61843785e-3f;
    p = p * f + 5.55033237e-2f;
    p = p * f + 0.240226477f;
    p = p * f + 0.693147182f;
    return p * f + 1.0f;
  }
}

/// Returns 2^x for x < 127, 0 below -126 (and at -inf). A NaN stays a NaN.
template <typename Result>
inline Floats Exp2(Floats x) {
  const Floats shift = Broadcast(12582912.0f);  // 1.5 * 2^23: leaves the integer in the low bits
  const Floats shifted = x + shift;
  const Words bits = FloatsToBits(Exp2OfFraction<Result>(x - (shifted - shift)));
  const Floats power = BitsToFloats(bits + (FloatsToBits(shifted) << 23));
  return Select(x < -126.0f, Floats{}, power);
}

/// Returns 1 / x for normal x with a normal reciprocal.
template <typename Result>
inline Floats Reciprocal(Floats x) {
#if defined(__AVX512F__)
  if constexpr (sizeof(Result) == 2) return _mm512_maskz_rcp14_ps(0xffff, x);
#elif defined(__AVX2__)
  if constexpr (sizeof(Result) == 2) return _mm256_rcp_ps(x);
#endif
  return 1.0f / x;
}

struct SigmoidParts {
  Floats value;       // 1 / (1 + e^-x)
  Floats complement;  // 1 - value, exact for large x too
};

/// The exponential is bounded, so that it stays finite; this order of the operands lets a NaN pass.
template <typename Result>
inline SigmoidParts Sigmoid(Floats x) {
  Floats e;
  if constexpr (sizeof(Result) == 2)
    e = Exp2<Result>(Min(Broadcast(125.0f), x * -1.44269504f));
  else
    e = Exp(Min(Broadcast(87.0f), -x));
  const Floats value = Reciprocal<Result>(1.0f + e);
  return {value, e * value};
}

}  // namespace hyperpp::kernels::HYPERPP_BUILD
