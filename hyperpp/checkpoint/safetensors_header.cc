#include "hyperpp/checkpoint/safetensors_header.h"

#include <algorithm>
#include <limits>
#include <set>
#include <vector>

#include <nlohmann/json.hpp>

#include "hyperpp/checkpoint/safetensors_dtype.h"
#include "hyperpp/core/error.h"

namespace hyperpp::checkpoint {

namespace {

using nlohmann::json;

constexpr int kMaxDepth = 3;  // header, entry, shape

/// One header under examination.
class HeaderParser {
 public:
  HeaderParser(const std::string& path, std::string_view text, uint64_t file_bytes)
      : path_(path),
        text_(text),
        file_bytes_(file_bytes),
        data_begin_(kSafetensorsLengthBytes + text.size()) {}

  SafetensorsHeader Parse() {
    const json header = ParseJson();
    for (const auto& [name, value] : header.items()) {
      if (name == "__metadata__") {
        ReadMetadata(value);
      } else {
        header_.entries.emplace(name, ReadEntry(name, value));
      }
    }
    CheckTiling();
    return std::move(header_);
  }

 private:
  template <typename... Args>
  [[noreturn]] void Fail(uint64_t offset, fmt::format_string<Args...> text, Args&&... args) const {
    throw InputError(fmt::format("{}, offset {}: {}; the file is damaged or no safetensors file",
                                 path_, offset, fmt::format(text, std::forward<Args>(args)...)));
  }

  /// Place of a name in the file, for messages.
  uint64_t OffsetOf(const std::string& name) const {
    const auto place = text_.find(json(name).dump());
    return kSafetensorsLengthBytes + (place == std::string_view::npos ? 0 : place);
  }

  json ParseJson() const {
    std::vector<std::set<std::string>> keys(kMaxDepth + 1);
    const auto check = [&](int depth, json::parse_event_t event, json& parsed) {
      const bool opens =
          event == json::parse_event_t::object_start || event == json::parse_event_t::array_start;
      if (opens && depth >= kMaxDepth)
        Fail(kSafetensorsLengthBytes, "the header is nested more than {} deep", kMaxDepth);
      if (event == json::parse_event_t::object_start) keys[static_cast<size_t>(depth)].clear();
      if (event == json::parse_event_t::key &&
          !keys[static_cast<size_t>(depth - 1)].insert(parsed.get<std::string>()).second)
        Fail(OffsetOf(parsed.get<std::string>()), "the header has the name {} twice",
             parsed.dump());
      return true;
    };
    json header;
    try {
      header = json::parse(text_, check);
    } catch (const json::parse_error& error) {
      const uint64_t place = std::min<uint64_t>(error.byte, text_.size());
      Fail(kSafetensorsLengthBytes + (place > 0 ? place - 1 : 0), "the header is not valid JSON");
    }
    if (!header.is_object()) Fail(kSafetensorsLengthBytes, "the header is not a JSON object");
    return header;
  }

  void ReadMetadata(const json& value) {
    if (!value.is_object()) Fail(OffsetOf("__metadata__"), "__metadata__ is not an object");
    for (const auto& [key, text] : value.items()) {
      if (!text.is_string()) Fail(OffsetOf(key), "__metadata__ {} is not a string", key);
      header_.metadata.emplace(key, text.get<std::string>());
    }
  }

  /// A number of the header that must lie in [0, 2^63).
  uint64_t ReadSize(const std::string& name, const char* field, const json& value) const {
    constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
    if (!value.is_number_unsigned() || value.get<uint64_t>() > kMax)
      Fail(OffsetOf(name), "{} of {} holds {}, expected an integer from 0 to {}", field, name,
           value.dump(), kMax);
    return value.get<uint64_t>();
  }

  SafetensorsEntry ReadEntry(const std::string& name, const json& value) const {
    const auto member = [&](const char* field, json::value_t type) -> const json& {
      const auto found = value.is_object() ? value.find(field) : value.end();
      if (!value.is_object() || found == value.end() || found->type() != type)
        Fail(OffsetOf(name), "{} has no valid {}", name, field);
      return *found;
    };
    const std::string dtype_name = member("dtype", json::value_t::string).get<std::string>();
    const auto dtype = DtypeFromName(dtype_name);
    if (!dtype)
      Fail(OffsetOf(name), "{} has the unknown dtype '{}', known are {}", name, dtype_name,
           KnownDtypeNames());

    SafetensorsEntry entry;
    entry.dtype = *dtype;
    uint64_t bytes = c10::elementSize(*dtype);
    for (const json& size : member("shape", json::value_t::array)) {
      const uint64_t checked = ReadSize(name, "shape", size);
      entry.shape.push_back(static_cast<int64_t>(checked));
      if (__builtin_mul_overflow(bytes, checked, &bytes))
        Fail(OffsetOf(name), "{} has the shape {}, whose size overflows", name, ShapeText(value));
    }
    const json& range = member("data_offsets", json::value_t::array);
    if (range.size() != 2)
      Fail(OffsetOf(name), "data_offsets of {} has {} numbers, expected 2", name, range.size());
    const uint64_t begin = ReadSize(name, "data_offsets", range[0]);
    const uint64_t end = ReadSize(name, "data_offsets", range[1]);
    if (end < begin || end - begin != bytes)
      Fail(OffsetOf(name), "{} has the byte range {} to {}, but {} {} needs {} bytes", name, begin,
           end, dtype_name, ShapeText(value), bytes);
    if (__builtin_add_overflow(begin, data_begin_, &entry.begin) ||
        __builtin_add_overflow(end, data_begin_, &entry.end) || entry.end > file_bytes_)
      Fail(file_bytes_, "the file ends here, but {} has the byte range {} to {} of the data", name,
           begin, end);
    return entry;
  }

  static std::string ShapeText(const json& entry) { return entry.at("shape").dump(); }

  /// Entries must lie end to end from the start of the data area to the end of the file.
  void CheckTiling() const {
    std::vector<std::pair<const std::string*, const SafetensorsEntry*>> order;
    for (const auto& [name, entry] : header_.entries) order.emplace_back(&name, &entry);
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
      return std::pair(a.second->begin, a.second->end) < std::pair(b.second->begin, b.second->end);
    });
    uint64_t place = data_begin_;
    for (const auto& [name, entry] : order) {
      if (entry->begin < place)
        Fail(entry->begin, "{} overlaps the tensor before it by {} bytes", *name,
             place - entry->begin);
      if (entry->begin > place)
        Fail(place, "{} bytes before {} belong to no tensor", entry->begin - place, *name);
      place = entry->end;
    }
    if (place != file_bytes_)
      Fail(place, "{} bytes after the last tensor belong to no tensor", file_bytes_ - place);
  }

  const std::string& path_;
  std::string_view text_;
  uint64_t file_bytes_;
  uint64_t data_begin_;
  SafetensorsHeader header_;
};

}  // namespace

SafetensorsHeader ParseSafetensorsHeader(const std::string& path, std::string_view text,
                                         uint64_t file_bytes) {
  return HeaderParser(path, text, file_bytes).Parse();
}

}  // namespace hyperpp::checkpoint
