// What a run is made of before any rank starts: the configuration, the model's numbers and the
// plan. Everything here is checked without torch, memory or communication, so that a wrong file is
// refused by the program that was called and not by each of its ranks.
#pragma once

#include <string>
#include <vector>

#include "hyperpp/config/config.h"
#include "hyperpp/models/spec/decoder_spec.h"
#include "hyperpp/plan/make_plan.h"

namespace hyperpp::trainer {

struct RunInputs {
  config::Config config;
  models::DecoderSpec spec;
  plan::TrainPlan plan;
  bool pretrained = false;  // weights come from model.path
};

/// Reads and checks `config_path` with `overrides`, the model's config.json, and plans the run for
/// `world_size` ranks (0: as many as the degrees make; where dp_shard_size is -1, one per visible
/// GPU). Errors: ConfigError, PlanError, InputError, IoError; all mistakes of one kind at once.
RunInputs PrepareRun(const std::string& config_path, const std::vector<std::string>& overrides,
                     int world_size, plan::Purpose purpose = plan::Purpose::kTraining);

}  // namespace hyperpp::trainer
