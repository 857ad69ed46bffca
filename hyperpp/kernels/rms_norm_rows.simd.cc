#include "hyperpp/kernels/rms_norm_rows.h"

#include "hyperpp/kernels/simd/vector.h"

namespace hyperpp::kernels::HYPERPP_BUILD {
namespace {

// Sums one number per index of a row in two chains, so that additions overlap.
template <typename Term>
float RowSum(int64_t size, Term term) {
  Floats even{}, odd{};
  int64_t i = 0;
  for (; i + 2 * kLanes <= size; i += 2 * kLanes) {
    even += term(i, FullSpan{});
    odd += term(i + kLanes, FullSpan{});
  }
  for (; i + kLanes <= size; i += kLanes) even += term(i, FullSpan{});
  if (i < size) odd += term(i, PartialSpan{size - i});
  return Sum(even + odd);
}

template <typename T>
void Forward(const RmsNormForwardRows& rows) {
  const int64_t size = rows.size;
  for (int64_t row = 0; row < rows.num_rows; ++row) {
    const T* x = static_cast<const T*>(rows.x) + row * size;
    if (rows.residual != nullptr) {
      const T* residual = static_cast<const T*>(rows.residual) + row * size;
      T* sum = static_cast<T*>(rows.sum) + row * size;
      ForEachVector(size, [&](int64_t i, auto span) {
        span.Store(sum + i, span.Load(x + i) + span.Load(residual + i));
      });
      x = sum;  // the norm sees the sum as it is stored, rounded
    }
    const float squares = RowSum(size, [&](int64_t i, auto span) {
      const Floats value = span.Load(x + i);
      return value * value;
    });
    const float rstd = 1.0f / __builtin_sqrtf(squares / static_cast<float>(size) + rows.eps);
    rows.rstd[row] = rstd;
    T* y = static_cast<T*>(rows.y) + row * size;
    ForEachVector(size, [&](int64_t i, auto span) {
      span.Store(y + i, span.Load(x + i) * rstd * span.Load(rows.weight + i));
    });
  }
}

// With g = grad_y * weight:  grad = rstd * (g - sum * rstd^2 * mean(g * sum)) + grad_sum.
template <typename T>
void Backward(const RmsNormBackwardRows& rows) {
  const int64_t size = rows.size;
  for (int64_t row = 0; row < rows.num_rows; ++row) {
    const T* grad_y = static_cast<const T*>(rows.grad_y) + row * size;
    const T* sum = static_cast<const T*>(rows.sum) + row * size;
    const float rstd = rows.rstd[row];
    const float dot = RowSum(size, [&](int64_t i, auto span) {
      return span.Load(grad_y + i) * span.Load(rows.weight + i) * span.Load(sum + i);
    });
    const float along = rstd * rstd * rstd * dot / static_cast<float>(size);
    const T* grad_sum =
        rows.grad_sum == nullptr ? nullptr : static_cast<const T*>(rows.grad_sum) + row * size;
    T* grad = static_cast<T*>(rows.grad) + row * size;
    ForEachVector(size, [&](int64_t i, auto span) {
      const Floats g = span.Load(grad_y + i);
      const Floats s = span.Load(sum + i);
      Floats value = g * span.Load(rows.weight + i) * rstd - s * along;
      if (grad_sum != nullptr) value += span.Load(grad_sum + i);
      span.Store(grad + i, value);
      if (rows.grad_weight != nullptr)
        span.Store(rows.grad_weight + i, span.Load(rows.grad_weight + i) + g * (s * rstd));
    });
  }
}

void Add(float* to, const float* from, int64_t size) {
  ForEachVector(size, [&](int64_t i, auto span) {
    span.Store(to + i, span.Load(to + i) + span.Load(from + i));
  });
}

}  // namespace

const RmsNormRows kRmsNormRows{&Forward<float>, &Forward<Bfloat16>, &Backward<float>,
                               &Backward<Bfloat16>, &Add};

}  // namespace hyperpp::kernels::HYPERPP_BUILD
