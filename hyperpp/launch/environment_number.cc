#include "hyperpp/launch/environment_number.h"

#include <charconv>
#include <utility>

#include "hyperpp/core/error.h"

namespace hyperpp::launch {

std::optional<int> ReadNumber(const Environment& environment, const char* name, int least) {
  const std::optional<std::string> text = environment(name);
  if (!text) return std::nullopt;
  int number = 0;
  const char* end = text->data() + text->size();
  const auto parsed = std::from_chars(text->data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end || number < least) {
    throw ConfigError(fmt::format("environment variable {}: '{}' is not a whole number from {} on",
                                  name, *text, least));
  }
  return number;
}

int RequireNumber(const Environment& environment, const char* name, int least) {
  RequireText(environment, name);
  return *ReadNumber(environment, name, least);
}

std::string RequireText(const Environment& environment, const char* name) {
  if (auto text = environment(name)) return std::move(*text);
  std::string set;
  for (const char* other : {"RANK", "WORLD_SIZE"}) {
    if (const auto text = environment(other)) set += fmt::format(", {} is {}", other, *text);
  }
  throw ConfigError(
      fmt::format("environment variable {}: not set{}; set all of RANK, WORLD_SIZE, MASTER_ADDR "
                  "and MASTER_PORT, "
                  "or none of them",
                  name, set));
}

}  // namespace hyperpp::launch
