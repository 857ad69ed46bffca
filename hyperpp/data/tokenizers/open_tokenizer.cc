#include <filesystem>

#include "hyperpp/core/error.h"
#include "hyperpp/data/tokenizers/bpe_tokenizer.h"
#include "hyperpp/data/tokenizers/byte_tokenizer.h"
#include "hyperpp/data/tokenizers/read_file.h"
#include "hyperpp/data/tokenizers/sentencepiece_tokenizer.h"
#include "hyperpp/data/tokenizers/tokenizer.h"
#include "hyperpp/data/tokenizers/tokenizer_json.h"

namespace hyperpp::data {

std::unique_ptr<Tokenizer> OpenTokenizer(const std::string& name) {
  if (name == "bytes") return std::make_unique<ByteTokenizer>();
  std::filesystem::path path(name);
  if (std::filesystem::is_directory(path)) path /= "tokenizer.json";
  if (path.extension() == ".model") return std::make_unique<SentencePieceTokenizer>(path.string());
  const std::string content = ReadWholeFile(path.string());
  try {
    return std::make_unique<BpeTokenizer>(ParseTokenizerJson(content));
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}, {}", path.string(), error.what()));
  }
}

}  // namespace hyperpp::data
