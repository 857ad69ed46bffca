#include "hyperpp/plan/make_plan.h"

#include <fmt/format.h>

#include "hyperpp/core/error.h"
#include "hyperpp/plan/memory_estimate.h"
#include "hyperpp/plan/mesh.h"
#include "hyperpp/plan/model_cost.h"
#include "hyperpp/plan/model_rules.h"
#include "hyperpp/plan/planned_schedule.h"
#include "hyperpp/plan/refusals.h"
#include "hyperpp/plan/stages.h"
#include "hyperpp/plan/support.h"
#include "hyperpp/plan/traffic_estimate.h"
#include "hyperpp/plan/trainable.h"

namespace hyperpp::plan {
namespace {

// Divides the batch. config/rules.cc has checked this unless the mesh decides dp_shard_size.
BatchPlan PlanBatch(const config::Config& config, const MeshLayout& mesh, Refusals& refusals) {
  const config::TrainingSection& training = config.training;
  BatchPlan batch{.global = training.global_batch_size,
                  .sequence_length = training.sequence_length,
                  .tokens_per_step = training.global_batch_size * training.sequence_length};
  const char* key =
      config.pipeline.enabled ? "pipeline.pp_microbatch_size" : "training.micro_batch_size";
  batch.microbatch =
      config.pipeline.enabled ? config.pipeline.pp_microbatch_size : training.micro_batch_size;
  const int64_t degree = mesh.DataDegree();
  if (batch.global % degree != 0) {
    refusals.Add("training.global_batch_size",
                 fmt::format("{} does not divide by the data-parallel degree dp_shard_size {} * "
                             "dp_replicate_size {} = {}; use a multiple of {}",
                             batch.global, mesh.Degree(Axis::kShard), mesh.Degree(Axis::kReplicate),
                             degree, degree));
    return batch;
  }
  batch.local = batch.global / degree;
  if (batch.local % batch.microbatch != 0) {
    refusals.Add(key,
                 fmt::format("{} does not divide the local batch {} = global_batch_size {} / "
                             "data-parallel degree {}; use a divisor of {}",
                             batch.microbatch, batch.local, batch.global, degree, batch.local));
    return batch;
  }
  batch.num_microbatches = batch.local / batch.microbatch;
  return batch;
}

}  // namespace

TrainPlan MakePlan(const config::Config& config, const ModelOutline& outline,
                   const ModelFacts& facts, int world_size, Purpose purpose) {
  Refusals refusals(config.locations);
  TrainPlan plan;
  const auto mesh = MakeMesh(config, world_size, refusals);
  if (mesh) {
    plan.mesh = *mesh;
    plan.batch = PlanBatch(config, *mesh, refusals);
  }
  CheckModel(config, facts, refusals);
  const pipeline::SplitRequest request = SplitRequestOf(config, outline, facts);
  for (const auto& [key, fact] : pipeline::CheckSplit(request)) refusals.Add(key, fact);
  plan.trainable = TrainableParameters(config.training.trainable, outline, refusals);

  Refusals unsupported(config.locations);
  for (const auto& [key, fact] : Unsupported(config)) unsupported.Add(key, fact);
  if (purpose == Purpose::kInspection) {
    plan.unsupported = unsupported.Lines();
  } else if (!unsupported.Empty()) {
    throw PlanError(refusals.Text() + (refusals.Empty() ? "" : "\n") + unsupported.Text());
  }
  if (!refusals.Empty()) throw PlanError(refusals.Text());

  plan.stages = PlanStages(request, outline, facts);
  SetStageCosts(plan.stages, LayerCostsOf(outline, facts, config.training.sequence_length));
  if (config.pipeline.enabled) {
    plan.schedule = request.schedule;
    plan.p2p_overlap = config.pipeline.p2p_overlap;
    plan.bubble_fraction =
        BubbleFraction(request.num_ranks, ShapeOf(plan).num_chunks, plan.batch.num_microbatches);
  }
  plan.cost = CostOf(outline, facts, config.training.sequence_length);
  plan.memory = EstimateMemory(config, outline, facts, plan);
  plan.traffic = EstimateTraffic(config, outline, facts, plan);
  return plan;
}

}  // namespace hyperpp::plan
