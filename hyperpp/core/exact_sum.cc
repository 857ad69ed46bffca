#include "hyperpp/core/exact_sum.h"

#include <cmath>
#include <limits>

namespace hyperpp {
namespace {

constexpr int kLimbBits = 40;
constexpr int kLowestLimb = -8;  // weight 2^(40 * -8)

double WeightOf(int limb) { return std::ldexp(1.0, kLimbBits * (kLowestLimb + limb)); }

// a + b as a rounded sum and its exact error.
ExactSum TwoSum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

}  // namespace

void ExactSum::Add(double value) { Add(ExactSum(value, 0)); }

void ExactSum::Add(const ExactSum& other) {
  const ExactSum highs = TwoSum(high_, other.high_);
  const ExactSum lows = TwoSum(low_, other.low_);
  const ExactSum first = TwoSum(highs.high_, highs.low_ + lows.high_);
  *this = TwoSum(first.high_, first.low_ + lows.low_);
}

ExactSum::Limbs ExactSum::ToLimbs() const {
  Limbs limbs{};
  if (!std::isfinite(Value())) {
    limbs.fill(std::numeric_limits<double>::quiet_NaN());
    return limbs;
  }
  for (double rest : {high_, low_}) {
    for (int limb = kNumLimbs - 1; limb >= 0; --limb) {
      const double weight = WeightOf(limb);
      const double whole = std::trunc(rest / weight);
      limbs[static_cast<std::size_t>(limb)] += whole;
      rest -= whole * weight;
    }
  }
  return limbs;
}

ExactSum ExactSum::FromLimbs(const double* limbs) {
  ExactSum sum;
  for (int limb = kNumLimbs - 1; limb >= 0; --limb) sum.Add(limbs[limb] * WeightOf(limb));
  return sum;
}

}  // namespace hyperpp
