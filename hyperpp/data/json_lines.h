// Line by line through a JSONL file; blank lines are skipped, and every message can name the line.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "hyperpp/data/mapped_file.h"

namespace hyperpp::data {

struct JsonLine {
  int64_t number = 0;  // from 1
  int64_t offset = 0;  // of its first byte
  std::string_view text;
};

/// Calls `visit` for every line that is not blank, in order, and gives read pages back on the way.
void ForEachLine(const MappedFile& file, const std::function<void(const JsonLine&)>& visit);

/// "data.jsonl, line 7"
std::string PlaceOf(const MappedFile& file, const JsonLine& line);

/// Parses a line that must hold one JSON object.
/// Errors: InputError with file, line and the column at which it goes wrong.
nlohmann::json ParseObject(const MappedFile& file, const JsonLine& line);

}  // namespace hyperpp::data
