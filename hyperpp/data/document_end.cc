#include "hyperpp/data/document_end.h"

#include "hyperpp/core/error.h"

namespace hyperpp::data {
namespace {

bool InVocabulary(int64_t id, const SourceOptions& options) {
  return id >= 0 && id < options.vocab_size;
}

void CheckConfiguredEnd(const config::DataSection& section, const SourceOptions& options) {
  if (!section.eos_token_id || InVocabulary(*section.eos_token_id, options)) return;
  throw ConfigError(
      fmt::format("data.eos_token_id: {} is not in the vocabulary, vocab_size = {}; "
                  "use an id of 0 to {}",
                  *section.eos_token_id, options.vocab_size, options.vocab_size - 1));
}

}  // namespace

int32_t RequireDocumentEnd(const config::DataSection& section, const SourceOptions& options,
                           const Tokenizer* tokenizer) {
  CheckConfiguredEnd(section, options);
  if (section.eos_token_id) return static_cast<int32_t>(*section.eos_token_id);
  std::optional<int64_t> id = options.model_eos_token_id;
  const char* origin = "eos_token_id of config.json";
  if (!id && tokenizer) {
    id = tokenizer->EndOfDocument();
    origin = "end-of-document id of data.tokenizer";
  }
  if (!id)
    throw ConfigError(fmt::format(
        "data.eos_token_id: {} needs an end-of-document id, and neither this key nor the model's "
        "eos_token_id gives one; set data.eos_token_id",
        section.document_mask ? "document_mask: true" : "type: text"));
  if (!InVocabulary(*id, options))
    throw InputError(
        fmt::format("data.eos_token_id: not set, and the {} is {}, not in the "
                    "vocabulary, vocab_size = {}; set data.eos_token_id",
                    origin, *id, options.vocab_size));
  return static_cast<int32_t>(*id);
}

std::optional<int32_t> DocumentMaskEnd(const config::DataSection& section,
                                       const SourceOptions& options, const Tokenizer* tokenizer) {
  CheckConfiguredEnd(section, options);
  if (!section.document_mask) return std::nullopt;
  return RequireDocumentEnd(section, options, tokenizer);
}

void MarkDocuments(std::optional<int32_t> document_end, Sample* sample) {
  const size_t length = sample->tokens.size();
  sample->document_starts.assign(length, 0);
  if (!document_end) return;
  int32_t start = 0;
  for (size_t i = 0; i < length; ++i) {
    sample->document_starts[i] = start;
    if (sample->tokens[i] != *document_end) continue;
    sample->labels[i] = kNoLabel;
    start = static_cast<int32_t>(i) + 1;
  }
}

void WarnDocumentEndMissing(const std::string& name, int32_t document_end,
                            const SourceOptions& options) {
  if (!options.warnings) return;
  options.warnings->push_back(
      fmt::format("{}: data.document_mask is on, but the end-of-document id {} never occurs; the "
                  "whole file counts as one document, check data.eos_token_id",
                  name, document_end));
}

}  // namespace hyperpp::data
