#include "hyperpp/data/tokenizers/sentencepiece_tokenizer.h"

#include <sentencepiece_processor.h>

#include "hyperpp/core/error.h"
#include "hyperpp/data/tokenizers/read_file.h"

namespace hyperpp::data {

SentencePieceTokenizer::SentencePieceTokenizer(const std::string& path)
    : path_(path), processor_(std::make_unique<sentencepiece::SentencePieceProcessor>()) {
  const auto status = processor_->LoadFromSerializedProto(ReadWholeFile(path));
  if (!status.ok() || processor_->GetPieceSize() == 0) {
    throw InputError(fmt::format(
        "{}: not a sentencepiece model ({}); give a .model file of sentencepiece, a tokenizer.json "
        "of the kind BPE, or bytes",
        path, status.ok() ? "it has no pieces" : status.message()));
  }
}

SentencePieceTokenizer::~SentencePieceTokenizer() = default;

std::vector<int32_t> SentencePieceTokenizer::Encode(std::string_view text) const {
  std::vector<int> ids;
  const auto status = processor_->Encode({text.data(), text.size()}, &ids);
  if (!status.ok()) {
    throw InputError(fmt::format("{}: cannot encode a text of {} bytes: {}", path_, text.size(),
                                 status.message()));
  }
  return {ids.begin(), ids.end()};
}

std::string SentencePieceTokenizer::Decode(const std::vector<int32_t>& ids,
                                           bool skip_special) const {
  std::string out;
  std::vector<int> run;
  const auto decode_run = [&] {
    if (run.empty()) return;
    std::string text;
    const auto status = processor_->Decode(run, &text);
    if (!status.ok()) {
      throw InputError(
          fmt::format("{}: cannot decode {} ids: {}", path_, run.size(), status.message()));
    }
    out += text;
    run.clear();
  };
  for (const int32_t id : ids) {
    if (id < 0 || id >= processor_->GetPieceSize()) continue;
    if (!processor_->IsControl(id)) {
      run.push_back(id);
    } else if (!skip_special) {
      decode_run();
      out += processor_->IdToPiece(id);
    }
  }
  decode_run();
  return out;
}

int64_t SentencePieceTokenizer::VocabSize() const { return processor_->GetPieceSize(); }

std::optional<int32_t> SentencePieceTokenizer::EndOfDocument() const {
  const int id = processor_->eos_id();
  if (id < 0) return std::nullopt;
  return id;
}

}  // namespace hyperpp::data
