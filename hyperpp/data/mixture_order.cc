#include "hyperpp/data/mixture_order.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hyperpp/core/error.h"

namespace hyperpp::data {
namespace {

constexpr int64_t kLargestExactPeriod = 10000;
constexpr int64_t kRoundedPeriod = int64_t{1} << 30;

}  // namespace

std::vector<int64_t> IntegerWeights(const std::vector<double>& weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<int64_t> integers(weights.size());
  for (int64_t period = 1; period <= kLargestExactPeriod; ++period) {
    bool is_exact = true;
    for (size_t i = 0; i < weights.size() && is_exact; ++i) {
      const double share = weights[i] / sum * static_cast<double>(period);
      integers[i] = std::llround(share);
      is_exact = integers[i] > 0 && std::abs(share - static_cast<double>(integers[i])) < 1e-9;
    }
    if (is_exact) return integers;
  }
  for (size_t i = 0; i < weights.size(); ++i)
    integers[i] = std::max<int64_t>(1, std::llround(weights[i] / sum * kRoundedPeriod));
  return integers;
}

MixtureOrder::MixtureOrder(const std::vector<double>& weights)
    : weights_(IntegerWeights(weights)),
      period_(std::accumulate(weights_.begin(), weights_.end(), int64_t{0})),
      deficits_(weights_.size()),
      counts_(weights_.size()) {
  HYPERPP_CHECK(!weights.empty(), "a mixture needs a source");
}

void MixtureOrder::Seek(int64_t draw) {
  HYPERPP_CHECK(draw >= 0, "draw {}", draw);
  const int64_t period_start = draw / period_ * period_;
  if (draw < position_ || period_start > position_) {
    position_ = period_start;
    for (size_t i = 0; i < weights_.size(); ++i) {
      deficits_[i] = 0;
      counts_[i] = draw / period_ * weights_[i];
    }
  }
  while (position_ < draw) Next();
}

MixtureOrder::Draw MixtureOrder::Next() {
  size_t chosen = 0;
  for (size_t i = 0; i < weights_.size(); ++i) {
    deficits_[i] += weights_[i];
    if (deficits_[i] > deficits_[chosen]) chosen = i;
  }
  deficits_[chosen] -= period_;
  ++position_;
  return {chosen, counts_[chosen]++};
}

}  // namespace hyperpp::data
