// Vectors of fp32 in the widest registers of the build, on the compiler's vector extension.
//
// Included by simd sources only (see builds.h). `Floats` holds kLanes numbers and has the usual
// operators; a * b + c becomes one fused instruction where the build has it. Comparisons give
// masks for Select. Every function is inline in the build's namespace.
//
// Bfloat16 is the upper half of an fp32; rounding is to nearest, ties to even, as in ATen.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#ifndef HYPERPP_BUILD
#error "vector.h is for sources that hyperpp_add_simd builds"
#endif

namespace hyperpp::kernels::HYPERPP_BUILD {

#if defined(__AVX512F__)
inline constexpr int kLanes = 16;
#elif defined(__AVX2__)
inline constexpr int kLanes = 8;
#else
inline constexpr int kLanes = 4;
#endif

typedef float Floats __attribute__((vector_size(kLanes * 4)));
typedef float HalfFloats __attribute__((vector_size(kLanes * 2)));
typedef int32_t Ints __attribute__((vector_size(kLanes * 4)));
typedef uint32_t Words __attribute__((vector_size(kLanes * 4)));
typedef uint16_t HalfWords __attribute__((vector_size(kLanes * 2)));
typedef double Doubles __attribute__((vector_size(kLanes * 4)));  // kLanes / 2 numbers

/// A bf16 in memory; pointers to at::BFloat16 are passed as pointers to this.
struct Bfloat16 {
  uint16_t bits;
};

inline Bfloat16* AsBfloat16(uint16_t* bits) { return reinterpret_cast<Bfloat16*>(bits); }
inline const Bfloat16* AsBfloat16(const uint16_t* bits) {
  return reinterpret_cast<const Bfloat16*>(bits);
}

inline Floats Broadcast(float value) { return Floats{} + value; }
inline Ints BroadcastInt(int32_t value) { return Ints{} + value; }

inline Floats BitsToFloats(Words bits) { return __builtin_bit_cast(Floats, bits); }
inline Words FloatsToBits(Floats values) { return __builtin_bit_cast(Words, values); }

inline Floats Load(const float* from) {
  Floats values;
  __builtin_memcpy(&values, from, sizeof(values));
  return values;
}

inline void Store(float* to, Floats values) { __builtin_memcpy(to, &values, sizeof(values)); }

inline Floats Load(const Bfloat16* from) {
  HalfWords halves;
  __builtin_memcpy(&halves, from, sizeof(halves));
  return BitsToFloats(__builtin_convertvector(halves, Words) << 16);
}

/// Returns the bf16 nearest to each value; a NaN stays a NaN.
inline HalfWords RoundToBfloat16(Floats values) {
  const Words bits = FloatsToBits(values);
  const Words rounded = (bits + (((bits >> 16) & 1u) + 0x7fffu)) >> 16;
  const Words quiet_nan = Words{} + 0x7fc0u;
  return __builtin_convertvector(values == values ? rounded : quiet_nan, HalfWords);
}

inline void Store(Bfloat16* to, Floats values) {
  const HalfWords halves = RoundToBfloat16(values);
  __builtin_memcpy(to, &halves, sizeof(halves));
}

/// One full vector of a row.
struct FullSpan {
  template <typename T>
  Floats Load(const T* from, float /*rest*/ = 0) const {
    return HYPERPP_BUILD::Load(from);
  }
  template <typename T>
  void Store(T* to, Floats values) const {
    HYPERPP_BUILD::Store(to, values);
  }
};

/// The last `count` < kLanes numbers of a row; lanes behind them read `rest` and are not written.
struct PartialSpan {
  int64_t count;

