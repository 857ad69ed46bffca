#include "hyperpp/kernels/attention_dropout.h"

#include <algorithm>
#include <cmath>

#include <ATen/ops/empty.h>

#include "hyperpp/core/mix64.h"

namespace hyperpp::kernels {
uint64_t DropoutRow(uint64_t key, int64_t sample_id, int64_t head, int64_t query_position) {
  const uint64_t sample = Mix64(key ^ Mix64(static_cast<uint64_t>(sample_id)));
  return Mix64(Mix64(sample + static_cast<uint64_t>(head)) + static_cast<uint64_t>(query_position));
}

uint32_t DropoutThreshold(double probability) {
  return static_cast<uint32_t>(std::min(std::llround(std::ldexp(probability, 32)), 0xffffffffLL));
}

bool DropoutKeepsPosition(uint64_t row, int32_t key_position, uint32_t threshold) {
  uint32_t x = static_cast<uint32_t>(row) + static_cast<uint32_t>(key_position) * 0x9e3779b1u;
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = ((x ^ (x >> 15)) + static_cast<uint32_t>(row >> 32)) * 0x846ca68bu;
  x = x ^ (x >> 16);
  return x >= threshold;
}

bool DropoutKeep(const AttentionDropout& dropout, int64_t sample_id, int64_t head,
                 int64_t query_position, int64_t key_position) {
  return DropoutKeepsPosition(DropoutRow(dropout.key, sample_id, head, query_position),
                              static_cast<int32_t>(key_position),
                              DropoutThreshold(dropout.probability));
}

at::Tensor DropoutFactors(const AttentionDropout& dropout, int64_t num_heads) {
  const at::Tensor samples = dropout.sample_ids_B.to(at::kCPU, at::kLong).contiguous();
  const at::Tensor queries = dropout.query_positions_S.to(at::kCPU, at::kInt).contiguous();
  const at::Tensor keys = dropout.key_positions_L.to(at::kCPU, at::kInt).contiguous();
  const int64_t batch = samples.numel(), num_queries = queries.numel(), num_keys = keys.numel();
  at::Tensor factors = at::empty({batch, num_heads, num_queries, num_keys}, at::kFloat);
  float* next = factors.mutable_data_ptr<float>();
  const uint32_t threshold = DropoutThreshold(dropout.probability);
  const float kept = static_cast<float>(1 / (1 - dropout.probability));
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t n = 0; n < num_heads; ++n) {
      for (int64_t s = 0; s < num_queries; ++s) {
        const uint64_t row =
            DropoutRow(dropout.key, samples.const_data_ptr<int64_t>()[b], dropout.first_head + n,
                       queries.const_data_ptr<int32_t>()[s]);
        for (int64_t l = 0; l < num_keys; ++l)
          *next++ =
              DropoutKeepsPosition(row, keys.const_data_ptr<int32_t>()[l], threshold) ? kept : 0;
      }
    }
  }
  return factors;
}

}  // namespace hyperpp::kernels
