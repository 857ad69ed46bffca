#include "hyperpp/trainer/trainer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <utility>

#include "hyperpp/checkpoint/hf_export.h"
#include "hyperpp/config/load.h"
#include "hyperpp/core/error.h"
#include "hyperpp/optim/lr_schedule.h"
#include "hyperpp/trainer/data_options.h"
#include "hyperpp/trainer/export_model.h"
#include "hyperpp/trainer/initial_weights.h"
#include "hyperpp/trainer/step_recorder.h"

namespace hyperpp::trainer {
namespace {

namespace fs = std::filesystem;

void MakeFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder))
    throw IoError(fmt::format(
        "output.directory: cannot make folder {}: {}; name a folder that can be written",
        folder.string(), error ? error.message() : "a file is in its place"));
}

}  // namespace

Trainer::Trainer(const RunInputs& inputs, comm::World& world, const Log& log)
    : inputs_(inputs),
      config_(inputs.config),
      world_(world),
      log_(log),
      device_(
          ChooseDevice(config_, world.identity().local_rank, world.identity().local_world_size)),
      checkpoints_(std::make_unique<Checkpointing>(inputs, world, log)) {
  world_.CheckSame(config::Flatten(config_));
  PrepareProcess(device_, config_.training.deterministic);
  Introduce();
  world_.Agree([&] { OpenOutput(); });
  world_.Agree([&] { OpenData(); });
  model_ = BuildStages(inputs_, world_, device_, &trace_);
  MaterialiseModel(model_, &world_, device_, /*with_gradients=*/true);
  world_.Agree([&] { LoadInitialWeights(model_, inputs_); });
  optimizer_ = optim::MakeOptimizer(config_.optimizer, model_.store->TrainableWeights());
  step_ = std::make_unique<TrainStep>(model_, *optimizer_, world_, config_, &trace_);
  Resume();
  model_.pipeline->Prepare();
}

Trainer::~Trainer() = default;

void Trainer::Introduce() const {
  if (world_.rank() != 0) return;
  for (const std::string& warning : inputs_.spec.warnings) log_.Warning("{}", warning);
  const plan::BatchPlan& batch = inputs_.plan.batch;
  log_.Info("model      {}, {} parameters, {} FLOP per token", inputs_.spec.family,
            RateText(static_cast<double>(inputs_.plan.cost.num_parameters)),
            RateText(inputs_.plan.cost.flops_per_token));
  log_.Info(
      "batch      {} sequences of {} tokens a step, {} microbatches of {} on each of {} "
      "data-parallel ranks",
      batch.global, batch.sequence_length, batch.num_microbatches, batch.microbatch,
      world_.layout().DataDegree());
  log_.Info("device     {}", device_.description);
}

void Trainer::OpenOutput() {
  if (world_.rank() != 0) return;
  const fs::path folder = config_.output.directory;
  MakeFolder(folder);
  if (config_.checkpoint.resume == config::ResumeMode::kNone) checkpoints_->RefuseToOverwrite();
  if (config_.checkpoint.export_hf) checkpoint::CheckExportTarget((folder / "hf").string());
  std::ofstream out(folder / "config.yaml");
  out << config::WriteConfig(config_);
  out.flush();
  if (!out) throw IoError(fmt::format("{}: cannot write", (folder / "config.yaml").string()));
}

void Trainer::OpenData() {
  std::vector<std::string> warnings;
  data::SourceOptions options = DataOptions(inputs_, world_);
  options.warnings = &warnings;
  stream_ = data::OpenTrainingData(config_.data, options, config_.training.global_batch_size);
  reader_ = std::make_unique<BatchReader>(*stream_, world_, config_, inputs_.plan.batch.microbatch,
                                          device_.device);
  if (config_.evaluation.data) {
    options.for_evaluation = true;
    evaluation_data_ =
        data::OpenEvaluationData(*config_.evaluation.data, options, config_.evaluation.max_samples);
  }
  if (world_.rank() != 0) return;
  for (const std::string& warning : warnings) log_.Warning("{}", warning);
}

void Trainer::Resume() {
  if (config_.checkpoint.resume == config::ResumeMode::kNone) return;
  const auto resumed = checkpoints_->Resume(*model_.store, *optimizer_);
  if (!resumed) return log_.Info("resume     no checkpoint found, starting at step 0");
  state_ = *resumed;
  log_.Info("resume     at step {}", state_.step);
}

void Trainer::OpenChecksums() {
  if (!config_.output.checksums) return;
  world_.Agree([&] {
    const fs::path folder = fs::path(config_.output.directory) / "checksums";
    MakeFolder(folder);
    const std::string file = (folder / fmt::format("rank_{}.jsonl", world_.rank())).string();
    checksums_ = std::make_unique<ChecksumLog>(file, *model_.store, state_.step);
  });
  step_->set_checksums(checksums_.get());
}

