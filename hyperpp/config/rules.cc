#include "hyperpp/config/rules.h"

#include <algorithm>

#include <fmt/format.h>

namespace hyperpp::config {
namespace {

using Broken = std::optional<std::string>;
constexpr std::nullopt_t kHolds = std::nullopt;

std::string_view ScheduleName(ScheduleType schedule) {
  switch (schedule) {
    case ScheduleType::kGPipe:
      return "gpipe";
    case ScheduleType::k1F1B:
      return "1f1b";
    case ScheduleType::kInterleaved1F1B:
      break;
  }
  return "interleaved1f1b";
}

// ---- model ----

Broken ModelIsGivenOnce(const Config& c) {
  const bool path = !c.model.path.empty(), config = !c.model.inline_config.is_null();
  if (path && config) return "given beside model.config; keep one of the two";
  if (!path && !config) return "neither model.path nor model.config is given; give one of the two";
  return kHolds;
}

Broken OverridesChangeAFolder(const Config& c) {
  if (c.model.overrides.is_null() || c.model.inline_config.is_null()) return kHolds;
  return "changes the config.json of model.path, but model.config is given; write the keys there";
}

Broken PretrainedNeedsAFolder(const Config& c) {
  if (c.model.init != ModelInit::kPretrained || !c.model.path.empty()) return kHolds;
  return "pretrained needs the weights of model.path, which is not given; use random";
}

// ---- training: how the global batch is divided ----

// The known part of the data-parallel degree; with dp_shard_size -1 the plan knows the rest.
int64_t KnownDataDegree(const Config& c) {
  return std::max<int64_t>(c.accelerator.dp_shard_size, 1) * c.accelerator.dp_replicate_size;
}

Broken BatchDividesOverReplicas(const Config& c) {
  const int64_t batch = c.training.global_batch_size, degree = KnownDataDegree(c);
  if (batch % degree == 0) return kHolds;
  return fmt::format(
      "{} does not divide by the data-parallel degree dp_shard_size * dp_replicate_size = {} * {} "
      "= {}; use {} or another multiple of {}",
      batch, std::max<int64_t>(c.accelerator.dp_shard_size, 1), c.accelerator.dp_replicate_size,
      degree, (batch / degree + 1) * degree, degree);
}

// The rule that `size` sequences, the value of a microbatch key, divide the local batch.
Broken DividesLocalBatch(const Config& c, int64_t size) {
  const int64_t batch = c.training.global_batch_size, degree = KnownDataDegree(c);
  if (c.accelerator.dp_shard_size < 0 || batch % degree != 0) return kHolds;
  const int64_t local = batch / degree;
  if (local % size == 0) return kHolds;
  return fmt::format(
      "{} does not divide the local batch {} = global_batch_size {} / data-parallel degree {}; "
      "use a divisor of {}",
      size, local, batch, degree, local);
}

Broken MicrobatchDivides(const Config& c) {
  return DividesLocalBatch(c, c.training.micro_batch_size);
}

Broken PipelineMicrobatchDivides(const Config& c) {
  if (!c.pipeline.enabled) return kHolds;
  return DividesLocalBatch(c, c.pipeline.pp_microbatch_size);
}

// ---- optimizer and its schedule ----

Broken MomentumIsForSgd(const Config& c) {
  if (c.optimizer.momentum == 0 || c.optimizer.type == OptimizerType::kSgd) return kHolds;
  return fmt::format("{} has no effect on adamw; set optimizer.betas, or optimizer.type to sgd",
                     c.optimizer.momentum);
}

Broken WsdNeedsDecaySteps(const Config& c) {
  if (c.lr_scheduler.type != LrSchedule::kWsd) return kHolds;
  if (!c.lr_scheduler.decay_steps) {
    return "missing, and lr_scheduler.type wsd needs it; give the length of the last part";
  }
  const int64_t steps = c.training.steps, warmup = c.lr_scheduler.warmup_steps;
  if (steps == 0 || warmup + *c.lr_scheduler.decay_steps <= steps) return kHolds;
  return fmt::format(
      "{} and lr_scheduler.warmup_steps = {} exceed training.steps = {}; use less of them",
      *c.lr_scheduler.decay_steps, warmup, steps);
}

// ---- accelerator and pipeline ----

Broken NcclNeedsCuda(const Config& c) {
  if (c.accelerator.backend != Backend::kNccl || c.accelerator.device != DeviceType::kCpu) {
    return kHolds;
  }
  return "nccl does not work with accelerator.device cpu; use gloo";
}

Broken EnabledAgreesWithRanks(const Config& c) {
  const int64_t ranks = c.accelerator.pp_size;
  if (c.pipeline.enabled == (ranks > 1)) return kHolds;
  return fmt::format(
      "{} contradicts accelerator.pp_size = {}; pipeline.enabled must be {}, or pp_size {}",
      c.pipeline.enabled, ranks, ranks > 1, c.pipeline.enabled ? "greater than 1" : "1");
}

Broken SplitFitsSchedule(const Config& c) {
  const PipelineSection& p = c.pipeline;
  const std::string_view schedule = ScheduleName(p.schedule);
  if (p.schedule != ScheduleType::kInterleaved1F1B) {
    if (!p.split_is_2d) return kHolds;
    return fmt::format(
        "has {} rows, but pipeline.schedule is {}; use interleaved1f1b, or one list of layer "
        "counts",
        p.split.size(), schedule);
  }
  const std::string wanted = fmt::format(
      "but pipeline.schedule is {}; give at least two rows, one per virtual chunk, "
      "with one layer count per pipeline rank",
      schedule);
  if (p.split.empty()) return "is empty, " + wanted;
  if (!p.split_is_2d) return "is one list, " + wanted;
  if (p.split.size() < 2) return "has one row, " + wanted;
  return kHolds;
}

Broken SplitHasAnEntryPerRank(const Config& c) {
  const PipelineSection& p = c.pipeline;
  const int64_t ranks = c.accelerator.pp_size;
  if (!p.enabled || ranks == 1 || p.split.empty()) return kHolds;
  const auto entries = static_cast<int64_t>(p.split[0].size());
  if (entries == ranks) return kHolds;
  return fmt::format("has {} entries{}, but accelerator.pp_size is {}; give one per pipeline rank",
                     entries, p.split_is_2d ? " in a row" : "", ranks);
}

Broken MultiStreamNeedsOverlap(const Config& c) {
  if (!c.pipeline.p2p_multi_stream || c.pipeline.p2p_overlap) return kHolds;
  return "true needs pipeline.p2p_overlap, which is false; set it to true";
}

// ---- data, evaluation and checkpoints ----

// Rules of one data section; `find` gives it, or null if it does not exist.
template <typename Find>
void AddDataRules(const std::string& section, Find find, std::vector<Rule>& rules) {
  rules.push_back({{section + ".path", section + ".type"}, [find](const Config& c) -> Broken {
                     const DataSection* data = find(c);
                     if (data == nullptr || data->type == DataType::kSynthetic) return kHolds;
                     if (!data->path.empty()) return kHolds;
                     return "missing; give a file or prefix, or set type to synthetic";
                   }});
  rules.push_back({{section + ".tokenizer", section + ".type"}, [find](const Config& c) -> Broken {
                     const DataSection* data = find(c);
                     if (data == nullptr || data->type != DataType::kText) return kHolds;
                     if (!data->tokenizer.empty()) return kHolds;
                     return "missing, and type text needs it; give bytes or a file";
                   }});
}

Broken IntervalNeedsData(const Config& c) {
  if (c.evaluation.interval == 0 || c.evaluation.data) return kHolds;
  return fmt::format("{} without evaluation.data; say what to evaluate on", c.evaluation.interval);
}

Broken WeightsComeFromSomewhere(const Config& c) {
  if (!c.checkpoint.weights_only || c.checkpoint.resume != ResumeMode::kNone) return kHolds;
  return "true has no effect with checkpoint.resume none; name the folder to load from there";
}

Broken AsyncNeedsCheckpoints(const Config& c) {
  if (!c.checkpoint.async || c.checkpoint.interval > 0 || c.checkpoint.directory) return kHolds;
  return "true, but checkpoints are off; set checkpoint.interval or checkpoint.directory";
}

}  // namespace

std::vector<Rule> Rules() {
  std::vector<Rule> rules = {
      {{"model.path", "model.config", "model"}, ModelIsGivenOnce},
      {{"model.overrides", "model.config"}, OverridesChangeAFolder},
      {{"model.init", "model.path", "model.config"}, PretrainedNeedsAFolder},
      {{"training.global_batch_size", "accelerator.dp_shard_size", "accelerator.dp_replicate_size"},
       BatchDividesOverReplicas},
      {{"training.micro_batch_size", "training.global_batch_size", "accelerator.dp_shard_size",
        "accelerator.dp_replicate_size"},
       MicrobatchDivides},
      {{"optimizer.momentum", "optimizer.type"}, MomentumIsForSgd},
      {{"lr_scheduler.decay_steps", "lr_scheduler.type", "lr_scheduler.warmup_steps",
        "training.steps"},
       WsdNeedsDecaySteps},
      {{"accelerator.backend", "accelerator.device"}, NcclNeedsCuda},
      {{"pipeline.enabled", "accelerator.pp_size"}, EnabledAgreesWithRanks},
      {{"pipeline.pp_microbatch_size", "training.global_batch_size", "pipeline.enabled",
        "accelerator.dp_shard_size", "accelerator.dp_replicate_size"},
       PipelineMicrobatchDivides},
      {{"pipeline.split", "pipeline.schedule"}, SplitFitsSchedule},
      {{"pipeline.split", "pipeline.enabled", "accelerator.pp_size"}, SplitHasAnEntryPerRank},
      {{"pipeline.p2p_multi_stream", "pipeline.p2p_overlap"}, MultiStreamNeedsOverlap},
  };
  AddDataRules(
      "data", [](const Config& c) { return &c.data; }, rules);
  rules.push_back({{"evaluation.interval", "evaluation.data"}, IntervalNeedsData});
  AddDataRules(
      "evaluation.data",
      [](const Config& c) { return c.evaluation.data ? &*c.evaluation.data : nullptr; }, rules);
  rules.push_back(
      {{"checkpoint.async", "checkpoint.interval", "checkpoint.directory"}, AsyncNeedsCheckpoints});
  rules.push_back({{"checkpoint.weights_only", "checkpoint.resume"}, WeightsComeFromSomewhere});
  return rules;
}

void CheckRules(const Config& config, Problems& problems) {
  for (const Rule& rule : Rules()) {
    const bool unsure = std::any_of(rule.keys.begin(), rule.keys.end(),
                                    [&](const auto& key) { return problems.Concern(key); });
    if (unsure) continue;
    if (const Broken fact = rule.check(config)) {
      problems.Add(config.locations.At(rule.keys.front()), rule.keys.front(), *fact);
    }
  }
}

}  // namespace hyperpp::config
