#include "benchmarks/kernels/pair_reporter.h"

#include <algorithm>

#include <fmt/format.h>

namespace hyperpp::kernels {

void PairReporter::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    if (run.run_type != Run::RT_Iteration || run.error_occurred) continue;
    const std::string& name = run.run_name.function_name;
    const size_t slash = name.rfind('/');
    const double seconds = use_cpu_time_ ? run.cpu_accumulated_time : run.real_accumulated_time;
    const double ms = seconds / static_cast<double>(run.iterations) * 1e3;
    double& best = name.substr(slash + 1) == "own" ? pairs_[name.substr(0, slash)].own_ms
                                                   : pairs_[name.substr(0, slash)].aten_ms;
    best = best == 0 ? ms : std::min(best, ms);
  }
  ConsoleReporter::ReportRuns(runs);
}

void PairReporter::Finalize() {
  ConsoleReporter::Finalize();
  std::string table = fmt::format("\n{:<44}{:>10}{:>10}{:>10}\n", "best of all repetitions, ms",
                                  "ATen", "own", "ATen/own");
  for (const auto& [name, pair] : pairs_) {
    if (pair.own_ms == 0 || pair.aten_ms == 0) continue;
    table += fmt::format("{:<44}{:>10.3f}{:>10.3f}{:>10.2f}\n", name, pair.aten_ms, pair.own_ms,
                         pair.aten_ms / pair.own_ms);
  }
  GetOutputStream() << table;
}

}  // namespace hyperpp::kernels
