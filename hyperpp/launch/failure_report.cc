#include "hyperpp/launch/failure_report.h"

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include <unistd.h>

#include "hyperpp/comm/error_kind.h"
#include "hyperpp/comm/shared_cause.h"
#include "hyperpp/core/log.h"

namespace hyperpp::launch {
namespace {

/// Writes all of `text`; returns whether anybody took it.
bool WriteAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

std::string PackReport(const FailureReport& report) {
  return fmt::format("{} {}\n{}", report.exit_status, report.is_communication ? 1 : 0, report.text);
}

std::optional<FailureReport> UnpackReport(const std::string& packed) {
  FailureReport report;
  int is_communication = 0;
  const std::size_t end = packed.find('\n');
  if (end == std::string::npos ||
      std::sscanf(packed.c_str(), "%d %d", &report.exit_status, &is_communication) != 2) {
    return std::nullopt;
  }
  report.is_communication = is_communication != 0;
  report.text = packed.substr(end + 1);
  return report;
}

void PrintFailure(const std::string& text, int rank, int world_size) {
  const bool names_rank = world_size == 1 || text.starts_with("rank ");
  (names_rank ? Log() : Log(rank, world_size)).Error("{}", text);
}

int ReportFailure(const std::exception& error, const std::optional<comm::RankIdentity>& identity) {
  const int status = static_cast<int>(comm::ErrorStatus(error));
  const FailureReport report{status, dynamic_cast<const CommError*>(&error) != nullptr,
                             comm::ErrorText(error)};
  if (!identity) {
    PrintFailure(report.text, 0, 1);
    return status;
  }
  if (identity->report_descriptor >= 0 &&
      WriteAll(identity->report_descriptor, PackReport(report))) {
    return status;
  }
  const auto* shared = dynamic_cast<const comm::SharedCause*>(&error);
  if (shared == nullptr || shared->speaker() == identity->rank) {
    PrintFailure(report.text, identity->rank, identity->world_size);
  }
  return status;
}

void LeaveProcess(int exit_status) {
  std::cout.flush();
  std::fflush(nullptr);
  _exit(exit_status);
}

}  // namespace hyperpp::launch
