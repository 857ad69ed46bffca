// Counter-based random numbers: a value is a hash of what it stands for, so that any place can be
// asked for at any time and no state has to be kept or saved.
//
// Source: the finaliser of SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number
// generators", OOPSLA 2014), applied once per key.
#pragma once

#include <concepts>
#include <cstdint>

namespace hyperpp {

constexpr uint64_t Mix64(uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

/// Hashes several keys in order.
constexpr uint64_t Mix64(uint64_t first, std::convertible_to<uint64_t> auto... rest) {
  uint64_t value = Mix64(first);
  ((value = Mix64(value ^ static_cast<uint64_t>(rest))), ...);
  return value;
}

/// Maps 64 random bits to 0 .. `size` - 1: the upper half of the 128-bit product.
constexpr uint64_t ScaleTo(uint64_t bits, uint64_t size) {
  const uint64_t low = (bits & 0xffffffff) * (size & 0xffffffff);
  const uint64_t middle = (bits >> 32) * (size & 0xffffffff) + (low >> 32);
  const uint64_t carry = (bits & 0xffffffff) * (size >> 32) + (middle & 0xffffffff);
  return (bits >> 32) * (size >> 32) + (middle >> 32) + (carry >> 32);
}

}  // namespace hyperpp
