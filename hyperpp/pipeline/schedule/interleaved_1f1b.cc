#include "hyperpp/pipeline/schedule/interleaved_1f1b.h"

#include <algorithm>

#include <fmt/format.h>

#include "hyperpp/core/error.h"

namespace hyperpp::pipeline {
namespace {

// A microbatch in a chunk of the rank.
struct Pass {
  int chunk = 0;
  MicrobatchIndex microbatch;
};

// The order of forward passes: rounds, in each the chunks, in each the microbatches of the round.
std::vector<Pass> ForwardOrder(const ScheduleShape& shape) {
  std::vector<Pass> passes;
  int first = 0;
  for (const int size : MicrobatchRounds(shape)) {
    for (int chunk = 0; chunk < shape.num_chunks; ++chunk) {
      for (int i = 0; i < size; ++i) passes.push_back({chunk, {first + i}});
    }
    first += size;
  }
  return passes;
}

int NumWarmup(const ScheduleShape& shape, int rank) {
  const int until_return = (shape.num_chunks - 1) * MicrobatchRounds(shape).front();
  const int hops_to_last_rank = shape.num_ranks - 1 - rank;
  return std::min(until_return + 2 * hops_to_last_rank, shape.num_chunks * shape.num_microbatches);
}

}  // namespace

std::vector<int> MicrobatchRounds(const ScheduleShape& shape) {
  const int num_rounds = std::max(1, shape.num_microbatches / shape.num_ranks);
  const int num_larger = shape.num_microbatches % num_rounds;
  std::vector<int> sizes(num_rounds, shape.num_microbatches / num_rounds);
  std::for_each(sizes.begin(), sizes.begin() + num_larger, [](int& size) { ++size; });
  return sizes;
}

Schedule Interleaved1F1B(const ScheduleShape& shape) {
  CheckShape("interleaved1f1b", shape);
  if (shape.num_chunks < 2) {
    throw PlanError(
        fmt::format("schedule interleaved1f1b: {} chunk per rank, but it needs at least two; use "
                    "1f1b, or more chunks",
                    shape.num_chunks));
  }
  const std::vector<Pass> order = ForwardOrder(shape);
  Schedule schedule{.name = "interleaved1f1b", .shape = shape};
  for (int rank = 0; rank < shape.num_ranks; ++rank) {
    const auto forward_of = [&](size_t i) {
      return Forward(shape.StageOf(rank, order[i].chunk), order[i].microbatch);
    };
    // Backward takes the same order with the chunks mirrored.
    const auto backward_of = [&](size_t i) {
      return Backward(shape.StageOf(rank, shape.num_chunks - 1 - order[i].chunk),
                      order[i].microbatch);
    };
    const auto num_warmup = static_cast<size_t>(NumWarmup(shape, rank));
    size_t forward = 0, backward = 0;
    RankActions actions;
    while (forward < num_warmup) actions.push_back(forward_of(forward++));
    while (forward < order.size()) {
      actions.push_back(forward_of(forward++));
      actions.push_back(backward_of(backward++));
    }
    while (backward < order.size()) actions.push_back(backward_of(backward++));
    schedule.ranks.push_back(actions);
  }
  return schedule;
}

int Interleaved1F1BInFlight(const ScheduleShape& shape, int rank) {
  return std::min(NumWarmup(shape, rank) + 1, shape.num_chunks * shape.num_microbatches);
}

}  // namespace hyperpp::pipeline
