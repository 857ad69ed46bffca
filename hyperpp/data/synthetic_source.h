// Tokens without a file, for benchmarks and first tries: endless, the same for the same seed, and
// with something to learn.
//
// A fixed random permutation of the vocabulary, next(), belongs to the seed. Each token is followed
// by next(token) with probability 3/4, else by a uniformly drawn one. A model that has learnt
// next() reaches a loss of about 0.56 + 0.25 ln(vocab_size); before, it is ln(vocab_size).
// Evaluation draws other sequences with the same next().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hyperpp/data/source.h"

namespace hyperpp::data {

class SyntheticSource : public Source {
 public:
  /// Samples of an evaluation pass when no number is asked for.
  static constexpr int64_t kNumEvaluationSamples = 256;

  SyntheticSource(const SourceOptions& options, std::optional<int32_t> document_end);

  /// 2^40: no run comes to the end, and numbers made from it do not overflow.
  int64_t NumSamples() const override { return int64_t{1} << 40; }
  int64_t NumEvaluationSamples() const override { return kNumEvaluationSamples; }
  Sample Read(int64_t index) const override;
  std::string Name() const override { return "synthetic data"; }

 private:
  int64_t sequence_length_;
  uint64_t key_;
  std::optional<int32_t> document_end_;
  std::vector<int32_t> next_;  // by token
};

}  // namespace hyperpp::data
