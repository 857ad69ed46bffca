#include "hyperpp/core/exact_sum.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace hyperpp {
namespace {

// Squares of fp32 numbers over forty orders of magnitude.
std::vector<double> Squares(int count) {
  std::mt19937 generator(5);
  std::uniform_real_distribution<double> exponent(-20, 20), mantissa(1, 2);
  std::vector<double> squares;
  for (int i = 0; i < count; ++i) {
    const auto x = static_cast<float>(mantissa(generator) * std::pow(10.0, exponent(generator)));
    squares.push_back(static_cast<double>(x) * x);
  }
  return squares;
}

ExactSum SumOf(const std::vector<double>& values, std::size_t begin, std::size_t end) {
  ExactSum sum;
  for (std::size_t i = begin; i < end; ++i) sum.Add(values[i]);
  return sum;
}

// What ranks that hold `num_parts` consecutive parts come to by an all-reduce of limbs.
double SumInParts(const std::vector<double>& values, std::size_t num_parts) {
  ExactSum::Limbs total{};
  for (std::size_t part = 0; part < num_parts; ++part) {
    const auto limbs =
        SumOf(values, part * values.size() / num_parts, (part + 1) * values.size() / num_parts)
            .ToLimbs();
    for (std::size_t i = 0; i < limbs.size(); ++i) total[i] += limbs[i];
  }
  return ExactSum::FromLimbs(total.data()).Value();
}

TEST(ExactSumTest, IsTheSameInAnyNumberOfPartsAndInAnyOrder) {
  std::vector<double> values = Squares(3001);
  const double expected = SumInParts(values, 1);
  for (const std::size_t parts : {2U, 3U, 7U, 64U, 3001U})
    EXPECT_EQ(SumInParts(values, parts), expected) << parts;
  std::sort(values.begin(), values.end());
  EXPECT_EQ(SumInParts(values, 5), expected);
  std::reverse(values.begin(), values.end());
  EXPECT_EQ(SumInParts(values, 5), expected);
}

TEST(ExactSumTest, KeepsWhatADoubleDrops) {
  ExactSum sum;
  sum.Add(1);
  for (int i = 0; i < 8; ++i) sum.Add(0x1p-60);
  sum.Add(-1);
  EXPECT_EQ(sum.Value(), 0x1p-57);
  EXPECT_EQ(ExactSum::FromLimbs(sum.ToLimbs().data()).Value(), 0x1p-57);
}

TEST(ExactSumTest, ANonFiniteValueStaysVisible) {
  for (const double value : {std::numeric_limits<double>::infinity(), std::nan("")}) {
    ExactSum sum;
    sum.Add(3);
    sum.Add(value);
    sum.Add(4);
    EXPECT_FALSE(std::isfinite(sum.Value()));
    EXPECT_FALSE(std::isfinite(ExactSum::FromLimbs(sum.ToLimbs().data()).Value()));
  }
}

TEST(ExactSumTest, NegativeValuesAndZeroTravelAsLimbs) {
  for (const double value : {0.0, -3.25, -1e-30, 7e40}) {
    ExactSum sum;
    sum.Add(value);
    EXPECT_EQ(ExactSum::FromLimbs(sum.ToLimbs().data()).Value(), value);
  }
}

}  // namespace
}  // namespace hyperpp
