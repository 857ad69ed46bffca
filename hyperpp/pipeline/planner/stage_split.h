// Which decoder layers each virtual stage holds.
//
// Virtual stage = chunk * num_ranks + rank: activations run through the ranks once per chunk and go
// from the last rank back to rank 0 between chunks. Ten layers on two ranks, two chunks,
// split [[2, 3], [3, 2]]:
//
//     stage    0     1     2     3
//     rank     0     1     0     1
//     layers  0-1   2-4   5-7   8-9
//
// The first stage also holds the embedding, the last one the final norm and head.
// An automatic split makes layer counts equal, or costs; the latter is the linear partition problem
// (Skiena, The Algorithm Design Manual, section 10.7).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hyperpp::pipeline {

/// What a split is made from; the names in messages are the configuration's.
struct SplitRequest {
  std::string schedule = "1f1b";  // for messages
  bool interleaved = false;       // the schedule runs several chunks per rank
  int64_t num_ranks = 1;          // pp_size
  int64_t num_layers = 0;         // decoder layers; an MTP block is not counted
  /// Rows of layer counts: one row per chunk, one entry per rank; empty for an automatic split.
  std::vector<std::vector<int64_t>> split = {};
  bool split_is_2d = false;

  /// For an automatic split by cost: one cost per layer, and those of the embedding and the head
  /// with the final norm. Empty: all layers cost the same, embedding and head nothing.
  std::vector<double> layer_costs = {};
  double embedding_cost = 0, head_cost = 0;
};

/// One virtual stage: decoder layers [first_layer, first_layer + num_layers).
struct StageLayers {
  int stage = 0;
  int rank = 0;  // pipeline coordinate
  int chunk = 0;
  int64_t first_layer = 0;
  int64_t num_layers = 0;

  bool operator==(const StageLayers&) const = default;
};

/// Why a split does not work.
struct SplitProblem {
  std::string key;   // of the configuration
  std::string fact;  // "<fact with numbers>; <what to do>"
};

/// Everything that forbids the split of `request`; empty if it works.
std::vector<SplitProblem> CheckSplit(const SplitRequest& request);

/// Returns the virtual stages in order.
/// Errors: PlanError with all problems of CheckSplit.
std::vector<StageLayers> SplitStages(const SplitRequest& request);

/// Layers per rank that differ by at most one, larger ones in the middle: 10 on 4 are 2, 3, 3, 2.
/// An odd rest goes towards the first rank, because the last one has the head.
std::vector<int64_t> BalanceLayers(int64_t num_layers, int64_t num_ranks);

/// Layers per rank, at least one each, with the smallest largest sum of costs; among those, the
/// smallest sum of squares.
std::vector<int64_t> BalanceCosts(const std::vector<double>& layer_costs, double embedding_cost,
                                  double head_cost, int64_t num_ranks);

}  // namespace hyperpp::pipeline
