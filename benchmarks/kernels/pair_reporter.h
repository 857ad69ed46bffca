// Console output of Google Benchmark, followed by a table that compares pairs.
//
// Benchmarks that do the same work are called NAME/aten and NAME/own; the table has one line per
// NAME with both times and their quotient, which is steadier than the times on a busy machine.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

namespace hyperpp::kernels {

class PairReporter : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  struct Pair {
    double aten_ms = 0, own_ms = 0;
  };
  std::map<std::string, Pair> pairs_;
};

}  // namespace hyperpp::kernels
