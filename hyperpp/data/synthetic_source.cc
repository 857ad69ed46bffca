#include "hyperpp/data/synthetic_source.h"

#include "hyperpp/core/error.h"
#include "hyperpp/core/mix64.h"
#include "hyperpp/data/document_end.h"
#include "hyperpp/data/permutation.h"

namespace hyperpp::data {

SyntheticSource::SyntheticSource(const SourceOptions& options, std::optional<int32_t> document_end)
    : sequence_length_(options.sequence_length),
      key_(Mix64(static_cast<uint64_t>(options.seed), options.for_evaluation ? 2 : 1)),
      document_end_(document_end),
      next_(static_cast<size_t>(options.vocab_size)) {
  const Permutation next(options.vocab_size, Mix64(static_cast<uint64_t>(options.seed), 0));
  for (size_t token = 0; token < next_.size(); ++token)
    next_[token] = static_cast<int32_t>(next(static_cast<int64_t>(token)));
}

Sample SyntheticSource::Read(int64_t index) const {
  HYPERPP_CHECK(index >= 0 && index < NumSamples(), "sample {} of {}", index, NumSamples());
  const uint64_t key = Mix64(key_, index);
  const auto length = static_cast<size_t>(sequence_length_);
  Sample sample;
  sample.tokens.resize(length + 1);
  for (size_t i = 0; i <= length; ++i) {
    const uint64_t bits = Mix64(key, i);
    const bool follows = i > 0 && (bits & 3) != 0;
    sample.tokens[i] = follows ? next_[static_cast<size_t>(sample.tokens[i - 1])]
                               : static_cast<int32_t>(ScaleTo(bits, next_.size()));
  }
  sample.labels.assign(sample.tokens.begin() + 1, sample.tokens.end());
  sample.tokens.pop_back();
  MarkDocuments(document_end_, &sample);
  return sample;
}

}  // namespace hyperpp::data
