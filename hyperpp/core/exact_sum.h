// Sums that do not depend on how they were cut: the norm of a gradient comes out the same to the
// bit however its elements are spread over ranks, shards and units.
//
// A sum is kept as two doubles, high + low, with about 106 bits: rounding happens so far down that
// it practically never reaches the result. Between ranks it travels as limbs, integers on a fixed
// grid
//
//     value = sum over k of limb[k] * 2^(40 k),    |limb| < 2^40
//
// which an all-reduce in double adds without any rounding, in whatever order. Sources: TwoSum,
// Knuth, TAOCP volume 2, section 4.2.2; double-double arithmetic, Dekker, Numer. Math. 18 (1971);
// the fixed grid as in Demmel and Nguyen, Parallel Reproducible Summation (2015).
#pragma once

#include <array>

namespace hyperpp {

class ExactSum {
 public:
  static constexpr int kNumLimbs = 17;  // 2^-320 to 2^360: more than squares of fp32 need
  using Limbs = std::array<double, kNumLimbs>;

  ExactSum() = default;
  /// `low` is the part of the sum that `high` could not hold.
  ExactSum(double high, double low) : high_(high), low_(low) {}

  void Add(double value);
  void Add(const ExactSum& other);

  /// The sum, rounded once. Not finite if something that was added was not.
  double Value() const { return high_ + low_; }

  /// As limbs, for exact addition; all NaN if the sum is not finite.
  Limbs ToLimbs() const;
  /// From limbs, which may be sums of up to 4096 sums' limbs.
  static ExactSum FromLimbs(const double* limbs);

 private:
  double high_ = 0, low_ = 0;
};

}  // namespace hyperpp
