// Console output of Google Benchmark, followed by a table that compares pairs.
//
// Benchmarks that do the same work are called NAME/aten and NAME/own; the table has one line per
// NAME with both times and their quotient. With one thread the times are the thread's CPU time, so
// that the quotient means something on a busy machine too; with more, wall-clock time.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

namespace hyperpp::kernels {

class PairReporter : public benchmark::ConsoleReporter {
 public:
  explicit PairReporter(bool use_cpu_time) : use_cpu_time_(use_cpu_time) {}

  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  struct Pair {
    double aten_ms = 0, own_ms = 0;
  };
  const bool use_cpu_time_;
  std::map<std::string, Pair> pairs_;
};

}  // namespace hyperpp::kernels
