// Small files for the tests of data/: a folder that disappears, token files made byte by byte, and
// a tokenizer whose ids are easy to foresee.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "hyperpp/data/tokenizers/tokenizer.h"
#include "tests/support/temporary_folder.h"

namespace hyperpp::data::testing {

class DataFiles : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_ / name; }

  std::string Write(const std::string& name, std::string_view content) const {
    return folder_.Write(name, content);
  }

  // Writes `documents` as PREFIX.bin/.idx from the format's description, without the writer.
  template <typename T>
  std::string WriteIndexed(const std::string& name, uint8_t code,
                           const std::vector<std::vector<T>>& documents) const {
    std::string bin, lengths, pointers, boundaries = Bytes(int64_t{0});
    int64_t count = 0;
    for (const std::vector<T>& document : documents) {
      pointers += Bytes(static_cast<int64_t>(bin.size()));
      lengths += Bytes(static_cast<int32_t>(document.size()));
      boundaries += Bytes(++count);
      for (const T token : document) bin += Bytes(token);
    }
    std::string idx("MMIDIDX\0\0", 9);
    idx += Bytes(uint64_t{1}) + Bytes(code) + Bytes(static_cast<uint64_t>(count)) +
           Bytes(static_cast<uint64_t>(count + 1)) + lengths + pointers + boundaries;
    Write(name + ".bin", bin);
    Write(name + ".idx", idx);
    return Path(name);
  }

  // One int32 document of the tokens 0 .. count - 1.
  std::string WriteCounting(const std::string& name, int32_t count) const {
    std::vector<int32_t> tokens;
    for (int32_t i = 0; i < count; ++i) tokens.push_back(i);
    return WriteIndexed<int32_t>(name, 4, {tokens});
  }

  template <typename T>
  static std::string Bytes(T value) {
    return {reinterpret_cast<const char*>(&value), sizeof(value)};
  }

 private:
  test::TemporaryFolder folder_;
};

/// Bytes are their own ids, 256 ends a document.
class ByteIds : public Tokenizer {
 public:
  explicit ByteIds(std::optional<int32_t> end = 256, int64_t vocab_size = 257)
      : end_(end), vocab_size_(vocab_size) {}
  std::vector<int32_t> Encode(std::string_view text) const override {
    std::vector<int32_t> ids;
    for (const char c : text) ids.push_back(static_cast<unsigned char>(c));
    return ids;
  }
  std::string Decode(const std::vector<int32_t>& ids, bool) const override {
    return {ids.begin(), ids.end()};
  }
  int64_t VocabSize() const override { return vocab_size_; }
  std::optional<int32_t> EndOfDocument() const override { return end_; }

 private:
  std::optional<int32_t> end_;
  int64_t vocab_size_;
};

}  // namespace hyperpp::data::testing
