// Where each rank stands in the world mesh: pure arithmetic, no communication.
//
// The world is a box with the axes, outermost first: pp, dp_replicate, dp_shard, cp, tp. A rank's
// coordinate along the innermost axis (tp) changes fastest, so that the ranks which talk most are
// neighbours on one host:
//
//     pp 2, dp_shard 1, tp 2:      pp 0            pp 1
//                                tp 0  tp 1     tp 0  tp 1
//                          rank    0     1        2     3
//
// Expert parallelism is no further factor: its groups are ep_size consecutive ranks of the block
// (dp_shard, cp, tp).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hyperpp {

/// Axes of the world mesh, outermost first.
enum class Axis : int { kPipeline = 0, kReplicate = 1, kShard = 2, kContext = 3, kTensor = 4 };
inline constexpr int kNumAxes = 5;
inline constexpr std::array<Axis, kNumAxes> kAxes = {Axis::kPipeline, Axis::kReplicate,
                                                     Axis::kShard, Axis::kContext, Axis::kTensor};

/// Short name as in messages and plans: pp, dp_replicate, dp_shard, cp, tp.
std::string_view AxisName(Axis axis);

/// Degrees of all axes, and the place of each rank.
class MeshLayout {
 public:
  /// Degrees are indexed by Axis and are at least 1.
  explicit MeshLayout(std::array<int, kNumAxes> degrees, int expert_degree = 1);
  MeshLayout() : MeshLayout({1, 1, 1, 1, 1}) {}

  int WorldSize() const;
  int Degree(Axis axis) const { return degrees_[static_cast<int>(axis)]; }
  int ExpertDegree() const { return expert_degree_; }
  /// Number of data-parallel coordinates: dp_replicate * dp_shard.
  int DataDegree() const { return Degree(Axis::kReplicate) * Degree(Axis::kShard); }

  /// Coordinate of `rank` along `axis`.
  int Coordinate(int rank, Axis axis) const;
  /// Coordinate of `rank` among the data-parallel coordinates: dp_replicate * shard degree +
  /// dp_shard.
  int DataCoordinate(int rank) const;

  /// Ranks that differ from `rank` only along `axes`, ascending.
  std::vector<int> GroupOf(int rank, const std::vector<Axis>& axes) const;
  /// All such groups, each ascending; together every rank once.
  std::vector<std::vector<int>> Groups(const std::vector<Axis>& axes) const;

  /// "pp 1, dp_shard 0, tp 1": the coordinates along axes of degree above 1; "" if there are none.
  std::string Describe(int rank) const;
  /// "rank 5 (pp 1, dp_shard 0, tp 1)", as in messages and traces; "rank 0" without such axes.
  std::string Label(int rank) const;

 private:
  std::array<int, kNumAxes> degrees_;
  int expert_degree_;
};

}  // namespace hyperpp
