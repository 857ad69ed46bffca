#include "hyperpp/config/location.h"

#include <fmt/format.h>

namespace hyperpp::config {

std::string Location::At(std::string_view path) const {
  if (command_line) return fmt::format("--set {}", path);
  std::string text = source;
  if (line > 0) text += fmt::format("{}line {}", text.empty() ? "" : ", ", line);
  if (path.empty()) return text;
  return fmt::format("{}{}{}", text, text.empty() ? "" : ": ", path);
}

std::string KeyLocations::At(const std::string& path) const {
  for (std::string around = path; !around.empty();
       around.resize(around.find('.') == std::string::npos ? 0 : around.rfind('.'))) {
    if (auto found = keys_.find(around); found != keys_.end()) return found->second.At(path);
  }
  return file_.At(path);
}

}  // namespace hyperpp::config