void Trainer::Run(const std::function<bool()>& stop_requested) {
  const int64_t steps = config_.training.steps;
  const int64_t first = state_.step + 1;
  if (state_.step >= steps && steps > 0)
    log_.Info("nothing to train: the checkpoint is at step {}, training.steps is {}", state_.step,
              steps);
  StepRecorder recorder(inputs_, log_, state_.step, PeakFlopsOfJob());
  OpenChecksums();
  for (int64_t step = first; step <= steps; ++step) {
    const std::string activity = fmt::format("step {}", step);
    world_.SetActivity(activity);
    model_.pipeline->set_activity(activity);
    TraceSteps(step);
    // A failed save in the background stops all ranks together; Save or Finish throws its error.
    const bool stop = TrainOneStep(step, stop_requested() || checkpoints_->SaveFailed(), recorder);
    const bool last = stop || step == steps;
    if (checkpoints_->enabled() && (last || checkpoints_->Due(step))) Save(step);
    if (last) checkpoints_->Finish();
    if (stop) {
      recorder.Break();
      log_.Info("stopped by a signal after step {}{}", step,
                checkpoints_->enabled() ? ", saved" : "");
      break;
    }
  }
  TraceSteps(/*step=*/-1);
  if (checksums_) checksums_->Finish();
  world_.SetActivity("export");
  if (config_.checkpoint.export_hf) Export();
}

// Records the steps that output.trace asks for, and writes them when the last of them is done.
void Trainer::TraceSteps(int64_t step) {
  if (!config_.output.trace) return;
  const config::TraceSection& asked = *config_.output.trace;
  const bool wanted = step >= asked.start_step && step < asked.start_step + asked.num_steps;
  if (trace_.recording() && !wanted) {
    const fs::path folder = fs::path(config_.output.directory) / "trace";
    MakeFolder(folder);
    trace_.Write((folder / fmt::format("rank_{}.json", world_.rank())).string(), world_.rank(),
                 world_.layout().Label(world_.rank()));
  }
  trace_.set_recording(wanted);
}

// All ranks compute on devices like this one's: a job of mixed GPUs has no meaningful peak.
std::optional<double> Trainer::PeakFlopsOfJob() const {
  if (!device_.peak_flops) return std::nullopt;
  return *device_.peak_flops * world_.size();
}

bool Trainer::TrainOneStep(int64_t step, bool stop_requested, StepRecorder& recorder) {
  const TraceSpan span(&trace_, TraceLane::kStep, "step", {{"step", step}});
  const auto start = std::chrono::steady_clock::now();
  const LocalBatch batch = reader_->Read(step);
  const double lr =
      optim::LearningRate(config_.lr_scheduler, config_.optimizer.lr, step, config_.training.steps);
  const StepResult result = step_->Run({step, lr, stop_requested}, batch);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;

  state_.step = step;
  state_.tokens += batch.global_tokens;
  StepRecord record{.step = step,
                    .result = result,
                    .learning_rate = lr,
                    .step_tokens = batch.global_tokens,
                    .total_tokens = state_.tokens,
                    .seconds = elapsed.count()};
  if (EvaluationDue(step)) {
    const EvaluationResult evaluated = RunEvaluation();
    record.evaluation_loss = evaluated.loss;
  }
  recorder.Write(record);
  if (!result.finite) HandleNonFinite(step, result);
  if (batch.global_labels == 0)
    log_.Warning("step {}: no label in the global batch; weights unchanged", step);
  return result.stop;
}

void Trainer::HandleNonFinite(int64_t step, const StepResult& result) {
  const std::string fact =
      fmt::format("step {}: loss {}, gradient norm {}", step, result.loss, result.grad_norm);
  if (config_.training.on_nonfinite == config::OnNonFinite::kStop) {
    checkpoints_->Finish();  // a save under way is what the user will go on from
    throw NonFiniteError(
        fact +
        "; weights are those of the step before; lower optimizer.lr, check the data, or "
        "set training.on_nonfinite: skip");
  }
  if (world_.rank() == 0) log_.Warning("{}; the update is skipped", fact);
}

bool Trainer::EvaluationDue(int64_t step) const {
  if (!evaluation_data_) return false;
  if (step == config_.training.steps) return true;
  return config_.evaluation.interval > 0 && step % config_.evaluation.interval == 0;
}

EvaluationResult Trainer::RunEvaluation() {
  HYPERPP_CHECK(evaluation_data_, "no evaluation data");
  return Evaluate(*model_.pipeline, *evaluation_data_, world_,
                  EvaluationBatchesOf(inputs_, world_, device_.device));
}

void Trainer::Save(int64_t step) {
  checkpoints_->Save(state_, stream_->Position(step + 1), model_, *optimizer_);
}

void Trainer::Export() {
  const std::string folder = (fs::path(config_.output.directory) / "hf").string();
  ExportModel(inputs_, model_, world_, folder);
  log_.Info("exported   {}", folder);
}

}  // namespace hyperpp::trainer
