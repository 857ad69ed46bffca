#include "hyperpp/data/indexed_dataset.h"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <system_error>

#include "hyperpp/core/error.h"

namespace hyperpp::data {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the token files are read as they lie in memory, which is little endian");

constexpr int64_t kPieceTokens = int64_t{1} << 22;

}  // namespace

std::string IndexedPrefix(const std::string& path) {
  std::error_code unreadable;  // opening reports it
  if (std::filesystem::exists(path + ".idx", unreadable)) return path;
  for (const std::string_view ending : {".bin", ".idx"})
    if (path.ends_with(ending)) return path.substr(0, path.size() - ending.size());
  return path;
}

IndexedDataset::IndexedDataset(const std::string& path)
    : idx_(IndexedPrefix(path) + ".idx"), bin_(IndexedPrefix(path) + ".bin") {
  ReadHeader();
  CheckIndexSize();
  const auto part = [this](int64_t offset, int64_t size) {
    return idx_.bytes().subspan(static_cast<size_t>(offset), static_cast<size_t>(size));
  };
  lengths_ = part(kIndexHeaderBytes, 4 * num_sequences_);
  pointers_ = part(kIndexHeaderBytes + 4 * num_sequences_, 8 * num_sequences_);
  boundaries_ = part(kIndexHeaderBytes + 12 * num_sequences_, 8 * num_boundaries_);
  CheckSequences();
  CheckDocuments();
  tokens_ = {type_, bin_.bytes()};
  idx_.Release(0, idx_.size_bytes());
}

void IndexedDataset::ReadHeader() {
  const std::string& path = idx_.path();
  if (idx_.size_bytes() == 0)
    throw InputError(
        fmt::format("{}: is empty (0 bytes), an index has at least {} bytes; write "
                    "the data set again",
                    path, kIndexHeaderBytes));
  if (!idx_.text().starts_with(kIndexMagic.substr(0, idx_.text().size())))
    throw InputError(
        fmt::format("{}, offset 0: does not begin with MMIDIDX; this is no index of a "
                    "Megatron-style token file",
                    path));
  if (idx_.size_bytes() < kIndexHeaderBytes)
    throw InputError(fmt::format("{}: has {} bytes, its header alone needs {}; the file is cut off",
                                 path, idx_.size_bytes(), kIndexHeaderBytes));
  const auto number = [this](size_t offset) {
    return LoadAt<uint64_t>(idx_.bytes().subspan(offset), 0);
  };
  if (number(9) != kIndexVersion)
    throw InputError(
        fmt::format("{}, offset 9: version is {}, expected {}", path, number(9), kIndexVersion));
  const uint8_t code = LoadAt<uint8_t>(idx_.bytes(), 17);
  const std::optional<TokenType> type = TokenTypeOfCode(code);
  if (!type)
    throw InputError(
        fmt::format("{}, offset 17: token type code is {}{}, expected 1 to 5 or 8, an "
                    "integer type",
                    path, code, code == 6 || code == 7 ? " (a float type)" : ""));
  // More entries than bytes cannot be; the limit also keeps the sums below from overflowing.
  for (const size_t offset : {18, 26})
    if (number(offset) > static_cast<uint64_t>(idx_.size_bytes()))
      throw InputError(
          fmt::format("{}, offset {}: says {} {}, but the file has {} bytes; it is "
                      "cut off or damaged",
                      path, offset, number(offset),
                      offset == 18 ? "sequences" : "document boundaries", idx_.size_bytes()));
  type_ = *type;
  num_sequences_ = static_cast<int64_t>(number(18));
  num_boundaries_ = static_cast<int64_t>(number(26));
}

void IndexedDataset::CheckIndexSize() const {
  const int64_t needed = kIndexHeaderBytes + 12 * num_sequences_ + 8 * num_boundaries_;
  if (idx_.size_bytes() == needed) return;
  const bool has_modes = num_sequences_ > 0 && idx_.size_bytes() == needed + num_sequences_;
  throw InputError(fmt::format(
      "{}: has {} bytes, its {} sequences and {} document boundaries need {}; {}", idx_.path(),
      idx_.size_bytes(), num_sequences_, num_boundaries_, needed,
      has_modes ? "multimodal data sets are not supported" : "the file is cut off or damaged"));
}

