// Files that belong to a Hugging Face model beside its weights and config.json: tokenizer, chat
// template and generation settings. Exports carry them along, and checkpoints keep a copy, so that
// they can be exported after the original model is gone.
// Source: transformers 5.24, the file names in tokenization_utils_base.py and utils/__init__.py.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hyperpp::checkpoint {

/// True if a file of this name is one of them: tokenizer*.json, *.model, vocab.json, vocab.txt,
/// merges.txt, special_tokens_map.json, added_tokens.json, chat_template*, generation_config.json.
bool IsCompanionFile(std::string_view name);

/// Names of these files in `directory`, sorted; empty if the folder is not there.
std::vector<std::string> CompanionFiles(const std::string& directory);

}  // namespace hyperpp::checkpoint
