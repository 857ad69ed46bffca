// The samples of an evaluation pass: every sample of every source once, in order, with the shorter
// rests at the ends of token streams, cut after a given number.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hyperpp/data/source.h"

namespace hyperpp::data {

class EvaluationSet : public Source {
 public:
  /// Joins `sources`; `max_samples` 0 takes all. Errors: InputError if there is no sample at all.
  EvaluationSet(std::vector<std::unique_ptr<Source>> sources, int64_t max_samples);

  int64_t NumSamples() const override { return num_samples_; }
  Sample Read(int64_t index) const override;
  std::string Name() const override;

 private:
  std::vector<std::unique_ptr<Source>> sources_;
  int64_t num_samples_ = 0;
};

}  // namespace hyperpp::data
