#include "hyperpp/models/random_init.h"

#include <cmath>
#include <numbers>

#include "hyperpp/core/error.h"
#include "hyperpp/core/mix64.h"
#include "hyperpp/kernels/parallel_for.h"

namespace hyperpp::models {
namespace {

uint64_t Key(const std::string& fqn, uint64_t seed) {
  uint64_t key = Mix64(seed);
  for (const char c : fqn) key = Mix64(key ^ static_cast<unsigned char>(c));
  return key;
}

}  // namespace

void FillNormal(at::Tensor out, const std::string& fqn, uint64_t seed, int64_t first,
                double deviation) {
  HYPERPP_CHECK(out.is_contiguous() && out.scalar_type() == at::kFloat && out.is_cpu(), "{}", fqn);
  const uint64_t key = Key(fqn, seed);
  auto* values = out.mutable_data_ptr<float>();
  kernels::ParallelFor(0, out.numel(), 1 << 14, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const uint64_t bits = Mix64(key + 0x9E3779B97F4A7C15ULL * static_cast<uint64_t>(first + i));
      // Two uniforms of 32 bits: in (0, 1] for the logarithm, in [0, 1) for the angle.
      const double u = (static_cast<double>(bits >> 32) + 1.0) * 0x1p-32;
      const double v = static_cast<double>(bits & 0xFFFFFFFFULL) * 0x1p-32;
      const double radius = std::sqrt(-2.0 * std::log(u));
      values[i] = static_cast<float>(deviation * radius * std::cos(2.0 * std::numbers::pi * v));
    }
  });
}

}  // namespace hyperpp::models
