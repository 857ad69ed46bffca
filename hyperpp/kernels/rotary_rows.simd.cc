#include "hyperpp/kernels/rotary_rows.h"

#include "hyperpp/kernels/simd/vector.h"

namespace hyperpp::kernels::HYPERPP_BUILD {
namespace {

template <typename T>
float RootMeanSquareInverse(const T* x, int64_t size, float eps) {
  Floats squares{};
  ForEachVector(size, [&](int64_t i, auto span) {
    const Floats value = span.Load(x + i);
    squares += value * value;
  });
  return 1.0f / __builtin_sqrtf(Sum(squares) / static_cast<float>(size) + eps);
}

// Rotates one head, v = x * scale * weight; weight is null for 1. A negative `direction` turns
// back.
template <typename T, typename Out>
void Rotate(const T* x, const float* cos, const float* sin, float direction, float scale,
            const float* weight, Out* out, int64_t head_dim, int64_t rotated_dim) {
  const int64_t half = rotated_dim / 2;
  const auto value = [&](int64_t i, auto span) {
    const Floats v = span.Load(x + i) * scale;
    return weight == nullptr ? v : v * span.Load(weight + i);
  };
  ForEachVector(half, [&](int64_t i, auto span) {
    const Floats a = value(i, span), b = value(i + half, span);
    const Floats c = span.Load(cos + i), s = span.Load(sin + i) * direction;
    span.Store(out + i, a * c - b * s);
    span.Store(out + i + half, b * c + a * s);
  });
  ForEachVector(head_dim - rotated_dim, [&](int64_t i, auto span) {
    span.Store(out + rotated_dim + i, value(rotated_dim + i, span));
  });
}

template <typename T>
void Forward(const RotaryForwardRows& rows) {
  const int64_t half = rows.rotated_dim / 2;
  for (int64_t token = rows.first; token < rows.last; ++token) {
    const float* cos = rows.cos + rows.positions[token] * half;
    const float* sin = rows.sin + rows.positions[token] * half;
    for (int64_t head = 0; head < rows.num_heads; ++head) {
      const T* x =
          static_cast<const T*>(rows.x) + token * rows.token_stride + head * rows.head_stride;
      const int64_t row = token * rows.num_heads + head;
      float rstd = 1;
      if (rows.norm_weight != nullptr) {
        rstd = RootMeanSquareInverse(x, rows.head_dim, rows.eps);
        rows.rstd[row] = rstd;
      }
      Rotate(x, cos, sin, 1, rstd, rows.norm_weight,
             static_cast<T*>(rows.out) + row * rows.head_dim, rows.head_dim, rows.rotated_dim);
    }
  }
}

// Gradient through the norm; `grad_v` is the gradient of its output.
template <typename T>
void NormBackward(const RotaryBackwardRows& rows, const T* x, float rstd, const float* grad_v,
                  T* grad) {
  const int64_t size = rows.head_dim;
  Floats products{};
  ForEachVector(size, [&](int64_t i, auto span) {
    products += span.Load(grad_v + i) * span.Load(rows.norm_weight + i) * span.Load(x + i);
  });
  const float along = rstd * rstd * rstd * Sum(products) / static_cast<float>(size);
  ForEachVector(size, [&](int64_t i, auto span) {
    const Floats g = span.Load(grad_v + i), value = span.Load(x + i);
    span.Store(grad + i, g * span.Load(rows.norm_weight + i) * rstd - value * along);
    if (rows.grad_weight != nullptr)
      span.Store(rows.grad_weight + i, span.Load(rows.grad_weight + i) + g * (value * rstd));
  });
}

template <typename T>
void Backward(const RotaryBackwardRows& rows) {
  const int64_t half = rows.rotated_dim / 2;
  for (int64_t token = rows.first; token < rows.last; ++token) {
    const float* cos = rows.cos + rows.positions[token] * half;
    const float* sin = rows.sin + rows.positions[token] * half;
    for (int64_t head = 0; head < rows.num_heads; ++head) {
      const T* grad_out = static_cast<const T*>(rows.grad_out) + token * rows.grad_token_stride +
                          head * rows.grad_head_stride;
      const int64_t row = token * rows.num_heads + head;
      T* grad = static_cast<T*>(rows.grad) + row * rows.head_dim;
      if (rows.norm_weight == nullptr) {
        Rotate(grad_out, cos, sin, -1, 1, nullptr, grad, rows.head_dim, rows.rotated_dim);
        continue;
      }
      Rotate(grad_out, cos, sin, -1, 1, nullptr, rows.scratch, rows.head_dim, rows.rotated_dim);
      const T* x =
          static_cast<const T*>(rows.x) + token * rows.token_stride + head * rows.head_stride;
      NormBackward(rows, x, rows.rstd[row], rows.scratch, grad);
    }
  }
}

}  // namespace

const RotaryRows kRotaryRows{&Forward<float>, &Forward<Bfloat16>, &Backward<float>,
                             &Backward<Bfloat16>};

}  // namespace hyperpp::kernels::HYPERPP_BUILD
