#include "hyperpp/kernels/checksum.h"

#include <atomic>
#include <cstring>

#include <ATen/ops/arange.h>
#include <ATen/ops/scalar_tensor.h>

#include "hyperpp/core/error.h"
#include "hyperpp/kernels/parallel_for.h"

namespace hyperpp::kernels {
namespace {

constexpr uint64_t kFactor = 0x9e3779b97f4a7c15;
constexpr int64_t kGrain = 1 << 16;

uint64_t ChecksumOnCpu(const float* values, int64_t size) {
  std::atomic<uint64_t> total = 0;
  ParallelFor(0, size, kGrain, [&](int64_t first, int64_t last) {
    uint64_t sum = 0;
    for (int64_t i = first; i < last; ++i) {
      uint32_t bits = 0;
      std::memcpy(&bits, values + i, sizeof(bits));
      sum += (uint64_t{bits} + 1) * (2 * static_cast<uint64_t>(i) + 1);
    }
    total += sum * kFactor;
  });
  return total;
}

}  // namespace

at::Tensor Checksum(const at::Tensor& x) {
  HYPERPP_CHECK(x.scalar_type() == at::kFloat && x.is_contiguous(), "checksum of {}",
                c10::toString(x.scalar_type()));
  if (x.is_cpu())
    return at::scalar_tensor(
        static_cast<int64_t>(ChecksumOnCpu(x.const_data_ptr<float>(), x.numel())), at::kLong);
  constexpr int64_t kLow32 = 0xffffffff;
  const at::Tensor bits = x.detach().view({-1}).view(at::kInt).to(at::kLong).bitwise_and(kLow32);
  const at::Tensor places = at::arange(x.numel(), bits.options()) * 2 + 1;
  return ((bits + 1) * places).sum() * static_cast<int64_t>(kFactor);
}

}  // namespace hyperpp::kernels
