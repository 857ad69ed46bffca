#include "hyperpp/kernels/weight_gradient_blocks.h"

#include <algorithm>

#include <ATen/ops/zeros.h>

#include "hyperpp/core/error.h"
#include "hyperpp/core/round_up.h"
#include "hyperpp/kernels/parallel_for.h"
#include "hyperpp/kernels/rms_norm_rows.h"

namespace hyperpp::kernels {
namespace {

constexpr int64_t kMinBlockRows = 32;
constexpr int64_t kMaxBlocks = 256;  // bounds the memory of the partial sums
constexpr int64_t kColumnGrain = 1024;

}  // namespace

void ForEachRowBlock(int64_t num_rows, at::Tensor accumulator,
                     c10::function_ref<void(int64_t, int64_t, float*)> block) {
  const int64_t block_rows = std::max(kMinBlockRows, (num_rows + kMaxBlocks - 1) / kMaxBlocks);
  const int64_t num_blocks = CeilDivide(num_rows, block_rows);
  const int64_t size = accumulator.defined() ? accumulator.numel() : 0;
  at::Tensor partials;
  float* sums = nullptr;
  if (accumulator.defined()) {
    HYPERPP_CHECK(accumulator.is_contiguous() && accumulator.scalar_type() == at::kFloat,
                  "weight gradient accumulator");
    partials = at::zeros({num_blocks, size}, accumulator.options());
    sums = partials.mutable_data_ptr<float>();
  }
  ParallelFor(0, num_blocks, 1, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i)
      block(i * block_rows, std::min(num_rows, (i + 1) * block_rows),
            sums == nullptr ? nullptr : sums + i * size);
  });
  if (sums == nullptr) return;
  const RmsNormRows& rows = HYPERPP_SELECT_BUILD(kRmsNormRows);
  float* total = accumulator.mutable_data_ptr<float>();
  ParallelFor(0, size, kColumnGrain, [&](int64_t first, int64_t last) {
    for (int64_t i = 0; i < num_blocks; ++i)
      rows.add_fp32(total + first, sums + i * size + first, last - first);
  });
}

}  // namespace hyperpp::kernels
