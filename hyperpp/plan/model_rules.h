// Rules between the configuration and the model: what divides what, and which keys speak of parts
// that the model lacks.
#pragma once

#include "hyperpp/config/config.h"
#include "hyperpp/plan/model_facts.h"
#include "hyperpp/plan/refusals.h"

namespace hyperpp::plan {

/// Notes everything in `config` that does not fit the model.
void CheckModel(const config::Config& config, const ModelFacts& facts, Refusals& refusals);

}  // namespace hyperpp::plan
