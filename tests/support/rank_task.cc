#include "tests/support/rank_task.h"

#include <cstdio>
#include <exception>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "hyperpp/comm/error_kind.h"

namespace hyperpp::test {
namespace {

// Records end with kEnd; the fields of a failure are separated by kSeparator.
constexpr char kSeparator = '\x1f', kEnd = '\x1e';
constexpr const char* kFinished = "finished";

/// GoogleTest has no argument for tests to carry the task in.
std::optional<RankTask>& Task() {
  static std::optional<RankTask> task;
  return task;
}

void WriteRecord(std::string record) {
  record += kEnd;
  std::string_view rest = record;
  while (!rest.empty()) {
    const ssize_t written = write(Task()->result_descriptor, rest.data(), rest.size());
    if (written <= 0) return;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

class FailureReporter final : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    WriteRecord(fmt::format("{}{}{}{}{}", result.file_name() ? result.file_name() : "unknown",
                            kSeparator, result.line_number(), kSeparator, result.message()));
  }
};

}  // namespace

void BecomeRank(RankTask task) {
  GTEST_FLAG_SET(filter, task.test);
  GTEST_FLAG_SET(output, "");
  GTEST_FLAG_SET(repeat, 1);
  GTEST_FLAG_SET(also_run_disabled_tests, true);
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new FailureReporter);
  Task() = std::move(task);
}

const RankTask* CurrentRankTask() { return Task() ? &*Task() : nullptr; }

void RunAsRank(const std::function<void()>& function) {
  try {
    function();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "threw " << comm::ErrorKind(error) << ": " << comm::ErrorText(error);
  }
  WriteRecord(kFinished);
  std::fflush(nullptr);
  _exit(0);
}

std::vector<RankFailure> ParseRecords(const std::string& records, bool* finished) {
  std::vector<RankFailure> failures;
  std::istringstream stream(records);
  std::string record;
  *finished = false;
  while (std::getline(stream, record, kEnd)) {
    if (record == kFinished) {
      *finished = true;
      continue;
    }
    const std::size_t file_end = record.find(kSeparator);
    const std::size_t line_end = record.find(kSeparator, file_end + 1);
    failures.push_back({record.substr(0, file_end),
                        std::stoi(record.substr(file_end + 1, line_end - file_end - 1)),
                        record.substr(line_end + 1)});
  }
  return failures;
}

}  // namespace hyperpp::test
