#include "hyperpp/optim/lr_schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hyperpp::optim {

double LearningRate(const config::LrSchedulerSection& schedule, double peak, int64_t step,
                    int64_t total_steps) {
  if (step <= schedule.warmup_steps)
    return peak * static_cast<double>(step) / static_cast<double>(schedule.warmup_steps);
  const double lowest = schedule.min_lr_ratio;
  const int64_t after_warmup = std::max<int64_t>(total_steps - schedule.warmup_steps, 1);
  const int64_t decay_steps = schedule.decay_steps.value_or(after_warmup);
  const bool wsd = schedule.type == config::LrSchedule::kWsd;
  const int64_t decay_start =
      wsd ? std::max(total_steps - decay_steps, schedule.warmup_steps) : schedule.warmup_steps;
  const double part = std::clamp(static_cast<double>(step - decay_start) /
                                     static_cast<double>(std::max<int64_t>(decay_steps, 1)),
                                 0.0, 1.0);
  switch (schedule.type) {
    case config::LrSchedule::kConstant:
      return peak;
    case config::LrSchedule::kLinear:
    case config::LrSchedule::kWsd:
      return peak * (1 - (1 - lowest) * part);
    case config::LrSchedule::kCosine:
      return peak * (lowest + (1 - lowest) * 0.5 * (1 + std::cos(std::numbers::pi * part)));
  }
  return peak;
}

}  // namespace hyperpp::optim