void IndexedDataset::CheckSequences() const {
  const int64_t unit = SizeBytes(type_);
  int64_t expected = 0;
  for (int64_t i = 0; i < num_sequences_; ++i) {
    const int32_t length = LoadAt<int32_t>(lengths_, i);
    if (length < 0)
      throw InputError(
          fmt::format("{}, offset {}: length of sequence {} is {}; the file is "
                      "damaged",
                      idx_.path(), kIndexHeaderBytes + 4 * i, i, length));
    const int64_t pointer = LoadAt<int64_t>(pointers_, i);
    if (pointer != expected)
      throw InputError(fmt::format(
          "{}, offset {}: sequence {} starts at byte {} of {}, the lengths before it give {}; the "
          "file is damaged",
          idx_.path(), kIndexHeaderBytes + 4 * num_sequences_ + 8 * i, i, pointer, bin_.path(),
          expected));
    expected += length * unit;
  }
  if (bin_.size_bytes() != expected)
    throw InputError(
        fmt::format("{}: has {} bytes, {} needs {} tokens of {} bytes = {}; the files "
                    "do not belong together, or one is cut off",
                    bin_.path(), bin_.size_bytes(), idx_.path(), expected / unit, unit, expected));
}

void IndexedDataset::CheckDocuments() const {
  const int64_t begin = kIndexHeaderBytes + 12 * num_sequences_;
  if (num_boundaries_ == 0)
    throw InputError(
        fmt::format("{}, offset 26: has 0 document boundaries, at least 1 is needed", idx_.path()));
  int64_t previous = 0;
  for (int64_t i = 0; i < num_boundaries_; ++i) {
    const int64_t boundary = DocumentStart(i);
    const bool starts_wrong = i == 0 && boundary != 0;
    const bool ends_wrong = i == num_boundaries_ - 1 && boundary != num_sequences_;
    if (starts_wrong || ends_wrong || boundary < previous || boundary > num_sequences_)
      throw InputError(
          fmt::format("{}, offset {}: document boundary {} of {} is {}; they start at "
                      "0, never decrease and end at {}, the number of sequences",
                      idx_.path(), begin + 8 * i, i, num_boundaries_, boundary, num_sequences_));
    previous = boundary;
  }
}

int64_t IndexedDataset::SequenceLength(int64_t index) const {
  HYPERPP_CHECK(index >= 0 && index < num_sequences_, "index {} of {}", index, num_sequences_);
  return LoadAt<int32_t>(lengths_, index);
}

int64_t IndexedDataset::DocumentStart(int64_t index) const {
  HYPERPP_CHECK(index >= 0 && index < num_boundaries_, "index {} of {}", index, num_boundaries_);
  return LoadAt<int64_t>(boundaries_, index);
}

void IndexedDataset::Read(int64_t first, std::span<int32_t> out) const {
  const auto count = static_cast<int64_t>(out.size());
  HYPERPP_CHECK(first >= 0 && first + count <= NumTokens(), "{}: tokens {} + {} of {}", name(),
                first, count, NumTokens());
  const TokenView view = tokens_.Slice(first, count);
  WithTokenType(type_, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < count; ++i)
      out[static_cast<size_t>(i)] = static_cast<int32_t>(LoadAt<T>(view.bytes, i));
  });
}

void IndexedDataset::ForEachPiece(const std::function<bool(int64_t, TokenView)>& visit) const {
  const int64_t unit = SizeBytes(type_);
  for (int64_t first = 0; first < NumTokens(); first += kPieceTokens) {
    const int64_t count = std::min(kPieceTokens, NumTokens() - first);
    const bool done = visit(first, tokens_.Slice(first, count));
    bin_.Release(first * unit, count * unit);
    if (done) return;
  }
}

std::optional<FoundToken> IndexedDataset::FindOutside(int64_t vocab_size) const {
  std::optional<FoundToken> found;
  ForEachPiece([&](int64_t first, TokenView piece) {
    found = data::FindOutside(piece, vocab_size);
    if (found) found->offset += first;
    return found.has_value();
  });
  return found;
}

bool IndexedDataset::Contains(int64_t id) const {
  bool found = false;
  ForEachPiece([&](int64_t, TokenView piece) { return found = data::Contains(piece, id); });
  return found;
}

TokenRange IndexedDataset::Range() const {
  HYPERPP_CHECK_LT(0, NumTokens(), "{}", name());
  TokenRange all;
  ForEachPiece([&](int64_t first, TokenView piece) {
    const TokenRange range = RangeOf(piece);
    all = first == 0 ? range
                     : TokenRange{std::min(all.smallest, range.smallest),
                                  std::max(all.largest, range.largest)};
    return false;
  });
  return all;
}

std::string IndexedDataset::PlaceOf(int64_t offset) const {
  return fmt::format("{}, token {}", name(), offset);
}

}  // namespace hyperpp::data
