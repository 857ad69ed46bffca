#include "hyperpp/plan/weight_units.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "hyperpp/core/round_up.h"
#include "hyperpp/plan/model_cost.h"
#include "hyperpp/plan/stages.h"

namespace hyperpp::plan {
namespace {

constexpr int64_t kMasterBytes = 4;
constexpr int64_t kAlignment = 32;  // elements; parameter_store.cc

bool IsGain(const ParameterOutline& parameter) {
  return parameter.shape.size() == 1 && !std::string_view(parameter.fqn).ends_with(".bias");
}

// Ranks that share the elements that are left of a parameter after tensor or expert parallelism.
int64_t ShardDegree(const ParameterOutline& parameter, const MeshLayout& mesh) {
  const int64_t shard = mesh.Degree(Axis::kShard);
  if (!IsExpert(parameter) || shard == 1) return shard;
  const int64_t block = shard * mesh.Degree(Axis::kContext) * mesh.Degree(Axis::kTensor);
  return std::max<int64_t>(block / mesh.ExpertDegree(), 1);
}

int64_t LocalElements(const ParameterOutline& parameter, const MeshLayout& mesh) {
  if (IsExpert(parameter)) return CeilDivide(parameter.NumElements(), mesh.ExpertDegree());
  if (parameter.shape.size() < 2) return parameter.NumElements();
  return CeilDivide(parameter.NumElements(), mesh.Degree(Axis::kTensor));
}

GroupKind KindOf(const ParameterOutline& parameter, const ModelFacts& facts) {
  if (parameter.layer >= 0) return GroupKind::kLayer;
  if (parameter.fqn == facts.embedding) return GroupKind::kEmbedding;
  return parameter.fqn == facts.head ? GroupKind::kHead : GroupKind::kFinalNorm;
}

WeightGroup& GroupOf(const ParameterOutline& parameter, const ModelFacts& facts,
                     std::vector<WeightGroup>& groups) {
  const GroupKind kind = KindOf(parameter, facts);
  const auto found = std::find_if(groups.begin(), groups.end(), [&](const WeightGroup& group) {
    return group.kind == kind && group.layer == parameter.layer;
  });
  if (found != groups.end()) return *found;
  groups.push_back({.kind = kind, .layer = parameter.layer});
  return groups.back();
}

void AddTo(WeightGroup& group, const ParameterOutline& parameter, const MeshLayout& mesh,
           bool is_gain, bool trains, bool fused) {
  const int64_t degree = ShardDegree(parameter, mesh), elements = LocalElements(parameter, mesh);
  auto unit = std::find_if(group.units.begin(), group.units.end(), [&](const WeightUnit& known) {
    return fused && known.is_gain == is_gain && known.shard_degree == degree;
  });
  if (unit == group.units.end()) {
    group.units.push_back({.is_gain = is_gain, .shard_degree = degree});
    unit = std::prev(group.units.end());
  }
  unit->numel += RoundUp(elements, kAlignment);
  if (trains) unit->num_trainable += CeilDivide(elements, degree);
}

int64_t SumOf(const std::vector<WeightUnit>& units, int64_t WeightUnit::*size) {
  int64_t sum = 0;
  for (const WeightUnit& unit : units) sum += unit.*size;
  return sum;
}

}  // namespace

int64_t ComputeBytes(const config::Config& config) {
  return config.precision.compute_dtype == config::ComputeDType::kBFloat16 ? 2 : kMasterBytes;
}

int64_t WeightGroup::NumElements() const { return SumOf(units, &WeightUnit::numel); }
int64_t WeightGroup::NumShardElements() const { return SumOf(units, &WeightUnit::shard_numel); }
int64_t WeightGroup::NumTrainable() const { return SumOf(units, &WeightUnit::num_trainable); }

int64_t WeightGroup::GatheredBytes(int64_t compute_bytes) const {
  int64_t bytes = 0;
  for (const WeightUnit& unit : units)
    bytes += unit.numel * (unit.is_gain ? kMasterBytes : compute_bytes);
  return bytes;
}

std::vector<WeightGroup> GroupsOnRank(const config::Config& config, const ModelOutline& outline,
                                      const ModelFacts& facts, const TrainPlan& plan, int rank) {
  const bool casts = ComputeBytes(config) != kMasterBytes;
  const bool fused = plan.mesh.Degree(Axis::kShard) == 1 || config.fsdp.comm_fusion;
  std::vector<WeightGroup> groups;
  for (const ParameterOutline& parameter : outline.parameters) {
    if (CopiesOnRank(parameter, outline, facts, plan.stages, rank) == 0) continue;
    AddTo(GroupOf(parameter, facts, groups), parameter, plan.mesh, casts && IsGain(parameter),
          plan.trainable.contains(parameter.fqn), fused);
  }
  for (WeightGroup& group : groups) {
    for (WeightUnit& unit : group.units) {
      unit.numel = RoundUp(unit.numel, kAlignment * unit.shard_degree);
      unit.shard_numel = unit.numel / unit.shard_degree;
    }
  }
  return groups;
}

}  // namespace hyperpp::plan
