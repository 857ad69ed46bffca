#include "hyperpp/data/tokenizers/bpe_model.h"

#include <cstring>
#include <limits>

#include "hyperpp/core/error.h"
#include "hyperpp/data/tokenizers/byte_alphabet.h"
#include "hyperpp/data/tokenizers/merge_loop.h"
#include "hyperpp/data/tokenizers/utf8.h"

namespace hyperpp::data {

BpeModel::BpeModel(const BpeParts& parts)
    : merges_(parts.merges.size()), fuse_unknown_(parts.fuse_unknown) {
  const auto id_of = [&](const std::string& token, auto describe) {
    const auto found = parts.vocabulary.find(token);
    if (found == parts.vocabulary.end()) {
      throw InputError(
          fmt::format("{}: \"{}\" is not in the vocabulary of {} tokens; the file is damaged",
                      describe(), token, parts.vocabulary.size()));
    }
    return found->second;
  };
  for (size_t rank = 0; rank < parts.merges.size(); ++rank) {
    const auto& [left, right] = parts.merges[rank];
    const auto where = [rank] { return fmt::format("model.merges[{}]", rank); };
    merges_.Insert(id_of(left, where), id_of(right, where),
                   {static_cast<uint32_t>(rank), id_of(left + right, where)});
  }
  for (int byte = 0; byte < 256; ++byte) {
    std::string token;
    AppendUtf8(CharacterOfByte(static_cast<unsigned char>(byte)), token);
    const auto found = parts.vocabulary.find(token);
    byte_ids_[static_cast<size_t>(byte)] = found == parts.vocabulary.end() ? -1 : found->second;
  }
  if (parts.unknown_token) {
    unknown_id_ = id_of(*parts.unknown_token, [] { return "model.unk_token"; });
  }
  if (parts.ignore_merges) {
    for (const auto& [token, id] : parts.vocabulary) {
      if (auto bytes = BytesOfToken(token)) whole_pieces_.emplace(std::move(*bytes), id);
    }
  }
}

void BpeModel::StartWithBytes(std::string_view piece, std::vector<int32_t>& ids) const {
  bool after_unknown = false;
  for (const char byte : piece) {
    const int32_t id = byte_ids_[static_cast<unsigned char>(byte)];
    if (id >= 0) {
      ids.push_back(id);
    } else if (unknown_id_ && !(fuse_unknown_ && after_unknown)) {
      ids.push_back(*unknown_id_);
    }
    after_unknown = id < 0;
  }
}

void BpeModel::Encode(std::string_view piece, std::vector<int32_t>& ids) const {
  if (!whole_pieces_.empty()) {
    if (const auto found = whole_pieces_.find(piece); found != whole_pieces_.end()) {
      ids.push_back(found->second);
      return;
    }
  }
  const size_t first = ids.size();
  StartWithBytes(piece, ids);
  const size_t remaining = MergeAll(merges_, ids.data() + first, ids.size() - first);
  ids.resize(first + remaining);
}

}  // namespace hyperpp::data
