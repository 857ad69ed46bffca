#include "hyperpp/trainer/metrics_log.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "hyperpp/core/error.h"

namespace hyperpp::trainer {
namespace {

// Complete records up to `last_step`; a torn last line (the run was killed while writing) is
// dropped.
std::string KeptRecords(const std::string& path, int64_t last_step) {
  std::ifstream in(path);
  std::string kept, line;
  while (last_step > 0 && std::getline(in, line)) {
    const auto record = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!record.is_object() || !record.contains("step") || record["step"] > last_step) continue;
    kept += line + "\n";
  }
  return kept;
}

}  // namespace

MetricsLog::MetricsLog(std::string path, int64_t last_step) : path_(std::move(path)) {
  const std::string kept = KeptRecords(path_, last_step);
  const std::string next = path_ + ".new";
  {
    std::ofstream out(next, std::ios::trunc);
    out << kept;
    out.flush();
    if (!out) throw IoError(fmt::format("{}: cannot write: {}", next, std::strerror(errno)));
  }
  std::error_code error;
  std::filesystem::rename(next, path_, error);
  if (error) throw IoError(fmt::format("{}: cannot replace: {}", path_, error.message()));
  file_ = open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file_ < 0) throw IoError(fmt::format("{}: cannot open: {}", path_, std::strerror(errno)));
}

MetricsLog::~MetricsLog() {
  if (file_ >= 0) close(file_);
}

void MetricsLog::Write(const nlohmann::json& record) {
  const std::string line = record.dump() + "\n";
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = write(file_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0)
      throw IoError(fmt::format("{}: cannot write: {}", path_, std::strerror(errno)));
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

nlohmann::json FiniteOrNull(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
}

}  // namespace hyperpp::trainer
