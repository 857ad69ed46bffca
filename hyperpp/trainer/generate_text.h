// The generate command: a Hugging Face style folder, a prompt, its continuation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hyperpp::trainer {

struct GenerateRequest {
  std::string model;
  std::string prompt;               // text, or
  std::vector<int64_t> prompt_ids;  // ids
  std::string tokenizer;            // "bytes" or a file; empty: what the model folder has
  std::string dtype = "float32";
  int64_t max_new_tokens = 100;
  double temperature = 1.0, top_p = 1.0;
  uint64_t seed = 0;
};

struct GeneratedText {
  std::vector<int64_t> ids;  // prompt and continuation
  std::string text;          // of all ids; empty without a tokenizer
};

/// Errors: ConfigError for a missing prompt or a prompt without a tokenizer; InputError for ids
/// outside
///         the vocabulary and for a damaged model.
GeneratedText GenerateText(const GenerateRequest& request);

}  // namespace hyperpp::trainer
