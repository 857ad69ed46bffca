// Text files to a token file pair: what `hyperpp data prepare` does.
//
// A .txt file is one document, a .jsonl file one document a line, {"text": "..."}; other keys of a
// line are not read. Every document is tokenised and ends with the end-of-document id; one without
// any token is left out and counted, since its end alone would only teach that ends follow ends.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hyperpp/data/token_type.h"
#include "hyperpp/data/tokenizers/tokenizer.h"

namespace hyperpp::data {

struct PrepareResult {
  std::string prefix;               // of the two files that were written
  int64_t num_documents = 0;        // written
  int64_t num_empty_documents = 0;  // left out
  int64_t num_tokens = 0;           // written, ends included
  int32_t eos_token_id = 0;         // the end-of-document id
  int64_t vocab_size = 0;           // of the tokenizer
  TokenType type = TokenType::kInt32;
};

/// Tokenises `inputs` in order into OUTPUT_PREFIX.bin and .idx, which appear only when complete.
/// `eos_token_id` is needed where the tokenizer defines no end of document, and goes first.
/// Errors: InputError naming file and line, or that no end of document is defined or it is outside
/// the tokenizer's vocabulary; IoError.
PrepareResult PrepareIndexed(const std::vector<std::string>& inputs,
                             const std::string& output_prefix, const Tokenizer& tokenizer,
                             std::optional<int64_t> eos_token_id);

/// One line for people.
std::string Describe(const PrepareResult& result);

}  // namespace hyperpp::data
