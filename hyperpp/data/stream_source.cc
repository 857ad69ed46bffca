#include "hyperpp/data/stream_source.h"

#include <algorithm>
#include <utility>

#include "hyperpp/core/error.h"
#include "hyperpp/core/round_up.h"
#include "hyperpp/data/document_end.h"

namespace hyperpp::data {

StreamSource::StreamSource(std::unique_ptr<TokenStream> tokens, const SourceOptions& options,
                           std::optional<int32_t> document_end)
    : tokens_(std::move(tokens)),
      sequence_length_(options.sequence_length),
      document_end_(document_end) {
  HYPERPP_CHECK(sequence_length_ > 0, "sequence_length is {}", sequence_length_);
  if (const std::optional<FoundToken> found = tokens_->FindOutside(options.vocab_size))
    throw InputError(fmt::format(
        "{}: id {} is outside the vocabulary, vocab_size = {}; tokenise with the model's tokenizer",
        tokens_->PlaceOf(found->offset), found->id, options.vocab_size));
  if (document_end_ && !tokens_->Contains(*document_end_))
    WarnDocumentEndMissing(tokens_->name(), *document_end_, options);
}

int64_t StreamSource::NumSamples() const {
  return std::max<int64_t>(tokens_->NumTokens() - 1, 0) / sequence_length_;
}

int64_t StreamSource::NumEvaluationSamples() const {
  const int64_t num_labels = std::max<int64_t>(tokens_->NumTokens() - 1, 0);
  return CeilDivide(num_labels, sequence_length_);
}

Sample StreamSource::Read(int64_t index) const {
  HYPERPP_CHECK(index >= 0 && index < NumEvaluationSamples(), "{}: sample {} of {}", Name(), index,
                NumEvaluationSamples());
  const int64_t first = index * sequence_length_;
  const int64_t length = std::min(sequence_length_, tokens_->NumTokens() - 1 - first);
  Sample sample;
  sample.tokens.resize(static_cast<size_t>(length) + 1);
  tokens_->Read(first, sample.tokens);
  sample.labels.assign(sample.tokens.begin() + 1, sample.tokens.end());
  sample.tokens.pop_back();
  MarkDocuments(document_end_, &sample);
  return sample;
}

std::string StreamSource::Amount() const {
  return fmt::format("{} tokens, {} samples of sequence_length {}", tokens_->NumTokens(),
                     NumSamples(), sequence_length_);
}

std::string StreamSource::Need(int64_t num_samples) const {
  return fmt::format("{} samples, {} tokens", num_samples, num_samples * sequence_length_ + 1);
}

}  // namespace hyperpp::data
