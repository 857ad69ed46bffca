#include "hyperpp/trainer/progress.h"

#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

namespace hyperpp::trainer {

Progress::Progress(const Log& log, int64_t first_step, int64_t total_steps, int64_t log_interval)
    : log_(log),
      first_step_(first_step),
      total_steps_(total_steps),
      log_interval_(log_interval),
      terminal_(isatty(STDOUT_FILENO) == 1),
      start_(std::chrono::steady_clock::now()) {}

void Progress::Show(const ProgressRecord& record) {
  if (log_.rank() != 0) return;
  const bool due = record.step % log_interval_ == 0 || record.step == total_steps_ ||
                   record.evaluation_loss.has_value();
  if (!due && !terminal_) return;
  std::string line =
      fmt::format("step {}/{}  loss {:.4f}  grad norm {:.3g}  lr {:.2e}  {} tokens/s  eta {}",
                  record.step, total_steps_, record.loss, record.grad_norm, record.learning_rate,
                  RateText(record.tokens_per_second), Eta(record.step));
  if (record.evaluation_loss)
    line += fmt::format("  evaluation loss {:.4f}", *record.evaluation_loss);
  if (!terminal_) return log_.Info("{}", line);
  std::fputs(fmt::format("\r{}\x1b[K", line).c_str(), stdout);
  std::fflush(stdout);
  line_open_ = true;
  if (due) Break();
}

void Progress::Break() {
  if (!line_open_) return;
  std::fputs("\n", stdout);
  std::fflush(stdout);
  line_open_ = false;
}

std::string Progress::Eta(int64_t step) const {
  const int64_t done = step - first_step_ + 1;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  return DurationText(elapsed.count() / static_cast<double>(done) *
                      static_cast<double>(total_steps_ - step));
}

std::string DurationText(double seconds) {
  const auto total = static_cast<int64_t>(seconds + 0.5);
  if (total < 60) return fmt::format("{}s", total);
  if (total < 3600) return fmt::format("{}m {:02}s", total / 60, total % 60);
  return fmt::format("{}h {:02}m", total / 3600, total / 60 % 60);
}

std::string RateText(double value) {
  if (value >= 1e9) return fmt::format("{:.1f}G", value / 1e9);
  if (value >= 1e6) return fmt::format("{:.1f}M", value / 1e6);
  if (value >= 1e3) return fmt::format("{:.1f}k", value / 1e3);
  return fmt::format("{:.0f}", value);
}

}  // namespace hyperpp::trainer
