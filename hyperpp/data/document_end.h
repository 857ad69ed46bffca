// Where documents end inside a stream of tokens: after every end-of-document id.
//
// That id is data.eos_token_id, else the model's (config.json), else, where text is tokenised, the
// tokenizer's. With data.document_mask, attention and positions restart after it and the label that
// would cross is dropped (the drawing is in sample.h).
#pragma once

#include <cstdint>
#include <optional>

#include "hyperpp/config/config.h"
#include "hyperpp/data/sample.h"
#include "hyperpp/data/source.h"
#include "hyperpp/data/tokenizers/tokenizer.h"

namespace hyperpp::data {

/// Returns the end-of-document id of `section`; `tokenizer` may be null.
/// Errors: ConfigError / InputError if none is defined or it is outside the vocabulary.
int32_t RequireDocumentEnd(const config::DataSection& section, const SourceOptions& options,
                           const Tokenizer* tokenizer);

/// The id for `section`'s document mask, or nothing if it has none. Errors: as above.
std::optional<int32_t> DocumentMaskEnd(const config::DataSection& section,
                                       const SourceOptions& options, const Tokenizer* tokenizer);

/// Fills `document_starts` of a sample whose tokens and labels are set; with a document end, starts
/// a new document after each and removes the labels that cross.
void MarkDocuments(std::optional<int32_t> document_end, Sample* sample);

/// Tells the user, if he listens, that `document_end` does not occur in `name`.
void WarnDocumentEndMissing(const std::string& name, int32_t document_end,
                            const SourceOptions& options);

}  // namespace hyperpp::data
