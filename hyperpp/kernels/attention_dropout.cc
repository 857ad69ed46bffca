#include "hyperpp/kernels/attention_dropout.h"

#include <algorithm>
#include <cmath>

#include <ATen/ops/arange.h>

#include "hyperpp/core/mix64.h"

namespace hyperpp::kernels {
namespace {

// The hashes on int64 tensors, whose sums and products wrap around as those of uint64.

constexpr int64_t kLow32 = 0xffffffff;

int64_t Signed(uint64_t bits) { return static_cast<int64_t>(bits); }

// Fills with zeros from above, as for uint64.
at::Tensor ShiftRight(const at::Tensor& x, int64_t bits) {
  return x.bitwise_right_shift(bits).bitwise_and_((int64_t{1} << (64 - bits)) - 1);
}

// Mix64 of every element.
at::Tensor MixTensor(const at::Tensor& x) {
  at::Tensor z = x + Signed(0x9e3779b97f4a7c15);
  z.bitwise_xor_(ShiftRight(z, 30)).mul_(Signed(0xbf58476d1ce4e5b9));
  z.bitwise_xor_(ShiftRight(z, 27)).mul_(Signed(0x94d049bb133111eb));
  return z.bitwise_xor_(ShiftRight(z, 31));
}

}  // namespace

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
  const at::Device device = dropout.sample_ids_B.device();
  const at::Tensor sample_B11 =
      MixTensor(dropout.sample_ids_B).view({-1, 1, 1}).bitwise_xor(Signed(dropout.key));
  const at::Tensor head_N1 = at::arange(dropout.first_head, dropout.first_head + num_heads,
                                        at::TensorOptions(at::kLong).device(device))
                                 .unsqueeze(1);
  const at::Tensor query_S = dropout.query_positions_S.to(at::kLong);
  const at::Tensor row_BNS1 =
      MixTensor(MixTensor(MixTensor(sample_B11) + head_N1) + query_S).unsqueeze(-1);

  at::Tensor x =
      dropout.key_positions_L.to(at::kLong).mul(kLow32 & 0x9e3779b1) + row_BNS1.bitwise_and(kLow32);
  x.bitwise_and_(kLow32);
  x.bitwise_xor_(x.bitwise_right_shift(16)).mul_(0x7feb352d).bitwise_and_(kLow32);
  x.bitwise_xor_(x.bitwise_right_shift(15)).add_(ShiftRight(row_BNS1, 32));
  x.mul_(kLow32 & 0x846ca68b).bitwise_and_(kLow32);
  x.bitwise_xor_(x.bitwise_right_shift(16));
  const int64_t threshold = DropoutThreshold(dropout.probability);
  return x.ge(threshold).to(at::kFloat).mul_(1 / (1 - dropout.probability));
}

}  // namespace hyperpp::kernels
