#include "hyperpp/core/mesh_layout.h"

#include <algorithm>

#include "hyperpp/core/error.h"

namespace hyperpp {

std::string_view AxisName(Axis axis) {
  constexpr std::array<std::string_view, kNumAxes> kNames = {"pp", "dp_replicate", "dp_shard", "cp",
                                                             "tp"};
  return kNames[static_cast<int>(axis)];
}

MeshLayout::MeshLayout(std::array<int, kNumAxes> degrees, int expert_degree)
    : degrees_(degrees), expert_degree_(expert_degree) {
  for (Axis axis : kAxes) HYPERPP_CHECK_LE(1, Degree(axis), "degree of axis {}", AxisName(axis));
}

int MeshLayout::WorldSize() const {
  int size = 1;
  for (int degree : degrees_) size *= degree;
  return size;
}

int MeshLayout::Coordinate(int rank, Axis axis) const {
  HYPERPP_CHECK(rank >= 0 && rank < WorldSize(), "rank {} of {}", rank, WorldSize());
  int inner = 1;
  for (int i = kNumAxes - 1; i > static_cast<int>(axis); --i) inner *= degrees_[i];
  return rank / inner % Degree(axis);
}

int MeshLayout::DataCoordinate(int rank) const {
  return Coordinate(rank, Axis::kReplicate) * Degree(Axis::kShard) + Coordinate(rank, Axis::kShard);
}

std::vector<int> MeshLayout::GroupOf(int rank, const std::vector<Axis>& axes) const {
  std::vector<int> group;
  for (int other = 0; other < WorldSize(); ++other) {
    const bool same = std::all_of(kAxes.begin(), kAxes.end(), [&](Axis axis) {
      return std::find(axes.begin(), axes.end(), axis) != axes.end() ||
             Coordinate(other, axis) == Coordinate(rank, axis);
    });
    if (same) group.push_back(other);
  }
  return group;
}

std::vector<std::vector<int>> MeshLayout::Groups(const std::vector<Axis>& axes) const {
  std::vector<std::vector<int>> groups;
  for (int rank = 0; rank < WorldSize(); ++rank) {
    std::vector<int> group = GroupOf(rank, axes);
    if (group.front() == rank) groups.push_back(std::move(group));
  }
  return groups;
}

std::string MeshLayout::Describe(int rank) const {
  std::string text;
  for (Axis axis : kAxes) {
    if (Degree(axis) == 1) continue;
    text +=
        fmt::format("{}{} {}", text.empty() ? "" : ", ", AxisName(axis), Coordinate(rank, axis));
  }
  return text;
}

std::string MeshLayout::Label(int rank) const {
  const std::string place = Describe(rank);
  return fmt::format("rank {}{}", rank, place.empty() ? "" : fmt::format(" ({})", place));
}

}  // namespace hyperpp
