#include "hyperpp/trainer/checkpointing.h"

#include <filesystem>
#include <utility>

#include "hyperpp/checkpoint/resume_check.h"
#include "hyperpp/checkpoint/save.h"
#include "hyperpp/checkpoint/step_folders.h"
#include "hyperpp/config/load.h"
#include "hyperpp/core/error.h"
#include "hyperpp/trainer/owned_boxes.h"

namespace hyperpp::trainer {
namespace {

namespace fs = std::filesystem;

const char* OptimizerName(config::OptimizerType type) {
  return type == config::OptimizerType::kAdamW ? "adamw" : "sgd";
}

nlohmann::json OptimizerJson(const config::OptimizerSection& section) {
  return {{"type", OptimizerName(section.type)},
          {"lr", section.lr},
          {"betas", section.betas},
          {"eps", section.eps},
          {"weight_decay", section.weight_decay},
          {"momentum", section.momentum}};
}

nlohmann::json LayoutJson(const MeshLayout& mesh) {
  nlohmann::json layout;
  for (const Axis axis : kAxes) layout[std::string(AxisName(axis))] = mesh.Degree(axis);
  return layout;
}

// `owned` is laid out like the weight's parameter.
void AppendBoxes(const models::Weight& weight, const std::string& kind, const at::Tensor& owned,
                 std::vector<checkpoint::SavedTensor>& out) {
  for (const OwnedBox& box : OwnedBoxes(weight, owned))
    out.push_back({weight.fqn(), kind, weight.full_shape(), box.offsets, box.values});
}

void ReadBoxes(checkpoint::CheckpointReader& reader, const models::Weight& weight,
               const std::string& kind, const at::Tensor& owned) {
  for (const OwnedBox& box : OwnedBoxes(weight, owned))
    reader.Read(weight.fqn(), kind, box.offsets, box.values);
}

}  // namespace

Checkpointing::Checkpointing(const RunInputs& inputs, comm::World& world, const Log& log)
    : inputs_(inputs), world_(world), log_(log) {
  if (inputs.config.checkpoint.async)
    background_ = std::make_unique<checkpoint::AsyncSaver>(&world);
}

std::string Checkpointing::Directory() const {
  const auto& given = inputs_.config.checkpoint.directory;
  return given ? *given : (fs::path(inputs_.config.output.directory) / "checkpoints").string();
}

bool Checkpointing::enabled() const {
  return inputs_.config.checkpoint.interval > 0 || inputs_.config.checkpoint.directory.has_value();
}

bool Checkpointing::Due(int64_t step) const {
  const int64_t interval = inputs_.config.checkpoint.interval;
  return interval > 0 && step % interval == 0;
}

void Checkpointing::RefuseToOverwrite() const {
  const auto found = checkpoint::FindCheckpoints(Directory());
  if (found.empty()) return;
  throw ConfigError(
      fmt::format("checkpoint.resume: none, but {} holds checkpoints up to step {}; use resume: "
                  "auto to go on from there, "
                  "or another output.directory to start anew",
                  Directory(), found.back().step));
}

std::optional<std::string> Checkpointing::Find() const {
  const auto& section = inputs_.config.checkpoint;
  if (section.resume == config::ResumeMode::kNone) return std::nullopt;
  if (section.resume == config::ResumeMode::kDirectory)
    return checkpoint::ResolveResume(section.resume_directory);
  const auto newest = checkpoint::NewestCheckpoint(Directory());
  return newest ? std::optional(newest->path) : std::nullopt;
}

void Checkpointing::LoadWeights(checkpoint::CheckpointReader& reader,
                                models::ParameterStore& store) const {
  checkpoint::CheckModel(reader, inputs_.spec.Outline());
  for (const models::Weight* weight : store.weights())
    ReadBoxes(reader, *weight, checkpoint::kParameter, weight->parameter());
  store.CastParameters();
}

void Checkpointing::LoadOptimizer(checkpoint::CheckpointReader& reader,
                                  const models::ParameterStore& store,
                                  optim::Optimizer& optimizer) const {
  checkpoint::OptimizerNeeds needs{OptimizerName(inputs_.config.optimizer.type),
                                   optim::StateKinds(inputs_.config.optimizer),
                                   {}};
  for (const models::Weight* weight : store.TrainableWeights())
    needs.trainable.push_back(weight->fqn());
  if (!checkpoint::CheckOptimizer(reader, needs)) return;  // of step 0: moments are zero
  for (const optim::StateTensor& state : optimizer.state())
    ReadBoxes(reader, *state.weight, state.kind, state.value);
}

std::optional<RunState> Checkpointing::Resume(models::ParameterStore& store,
                                              optim::Optimizer& optimizer) {
  std::optional<RunState> state;
  world_.Agree([&] {
    const std::optional<std::string> folder = Find();
    if (!folder) return;
    checkpoint::CheckpointReader reader(*folder);
    LoadWeights(reader, store);
    state = RunState{};
    if (inputs_.config.checkpoint.weights_only) return;
    LoadOptimizer(reader, store, optimizer);
    const checkpoint::CheckpointState& saved = reader.manifest().state;
    state->step = saved.step;
    state->tokens = saved.extra.is_object() ? saved.extra.value("tokens", int64_t{0}) : 0;
    const std::string steps = std::to_string(inputs_.config.training.steps);
    const std::string before =
        saved.config.is_object() ? saved.config.value("training.steps", steps) : steps;
    if (before != steps)
      log_.Info("schedule   recomputed for training.steps {} (the checkpoint's run had {})", steps,
                before);
    log_.Info("resume     {}", *folder);
  });
  return state;
}

void Checkpointing::Save(const RunState& state, const nlohmann::json& data_position,
                         const BuiltModel& model, const optim::Optimizer& optimizer) {
  checkpoint::SaveRequest request;
  request.directory = Directory();
  request.keep = inputs_.config.checkpoint.keep;
  request.source_directory = inputs_.config.model.path;
  checkpoint::CheckpointState& saved = request.state;
  saved.step = state.step;
  saved.world_size = world_.size();
  saved.layout = LayoutJson(world_.layout());
  saved.config = config::Flatten(inputs_.config);
  saved.data = data_position;
  saved.random = {{"seed", inputs_.config.training.seed}};
  saved.optimizer = OptimizerJson(inputs_.config.optimizer);
  saved.model_config = inputs_.spec.source;
  saved.outline = inputs_.spec.Outline();
  saved.export_dtypes = model.export_dtypes;
  saved.extra = {{"tokens", state.tokens}};
  for (const models::Weight* weight : model.store->weights()) {
    if (CountsHere(*weight, model, world_))
      AppendBoxes(*weight, checkpoint::kParameter, weight->parameter(), request.tensors);
  }
  for (const optim::StateTensor& tensor : optimizer.state()) {
    if (CountsHere(*tensor.weight, model, world_))
      AppendBoxes(*tensor.weight, tensor.kind, tensor.value, request.tensors);
  }
  if (!background_) {
    log_.Info("saved      {}", checkpoint::SaveCheckpoint(&world_, request));
    return;
  }
  Finish();
  background_->Start(request);
  step_under_way_ = state.step;
}

void Checkpointing::Finish() {
  if (!step_under_way_) return;
  const int64_t step = *std::exchange(step_under_way_, std::nullopt);
  background_->Finish();
  log_.Info("saved      {}", checkpoint::StepFolderPath(Directory(), step));
}

}  // namespace hyperpp::trainer
