#include "hyperpp/data/json_lines.h"

#include <algorithm>

#include "hyperpp/core/error.h"

namespace hyperpp::data {
namespace {
constexpr int64_t kReleaseBytes = int64_t{1} << 24;
}

void ForEachLine(const MappedFile& file, const std::function<void(const JsonLine&)>& visit) {
  const std::string_view text = file.text();
  int64_t released = 0;
  JsonLine line;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    ++line.number;
    line.offset = static_cast<int64_t>(begin);
    line.text = text.substr(begin, end - begin);
    if (line.text.find_first_not_of(" \t\r") != std::string_view::npos) visit(line);
    begin = end + 1;
    if (line.offset - released >= kReleaseBytes) {
      file.Release(released, line.offset - released);
      released = line.offset;
    }
  }
}

std::string PlaceOf(const MappedFile& file, const JsonLine& line) {
  return fmt::format("{}, line {}", file.path(), line.number);
}

nlohmann::json ParseObject(const MappedFile& file, const JsonLine& line) {
  nlohmann::json value;
  try {
    value = nlohmann::json::parse(line.text);
  } catch (const nlohmann::json::parse_error& error) {
    throw InputError(
        fmt::format("{}, column {}: is not valid JSON; each line holds one whole "
                    "object",
                    PlaceOf(file, line), error.byte));
  }
  if (!value.is_object())
    throw InputError(fmt::format("{}: is a JSON {}, expected an object", PlaceOf(file, line),
                                 value.type_name()));
  return value;
}

}  // namespace hyperpp::data
