// The virtual stages of a plan: which part of the model each one holds.
//
// Parameters of a decoder layer belong to that layer's stage, the embedding to the first stage, and
// everything else (final norm, head, MTP block) to the last one. A head tied to the embedding makes
// a second copy of it on the last stage, unless one rank holds both.
#pragma once

#include <vector>

#include "hyperpp/config/config.h"
#include "hyperpp/core/outline.h"
#include "hyperpp/plan/model_facts.h"
#include "hyperpp/plan/train_plan.h"

namespace hyperpp::plan {

/// The name of a schedule in the configuration.
const char* ScheduleName(config::ScheduleType schedule);

/// What the planner is asked for.
pipeline::SplitRequest SplitRequestOf(const config::Config& config, const ModelOutline& outline,
                                      const ModelFacts& facts);

/// The stages of a split, with their parameters counted.
std::vector<StagePlan> PlanStages(const pipeline::SplitRequest& request,
                                  const ModelOutline& outline, const ModelFacts& facts);

/// Notes what each stage costs: its layers, the embedding and the head.
void SetStageCosts(std::vector<StagePlan>& stages, const LayerCosts& costs);

/// True if `stage` computes with `parameter`.
bool StageUses(const StagePlan& stage, const ParameterOutline& parameter,
               const ModelOutline& outline, const ModelFacts& facts);

/// How often pipeline rank `rank` holds `parameter`: 0 or 1; a tied embedding counts once.
int64_t CopiesOnRank(const ParameterOutline& parameter, const ModelOutline& outline,
                     const ModelFacts& facts, const std::vector<StagePlan>& stages, int rank);

/// Part of its time that a pipeline rank waits, for stages of equal cost:
/// (ranks - 1) / (chunks * microbatches + ranks - 1).
/// Source: Narayanan et al., arXiv:2104.04473, sections 2.1 and 2.2.
double BubbleFraction(int64_t num_ranks, int64_t num_chunks, int64_t num_microbatches);

}  // namespace hyperpp::plan
