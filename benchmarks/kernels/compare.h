// Registers the two benchmarks of a pair (pair_reporter.h).
#pragma once

#include <string>
#include <utility>

#include <benchmark/benchmark.h>

namespace hyperpp::kernels {

/// Registers NAME/aten and NAME/own. `flops` of one call gives a rate beside the time; 0: none.
template <typename Aten, typename Own>
void Compare(const std::string& name, double flops, Aten aten, Own own) {
  const auto add = [&](const char* kind, auto body) {
    benchmark::RegisterBenchmark((name + kind).c_str(),
                                 [flops, body](benchmark::State& state) {
                                   for (auto _ : state) body();
                                   if (flops > 0) {
                                     state.counters["flops"] = benchmark::Counter(
                                         flops, benchmark::Counter::kIsIterationInvariantRate);
                                   }
                                 })
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
  };
  add("/aten", std::move(aten));
  add("/own", std::move(own));
}

// One function per source; main() calls them all.
void CompareLinear();
void CompareCrossEntropy();
void CompareEmbedding();
void CompareOptimizerSteps();
void CompareAttention();
void CompareNorms();

}  // namespace hyperpp::kernels
