#include "hyperpp/data/indexed_writer.h"

#include <filesystem>
#include <limits>
#include <utility>

#include "hyperpp/core/error.h"
#include "hyperpp/data/indexed_dataset.h"

namespace hyperpp::data {

IndexedWriter::IndexedWriter(std::string prefix, TokenType type)
    : prefix_(std::move(prefix)), type_(type), bin_(prefix_ + ".bin"), idx_(prefix_ + ".idx") {}

void IndexedWriter::AddDocument(std::span<const int32_t> tokens) {
  if (tokens.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max()))
    throw InputError(
        fmt::format("{}: document {} has {} tokens, an index entry counts up to {}; "
                    "split the document",
                    prefix_, NumDocuments(), tokens.size(), std::numeric_limits<int32_t>::max()));
  WithTokenType(type_, [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> stored(tokens.size());
    for (size_t i = 0; i < tokens.size(); ++i) {
      stored[i] = static_cast<T>(tokens[i]);
      HYPERPP_CHECK_EQ(static_cast<int64_t>(stored[i]), int64_t{tokens[i]}, "id as {}",
                       Name(type_));
    }
    bin_.WriteValues(std::span<const T>(stored));
  });
  lengths_.push_back(static_cast<int32_t>(tokens.size()));
  num_tokens_ += static_cast<int64_t>(tokens.size());
}

void IndexedWriter::WriteIndex() {
  const auto write = [this](auto value) {
    idx_.WriteValues(std::span<const decltype(value)>(&value, 1));
  };
  idx_.WriteValues(std::span<const char>(kIndexMagic));
  write(kIndexVersion);
  write(static_cast<uint8_t>(type_));
  write(static_cast<uint64_t>(lengths_.size()));
  write(static_cast<uint64_t>(lengths_.size() + 1));
  idx_.WriteValues(std::span<const int32_t>(lengths_));
  int64_t pointer = 0;
  for (const int32_t length : lengths_) {
    write(pointer);
    pointer += length * SizeBytes(type_);
  }
  for (int64_t document = 0; document <= NumDocuments(); ++document) write(document);
}

void IndexedWriter::Finish() {
  WriteIndex();
  bin_.Flush();
  idx_.Flush();
  std::error_code error;
  std::filesystem::remove(prefix_ + ".idx", error);
  if (error) throw IoError(fmt::format("{}.idx: cannot be replaced: {}", prefix_, error.message()));
  bin_.Commit();
  idx_.Commit();
}

}  // namespace hyperpp::data
