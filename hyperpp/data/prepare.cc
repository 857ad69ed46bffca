#include "hyperpp/data/prepare.h"

#include <array>
#include <filesystem>
#include <string_view>

#include "hyperpp/core/error.h"
#include "hyperpp/data/indexed_dataset.h"
#include "hyperpp/data/indexed_writer.h"
#include "hyperpp/data/json_lines.h"
#include "hyperpp/data/mapped_file.h"

namespace hyperpp::data {
namespace {

int32_t DocumentEnd(const Tokenizer& tokenizer, std::optional<int64_t> eos_token_id) {
  const int64_t vocab_size = tokenizer.VocabSize();
  if (!eos_token_id) eos_token_id = tokenizer.EndOfDocument();
  if (!eos_token_id)
    throw InputError("eos_token_id: the tokenizer defines no end of document; give --eos-token-id");
  if (*eos_token_id < 0 || *eos_token_id >= vocab_size)
    throw InputError(
        fmt::format("eos_token_id: {} is not in the tokenizer's vocabulary, "
                    "vocab_size = {}; use an id of 0 to {}",
                    *eos_token_id, vocab_size, vocab_size - 1));
  return static_cast<int32_t>(*eos_token_id);
}

// Other kinds of file would be tokenised as the bytes they are; the usual ones are refused.
void RefuseKind(const std::string& path) {
  constexpr std::array<std::string_view, 9> kOther = {".gz",  ".zst",     ".xz",  ".bz2", ".zip",
                                                      ".csv", ".parquet", ".bin", ".idx"};
  for (const std::string_view ending : kOther)
    if (path.ends_with(ending))
      throw InputError(
          fmt::format("{}: {} files are not read; give .txt files (one document each) "
                      "or .jsonl files with {{\"text\": ...}} lines",
                      path, ending));
}

std::string TextOf(const MappedFile& file, const JsonLine& line) {
  const nlohmann::json object = ParseObject(file, line);
  const auto text = object.find("text");
  if (text == object.end() || !text->is_string())
    throw InputError(fmt::format("{}: {}; each line is {{\"text\": \"...\"}}", PlaceOf(file, line),
                                 text == object.end()
                                     ? std::string("has no text")
                                     : fmt::format("text is a JSON {}", text->type_name())));
  return text->get<std::string>();
}

}  // namespace

PrepareResult PrepareIndexed(const std::vector<std::string>& inputs,
                             const std::string& output_prefix, const Tokenizer& tokenizer,
                             std::optional<int64_t> eos_token_id) {
  PrepareResult result;
  result.prefix = IndexedPrefix(output_prefix);
  result.eos_token_id = DocumentEnd(tokenizer, eos_token_id);
  result.vocab_size = tokenizer.VocabSize();
  result.type = TokenTypeForVocabulary(result.vocab_size);
  for (const std::string& path : inputs) RefuseKind(path);
  IndexedWriter writer(result.prefix, result.type);
  const auto add = [&](std::string_view text) {
    std::vector<int32_t> ids = tokenizer.Encode(text);
    if (ids.empty()) {
      ++result.num_empty_documents;
      return;
    }
    ids.push_back(result.eos_token_id);
    writer.AddDocument(ids);
  };
  for (const std::string& path : inputs) {
    const MappedFile file(path);
    if (path.ends_with(".jsonl"))
      ForEachLine(file, [&](const JsonLine& line) { add(TextOf(file, line)); });
    else
      add(file.text());
  }
  if (writer.NumDocuments() == 0)
    throw InputError(fmt::format("{}: none of the {} documents has a token; nothing is written",
                                 result.prefix, result.num_empty_documents));
  writer.Finish();
  result.num_documents = writer.NumDocuments();
  result.num_tokens = writer.NumTokens();
  return result;
}

std::string Describe(const PrepareResult& result) {
  return fmt::format(
      "{}: {} documents, {} tokens ({}, end of document {}){}", result.prefix, result.num_documents,
      result.num_tokens, Name(result.type), result.eos_token_id,
      result.num_empty_documents == 0
          ? ""
          : fmt::format("; {} empty documents left out", result.num_empty_documents));
}

}  // namespace hyperpp::data
