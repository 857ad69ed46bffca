// metrics.jsonl: one JSON object per step, written and flushed as the step ends, in full precision;
// non-finite numbers are null.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

namespace hyperpp::trainer {

class MetricsLog {
 public:
  /// Opens `path`; records of steps after `last_step` are dropped (a resumed run writes them
  /// again), all of them for 0. Errors: IoError naming the file and reason.
  MetricsLog(std::string path, int64_t last_step);
  ~MetricsLog();
  MetricsLog(const MetricsLog&) = delete;
  MetricsLog& operator=(const MetricsLog&) = delete;

  /// Appends one record. Errors: IoError (disk full).
  void Write(const nlohmann::json& record);

 private:
  std::string path_;
  int file_ = -1;
};

/// `value`, or null if it is not finite.
nlohmann::json FiniteOrNull(double value);

}  // namespace hyperpp::trainer
