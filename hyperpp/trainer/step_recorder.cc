#include "hyperpp/trainer/step_recorder.h"

#include <filesystem>

namespace hyperpp::trainer {

StepRecorder::StepRecorder(const RunInputs& inputs, const Log& log, int64_t last_step,
                           std::optional<double> peak_flops)
    : progress_(log, last_step + 1, inputs.config.training.steps,
                inputs.config.output.log_interval),
      flops_per_token_(inputs.plan.cost.flops_per_token),
      peak_flops_(peak_flops) {
  if (log.rank() != 0) return;
  const std::filesystem::path folder = inputs.config.output.directory;
  metrics_ = std::make_unique<MetricsLog>((folder / "metrics.jsonl").string(), last_step);
  if (inputs.config.output.tensorboard)
    tensorboard_ = std::make_unique<TensorBoardWriter>((folder / "tensorboard").string());
}

void StepRecorder::Write(const StepRecord& record) {
  if (!metrics_) return;
  const double tokens_per_second = static_cast<double>(record.step_tokens) / record.seconds;
  nlohmann::json json = {{"step", record.step},
                         {"loss", FiniteOrNull(record.result.loss)},
                         {"grad_norm", FiniteOrNull(record.result.grad_norm)},
                         {"lr", record.learning_rate},
                         {"tokens", record.total_tokens},
                         {"step_time_ms", record.seconds * 1e3},
                         {"tokens_per_second", tokens_per_second},
                         {"peak_memory_bytes", record.result.peak_memory_bytes}};
  if (peak_flops_) json["mfu"] = tokens_per_second * flops_per_token_ / *peak_flops_;
  if (record.evaluation_loss) json["evaluation_loss"] = FiniteOrNull(*record.evaluation_loss);
  metrics_->Write(json);
  if (tensorboard_) tensorboard_->Write(record.step, json);
  progress_.Show({record.step, record.result.loss, record.result.grad_norm, record.learning_rate,
                  tokens_per_second, record.evaluation_loss});
}

void StepRecorder::Break() { progress_.Break(); }

}  // namespace hyperpp::trainer
