#include "hyperpp/pipeline/planner/stage_split.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hyperpp/core/error.h"

namespace hyperpp::pipeline {
namespace {

int64_t Sum(const std::vector<std::vector<int64_t>>& rows) {
  int64_t sum = 0;
  for (const auto& row : rows) sum = std::accumulate(row.begin(), row.end(), sum);
  return sum;
}

// Facts about an explicit split.
void CheckEntries(const SplitRequest& request, std::vector<SplitProblem>& problems) {
  for (const auto& row : request.split) {
    if (static_cast<int64_t>(row.size()) != request.num_ranks) {
      problems.push_back(
          {"pipeline.split", fmt::format("[{}] has {} entries, but pp_size is {}; give one per "
                                         "pipeline rank",
                                         fmt::join(row, ", "), row.size(), request.num_ranks)});
    }
    if (std::any_of(row.begin(), row.end(), [](int64_t entry) { return entry < 1; })) {
      problems.push_back(
          {"pipeline.split", fmt::format("[{}] has an entry below 1; every stage needs a "
                                         "decoder layer",
                                         fmt::join(row, ", "))});
    }
  }
  if (const int64_t sum = Sum(request.split); sum != request.num_layers) {
    problems.push_back(
        {"pipeline.split",
         fmt::format("the entries add up to {}, but the model has {} decoder layers; "
                     "give {} in all",
                     sum, request.num_layers, request.num_layers)});
  }
}

// Facts about the form of the split and the schedule.
void CheckForm(const SplitRequest& request, std::vector<SplitProblem>& problems) {
  if (request.interleaved && (!request.split_is_2d || request.split.size() < 2)) {
    problems.push_back(
        {"pipeline.split",
         fmt::format("has {} row(s) of chunks, but schedule {} needs at least two; give one row "
                     "per virtual chunk",
                     request.split_is_2d ? request.split.size() : 0, request.schedule)});
  }
  if (!request.interleaved && request.split_is_2d) {
    problems.push_back(
        {"pipeline.split",
         fmt::format("has {} row(s) of chunks, but schedule {} runs one chunk per rank; use "
                     "interleaved1f1b, or one list of layer counts",
                     request.split.size(), request.schedule)});
  }
}

std::vector<std::vector<int64_t>> AutomaticSplit(const SplitRequest& request) {
  if (request.layer_costs.empty()) return {BalanceLayers(request.num_layers, request.num_ranks)};
  return {BalanceCosts(request.layer_costs, request.embedding_cost, request.head_cost,
                       request.num_ranks)};
}

// Costs of the stages that an automatic split may form.
class StageCosts {
 public:
  StageCosts(const std::vector<double>& layers, double embedding, double head)
      : before_(layers.size() + 1, 0.0), embedding_(embedding), head_(head) {
    std::partial_sum(layers.begin(), layers.end(), before_.begin() + 1);
  }
  size_t NumLayers() const { return before_.size() - 1; }
  /// Cost of a stage with layers [begin, end).
  double Of(size_t begin, size_t end) const {
    return before_[end] - before_[begin] + (begin == 0 ? embedding_ : 0.0) +
           (end == NumLayers() ? head_ : 0.0);
  }

 private:
  std::vector<double> before_;  // before_[i]: cost of the layers before i
  double embedding_, head_;
};

constexpr double kImpossible = std::numeric_limits<double>::infinity();

// Best partition of the first layers into the first stages, `combine` adding a stage to the rest.
// Returns the layer counts; `total` is the combined value of all.
template <typename Combine>
std::vector<int64_t> Partition(const StageCosts& costs, size_t num_ranks, Combine combine,
                               double& total) {
  const size_t num_layers = costs.NumLayers();
  // best[r][n]: combined value of the first n layers on the first r ranks; from[r][n]: where the
  // last of these stages begins.
  std::vector<std::vector<double>> best(num_ranks + 1,
                                        std::vector<double>(num_layers + 1, kImpossible));
  std::vector<std::vector<size_t>> from(num_ranks + 1, std::vector<size_t>(num_layers + 1, 0));
  best[0][0] = 0;
  for (size_t rank = 1; rank <= num_ranks; ++rank) {
    for (size_t end = rank; end <= num_layers; ++end) {
      for (size_t begin = rank - 1; begin < end; ++begin) {
        const double value = combine(best[rank - 1][begin], costs.Of(begin, end));
        if (value >= best[rank][end]) continue;
        best[rank][end] = value;
        from[rank][end] = begin;
      }
    }
  }
  total = best[num_ranks][num_layers];
  std::vector<int64_t> counts(num_ranks);
  for (size_t rank = num_ranks, end = num_layers; rank > 0; end = from[rank][end], --rank) {
    counts[rank - 1] = static_cast<int64_t>(end - from[rank][end]);
  }
  return counts;
}

}  // namespace

std::vector<int64_t> BalanceLayers(int64_t num_layers, int64_t num_ranks) {
  HYPERPP_CHECK_LE(num_ranks, num_layers, "layers on pipeline ranks");
  const int64_t extra = num_layers % num_ranks;
  const int64_t first_larger = (num_ranks - extra) / 2;
  std::vector<int64_t> counts(num_ranks, num_layers / num_ranks);
  for (int64_t i = 0; i < extra; ++i) ++counts[first_larger + i];
  return counts;
}

std::vector<int64_t> BalanceCosts(const std::vector<double>& layer_costs, double embedding_cost,
                                  double head_cost, int64_t num_ranks) {
  HYPERPP_CHECK_LE(num_ranks, static_cast<int64_t>(layer_costs.size()), "layers on pipeline ranks");
  const StageCosts costs(layer_costs, embedding_cost, head_cost);
  double largest = 0, squares = 0;
  Partition(
      costs, num_ranks, [](double rest, double stage) { return std::max(rest, stage); }, largest);
  // Sums of the same costs may round differently.
  const double limit = largest * (1 + 1e-9);
  return Partition(
      costs, num_ranks,
      [limit](double rest, double stage) {
        return stage > limit ? kImpossible : rest + stage * stage;
      },
      squares);
}

std::vector<SplitProblem> CheckSplit(const SplitRequest& request) {
  std::vector<SplitProblem> problems;
  CheckForm(request, problems);
  if (!problems.empty()) return problems;
  if (!request.split.empty()) {
    CheckEntries(request, problems);
  } else if (request.num_ranks > request.num_layers) {
    problems.push_back({"accelerator.pp_size",
                        fmt::format("{} pipeline ranks for {} decoder layers; every stage "
                                    "needs a layer, use at most {}",
                                    request.num_ranks, request.num_layers, request.num_layers)});
  }
  return problems;
}

std::vector<StageLayers> SplitStages(const SplitRequest& request) {
  std::string refusal;
  for (const auto& [key, fact] : CheckSplit(request)) {
    refusal += fmt::format("{}{}: {}", refusal.empty() ? "" : "\n", key, fact);
  }
  if (!refusal.empty()) throw PlanError(refusal);
  const auto rows = request.split.empty() ? AutomaticSplit(request) : request.split;
  std::vector<StageLayers> stages;
  int64_t first_layer = 0;
  for (size_t chunk = 0; chunk < rows.size(); ++chunk) {
    for (size_t rank = 0; rank < rows[chunk].size(); ++rank) {
      stages.push_back({.stage = static_cast<int>(stages.size()),
                        .rank = static_cast<int>(rank),
                        .chunk = static_cast<int>(chunk),
                        .first_layer = first_layer,
                        .num_layers = rows[chunk][rank]});
      first_layer += rows[chunk][rank];
    }
  }
  return stages;
}

}  // namespace hyperpp::pipeline
