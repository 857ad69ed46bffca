// From which source the next sample of a weighted mixture comes: the one furthest behind its
// weight. After t draws source i should have w_i / W * t of them; the draw goes to the largest
// deficit, the first source winning ties. Weights 2, 1, 1:
//
//     draw     0  1  2  3  4  5  6  7
//     source   0  1  2  0  0  1  2  0
//
// The order knows nothing of batches, ranks or data. Weights become integers, so it is exact: no
// rounding drifts, and after W draws all deficits are zero and it repeats. Any draw is reached by
// jumping over whole periods and replaying at most W draws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hyperpp::data {

/// Integers in the ratio of `weights`: the smallest with a sum up to 10000 if there are such (0.7,
/// 0.3 -> 7, 3), else rounded ones with a sum near 2^30.
std::vector<int64_t> IntegerWeights(const std::vector<double>& weights);

class MixtureOrder {
 public:
  /// One draw: sample `number` (from 0) of all that come from `source`.
  struct Draw {
    size_t source = 0;
    int64_t number = 0;
  };

  /// REQUIRES: at least one weight, all finite and above 0.
  explicit MixtureOrder(const std::vector<double>& weights);

  /// Makes `draw` (from 0) the next one.
  void Seek(int64_t draw);
  Draw Next();
  /// How many of the draws so far went to each source.
  const std::vector<int64_t>& counts() const { return counts_; }

 private:
  std::vector<int64_t> weights_;
  int64_t period_ = 0;             // sum of weights_
  int64_t position_ = 0;           // draws made
  std::vector<int64_t> deficits_;  // weight * position - period * count
  std::vector<int64_t> counts_;
};

}  // namespace hyperpp::data
