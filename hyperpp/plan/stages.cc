#include "hyperpp/plan/stages.h"

#include <algorithm>
#include <numeric>

namespace hyperpp::plan {

const char* ScheduleName(config::ScheduleType schedule) {
  switch (schedule) {
    case config::ScheduleType::kGPipe:
      return "gpipe";
    case config::ScheduleType::k1F1B:
      return "1f1b";
    case config::ScheduleType::kInterleaved1F1B:
      break;
  }
  return "interleaved1f1b";
}

pipeline::SplitRequest SplitRequestOf(const config::Config& config, const ModelOutline& outline,
                                      const ModelFacts& facts) {
  pipeline::SplitRequest request{.num_layers = outline.num_layers};
  if (!config.pipeline.enabled) return request;
  request.schedule = ScheduleName(config.pipeline.schedule);
  request.interleaved = config.pipeline.schedule == config::ScheduleType::kInterleaved1F1B;
  request.num_ranks = config.accelerator.pp_size;
  request.split = config.pipeline.split;
  request.split_is_2d = config.pipeline.split_is_2d;
  if (config.pipeline.balance == config::Balance::kCost) {
    LayerCosts costs = LayerCostsOf(outline, facts, config.training.sequence_length);
    request.layer_costs = std::move(costs.layers);
    request.embedding_cost = costs.embedding;
    request.head_cost = costs.head;
  }
  return request;
}

bool StageUses(const StagePlan& stage, const ParameterOutline& parameter,
               const ModelOutline& outline, const ModelFacts& facts) {
  if (parameter.layer >= 0 && parameter.layer < outline.num_layers) {
    const int64_t first = stage.layers.first_layer;
    return parameter.layer >= first && parameter.layer < first + stage.layers.num_layers;
  }
  if (parameter.fqn != facts.embedding) return stage.is_last;
  const bool tied = std::any_of(outline.tied.begin(), outline.tied.end(),
                                [&](const auto& pair) { return pair.second == parameter.fqn; });
  return stage.is_first || (tied && stage.is_last);
}

int64_t CopiesOnRank(const ParameterOutline& parameter, const ModelOutline& outline,
                     const ModelFacts& facts, const std::vector<StagePlan>& stages, int rank) {
  return std::any_of(stages.begin(), stages.end(), [&](const StagePlan& stage) {
    return stage.layers.rank == rank && StageUses(stage, parameter, outline, facts);
  });
}

std::vector<StagePlan> PlanStages(const pipeline::SplitRequest& request,
                                  const ModelOutline& outline, const ModelFacts& facts) {
  std::vector<StagePlan> stages;
  for (const pipeline::StageLayers& layers : pipeline::SplitStages(request)) {
    stages.push_back({.layers = layers});
  }
  stages.front().is_first = true;
  stages.back().is_last = true;
  for (StagePlan& stage : stages) {
    for (const ParameterOutline& parameter : outline.parameters) {
      if (StageUses(stage, parameter, outline, facts)) {
        stage.num_parameters += parameter.NumElements();
      }
    }
  }
  return stages;
}

void SetStageCosts(std::vector<StagePlan>& stages, const LayerCosts& costs) {
  for (StagePlan& stage : stages) {
    const auto first = costs.layers.begin() + stage.layers.first_layer;
    stage.flops_per_token = std::accumulate(first, first + stage.layers.num_layers, 0.0);
    if (stage.is_first) stage.flops_per_token += costs.embedding;
    if (stage.is_last) stage.flops_per_token += costs.head;
  }
}

double BubbleFraction(int64_t num_ranks, int64_t num_chunks, int64_t num_microbatches) {
  const auto idle = static_cast<double>(num_ranks - 1);
  return idle / (static_cast<double>(num_chunks * num_microbatches) + idle);
}

}  // namespace hyperpp::plan
