#include "hyperpp/data/permutation.h"

#include <algorithm>

#include "hyperpp/core/error.h"
#include "hyperpp/core/mix64.h"

namespace hyperpp::data {

Permutation::Permutation(int64_t size, uint64_t key) : size_(size), key_(key) {
  HYPERPP_CHECK(size > 0, "size is {}", size);
  for (int round = 0; round < kNumRounds; ++round)
    round_keys_[static_cast<size_t>(round)] =
        static_cast<int64_t>(ScaleTo(Mix64(key, round), static_cast<uint64_t>(size)));
}

int64_t Permutation::operator()(int64_t index) const {
  HYPERPP_CHECK(index >= 0 && index < size_, "index {} of {}", index, size_);
  int64_t value = index;
  for (size_t round = 0; round < round_keys_.size(); ++round) {
    int64_t partner = round_keys_[round] - value;
    if (partner < 0) partner += size_;
    // Both partners must read the same bit, so it belongs to the larger of the two.
    const int64_t pair = std::max(value, partner);
    const uint64_t bits = Mix64(key_ + (round << 56) + static_cast<uint64_t>(pair));
    if (bits & 1) value = partner;
  }
  return value;
}

}  // namespace hyperpp::data
