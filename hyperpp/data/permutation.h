// A random order of 0 .. n-1 that is computed one place at a time: no table, so a set of a billion
// samples is shuffled in constant memory and any step can be resumed at once.
//
// It is the swap-or-not shuffle. Each of R rounds pairs every value x with K - x mod n for a round
// key K, and a random bit, the same for both partners, says whether the two change places:
//
//     n = 8, K = 5     pairs  0-5  1-4  2-3  6-7      bits  1 0 0 1
//                      0 -> 5, 5 -> 0, 6 -> 7, 7 -> 6, the others stay
//
// A round undoes itself when applied again, so each is a bijection for every n, and so are R in a
// row; unlike a Feistel network it needs no power of two and no cycle walking.
//
// Source: Hoang, Morris, Rogaway, "An enciphering scheme based on a card shuffle", CRYPTO 2012,
// arXiv:1208.1176, section 3.
#pragma once

#include <array>
#include <cstdint>

namespace hyperpp::data {

class Permutation {
 public:
  /// The order of 0 .. size - 1 that belongs to `key`. REQUIRES: size > 0.
  Permutation(int64_t size, uint64_t key);

  /// Value at place `index` of the order.
  int64_t operator()(int64_t index) const;

  int64_t size() const { return size_; }

 private:
  // Ethereum's consensus layer shuffles up to 2^40 validators with 90 rounds of the same method.
  static constexpr int kNumRounds = 96;

  int64_t size_;
  uint64_t key_;
  std::array<int64_t, kNumRounds> round_keys_;
};

}  // namespace hyperpp::data