  template <typename T>
  Floats Load(const T* from, float rest = 0) const {
    T buffer[kLanes] = {};
    float filled[kLanes];
    for (int64_t i = 0; i < count; ++i) buffer[i] = from[i];
    HYPERPP_BUILD::Store(filled, HYPERPP_BUILD::Load(buffer));
    for (int64_t i = count; i < kLanes; ++i) filled[i] = rest;
    return HYPERPP_BUILD::Load(filled);
  }
  template <typename T>
  void Store(T* to, Floats values) const {
    T buffer[kLanes];
    HYPERPP_BUILD::Store(buffer, values);
    for (int64_t i = 0; i < count; ++i) to[i] = buffer[i];
  }
};

/// Calls body(i, span) for each vector of a row, the last one with a PartialSpan if need be.
template <typename Body>
inline void ForEachVector(int64_t size, Body body) {
  int64_t i = 0;
  for (; i + kLanes <= size; i += kLanes) body(i, FullSpan{});
  if (i < size) body(i, PartialSpan{size - i});
}

/// Returns where(mask, a, b) for a mask made by a comparison of Floats.
inline Floats Select(Ints mask, Floats a, Floats b) { return mask ? a : b; }

/// Returns the larger (smaller) of both; `b` where one is NaN.
inline Floats Max(Floats a, Floats b) { return a > b ? a : b; }
inline Floats Min(Floats a, Floats b) { return a < b ? a : b; }

inline Floats Sqrt(Floats values) {
#if defined(__AVX512F__)
  return _mm512_maskz_sqrt_ps(0xffff, values);  // the unmasked one makes GCC 12 warn
#elif defined(__AVX2__)
  return _mm256_sqrt_ps(values);
#else
  for (int i = 0; i < kLanes; ++i) values[i] = __builtin_sqrtf(values[i]);
  return values;
#endif
}

inline Doubles LowDoubles(Floats values) {
  HalfFloats half;
  __builtin_memcpy(&half, &values, sizeof(half));
  return __builtin_convertvector(half, Doubles);
}

inline Doubles HighDoubles(Floats values) {
  HalfFloats half;
  __builtin_memcpy(&half, reinterpret_cast<const char*>(&values) + sizeof(half), sizeof(half));
  return __builtin_convertvector(half, Doubles);
}

inline double Sum(Doubles values) {
  double total = 0;
  for (int i = 0; i < kLanes / 2; ++i) total += values[i];
  return total;
}

/// Returns the sum of the lanes, added pairwise in a fixed order.
inline float Sum(Floats values) {
  float lanes[kLanes];
  Store(lanes, values);
  for (int width = kLanes / 2; width > 0; width /= 2)
    for (int i = 0; i < width; ++i) lanes[i] += lanes[i + width];
  return lanes[0];
}

inline float MaxLane(Floats values) {
  float lanes[kLanes];
  Store(lanes, values);
  float largest = lanes[0];
  for (int i = 1; i < kLanes; ++i) largest = lanes[i] > largest ? lanes[i] : largest;
  return largest;
}

/// Returns x * 2^n, n whole and between -126 and 128.
inline Floats TimesPowerOfTwo(Floats x, Floats n) {
#if defined(__AVX512F__)
  return _mm512_maskz_scalef_ps(0xffff, x, n);
#else
  // Two factors, because 2^128 is no fp32.
  const Ints exponent = __builtin_convertvector(n, Ints), half = exponent >> 1;
  return x * __builtin_bit_cast(Floats, (half + 127) << 23) *
         __builtin_bit_cast(Floats, (exponent - half + 127) << 23);
#endif
}

/// Returns e^x within 2 ulp; 0 below -87.33, where e^x is hardly a normal fp32.
/// x = n ln 2 + r, |r| <= ln 2 / 2; e^r by a polynomial of degree 7. Source: Cephes, expf.c.
inline Floats Exp(Floats x) {
  const Floats bounded = Min(Broadcast(89), x);  // e^89 is infinite; infinity - infinity is NaN
  // Adding 1.5 * 2^23 rounds to the nearest whole number.
  const Floats shift = Broadcast(12582912.0f);
  const Floats n = (bounded * 1.44269504088896341f + shift) - shift;
  const Floats r = (bounded - n * 0.693359375f) + n * 2.12194440e-4f;
  Floats p = Broadcast(1.9875691500e-4f);
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  return Select(x < -87.33f, Floats{}, TimesPowerOfTwo(p * (r * r) + r + 1.0f, n));
}

}  // namespace hyperpp::kernels::HYPERPP_BUILD
