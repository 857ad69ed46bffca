// Samples cut from a stream of tokens. With sequence length S, sample i is tokens i*S .. i*S+S: S
// inputs, and one more token that only the last input predicts and that the next sample begins
// with. S = 4, ten tokens:
//
//     tokens     a b c d e f g h i j
//     sample 0   a b c d e                  labels b c d e
//     sample 1           e f g h i          labels f g h i
//     rest                       i j        label  j, in evaluation only
//
// n tokens give (n - 1) / S samples, and every token but the first is a label exactly once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "hyperpp/data/source.h"
#include "hyperpp/data/token_stream.h"

namespace hyperpp::data {

class StreamSource : public Source {
 public:
  /// Cuts `tokens`; with `document_end`, documents are masked from each other.
  /// Errors: InputError naming id, vocab_size and place if a token is outside the vocabulary; the
  /// whole stream is looked at.
  StreamSource(std::unique_ptr<TokenStream> tokens, const SourceOptions& options,
               std::optional<int32_t> document_end);

  int64_t NumSamples() const override;
  int64_t NumEvaluationSamples() const override;
  Sample Read(int64_t index) const override;
  std::string Name() const override { return tokens_->name(); }
  std::string Amount() const override;
  std::string Need(int64_t num_samples) const override;

 private:
  std::unique_ptr<TokenStream> tokens_;
  int64_t sequence_length_;
  std::optional<int32_t> document_end_;
};

}  // namespace hyperpp::data
