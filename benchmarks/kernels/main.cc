// Kernels against ATen, at the shapes of the 42M model (hidden 512, intermediate 1536, vocabulary
// 32000, 2048 tokens).
//
//     build/bench/bin/kernels_benchmark [--threads=2] [--benchmark_filter=...]
//         [--benchmark_repetitions=5]
#include <cstdlib>
#include <string_view>

#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>

#include "benchmarks/kernels/compare.h"
#include "benchmarks/kernels/pair_reporter.h"

int main(int argc, char** argv) {
  constexpr std::string_view kThreads = "--threads=";
  int num_threads = 2;
  if (argc > 1 && std::string_view(argv[1]).substr(0, kThreads.size()) == kThreads) {
    num_threads = std::atoi(argv[1] + kThreads.size());
    argv[1] = argv[0];
    --argc, ++argv;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  at::set_num_threads(num_threads);
  const c10::NoGradGuard no_grad;
  hyperpp::kernels::CompareLinear();
  hyperpp::kernels::CompareCrossEntropy();
  hyperpp::kernels::CompareEmbedding();
  hyperpp::kernels::CompareOptimizerSteps();
  hyperpp::kernels::CompareAttention();
  hyperpp::kernels::CompareNorms();
  hyperpp::kernels::PairReporter reporter(num_threads == 1);
  benchmark::RunSpecifiedBenchmarks(&reporter);
  return 0;
}
