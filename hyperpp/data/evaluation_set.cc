#include "hyperpp/data/evaluation_set.h"

#include <algorithm>
#include <utility>

#include "hyperpp/core/error.h"

namespace hyperpp::data {

EvaluationSet::EvaluationSet(std::vector<std::unique_ptr<Source>> sources, int64_t max_samples)
    : sources_(std::move(sources)) {
  HYPERPP_CHECK(!sources_.empty(), "no evaluation sources");
  for (const auto& source : sources_) num_samples_ += source->NumEvaluationSamples();
  if (num_samples_ == 0)
    throw InputError(fmt::format("{}: holds {}; evaluation needs at least 1 sample with a label",
                                 Name(), sources_[0]->Amount()));
  if (max_samples > 0) num_samples_ = std::min(num_samples_, max_samples);
}

Sample EvaluationSet::Read(int64_t index) const {
  HYPERPP_CHECK(index >= 0 && index < num_samples_, "sample {} of {}", index, num_samples_);
  size_t place = 0;
  while (index >= sources_[place]->NumEvaluationSamples())
    index -= sources_[place++]->NumEvaluationSamples();
  return sources_[place]->Read(index);
}

std::string EvaluationSet::Name() const {
  if (sources_.size() == 1) return sources_[0]->Name();
  return fmt::format("{} and {} more", sources_[0]->Name(), sources_.size() - 1);
}

}  // namespace hyperpp::data
