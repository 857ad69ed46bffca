#include "hyperpp/kernels/softmax_rows.h"

#include "hyperpp/kernels/simd/vector.h"

namespace hyperpp::kernels::HYPERPP_BUILD {
namespace {

constexpr float kLowest = -__builtin_inff();

float Largest(const float* logits, int64_t size) {
  Floats first = Broadcast(kLowest), second = first;
  int64_t i = 0;
  for (; i + 2 * kLanes <= size; i += 2 * kLanes) {
    first = Max(first, Load(logits + i));
    second = Max(second, Load(logits + i + kLanes));
  }
  ForEachVector(size - i, [&](int64_t j, auto span) {
    first = Max(first, span.Load(logits + i + j, kLowest));
  });
  return MaxLane(Max(first, second));
}

// fp32 sums over blocks of at most 64 vectors, then double: the relative error of a block's sum is
// some 1e-6 at worst, that of a whole row's no larger.
float SumExp(const float* logits, int64_t size, double* sum) {
  const int64_t block = 64 * kLanes;
  const float largest = Largest(logits, size);
  double total = 0;
  for (int64_t first = 0; first < size; first += block) {
    Floats part{};
    ForEachVector(size - first < block ? size - first : block, [&](int64_t i, auto span) {
      part += Exp(span.Load(logits + first + i, kLowest) - largest);
    });
    total += static_cast<double>(Sum(part));
  }
  *sum = total;
  return largest;
}

template <typename T>
void Softmax(const float* logits, int64_t size, float log_sum_exp, float weight, T* out) {
  ForEachVector(size, [&](int64_t i, auto span) {
    span.Store(out + i, Exp(span.Load(logits + i) - log_sum_exp) * weight);
  });
}

void SoftmaxFp32(const float* logits, int64_t size, float log_sum_exp, float weight, float* out) {
  Softmax(logits, size, log_sum_exp, weight, out);
}

void SoftmaxBf16(const float* logits, int64_t size, float log_sum_exp, float weight,
                 uint16_t* out) {
  Softmax(logits, size, log_sum_exp, weight, AsBfloat16(out));
}

}  // namespace

const SoftmaxRows kSoftmaxRows{&SumExp, &SoftmaxFp32, &SoftmaxBf16};

}  // namespace hyperpp::kernels::HYPERPP_BUILD
