// From configuration and model to a TrainPlan, or to all reasons why there is none.
#pragma once

#include "hyperpp/config/config.h"
#include "hyperpp/core/outline.h"
#include "hyperpp/plan/model_facts.h"
#include "hyperpp/plan/train_plan.h"

namespace hyperpp::plan {

enum class Purpose {
  kTraining,    // refuses what the engine cannot run
  kInspection,  // lists it in TrainPlan::unsupported
};

/// Plans the run of `config` with the model on `world_size` ranks.
/// Errors: PlanError with one line per reason, mistakes first and then what is not supported, each
///         "<file>, line N: <key>: <fact with the numbers>; <what to do>".
TrainPlan MakePlan(const config::Config& config, const ModelOutline& outline,
                   const ModelFacts& facts, int world_size, Purpose purpose = Purpose::kTraining);

}  // namespace hyperpp::plan
