#include <fmt/format.h>

#include "hyperpp/config/load.h"
#include "hyperpp/config/scalar.h"
#include "hyperpp/config/schema.h"

namespace hyperpp::config {
namespace {

std::string Indent(int depth) { return std::string(2 * depth, ' '); }

// `name: value`; maps get a line per key.
void AppendEntry(const std::string& name, const Json& value, int depth, std::string& text) {
  if (!value.is_object() || value.empty()) {
    text += fmt::format("{}{}: {}\n", Indent(depth), FlowText(name), FlowText(value));
    return;
  }
  text += fmt::format("{}{}:\n", Indent(depth), FlowText(name));
  for (const auto& [key, item] : value.items()) AppendEntry(key, item, depth + 1, text);
}

// Adds one line for `value`, or for each value inside a map.
void AppendFlat(const std::string& path, const Json& value,
                std::map<std::string, std::string>& flat) {
  if (!value.is_object()) {
    flat[path] = value.is_string() ? value.get<std::string>() : FlowText(value);
    return;
  }
  for (const auto& [key, item] : value.items()) AppendFlat(path + "." + key, item, flat);
}

}  // namespace

std::string WriteConfig(const Config& config) {
  std::string text;
  for (const Section& section : Schema()) {
    const auto dot = section.name.find('.');
    const int depth = dot == std::string::npos ? 0 : 1;
    const std::string name = depth == 0 ? section.name : section.name.substr(dot + 1);
    if (!section.exists(config)) {
      AppendEntry(name, nullptr, depth, text);
      continue;
    }
    text += fmt::format("{}{}:\n", Indent(depth), name);
    for (const Key& key : section.keys) AppendEntry(key.name, key.write(config), depth + 1, text);
  }
  return text;
}

std::map<std::string, std::string> Flatten(const Config& config) {
  std::map<std::string, std::string> flat;
  for (const Section& section : Schema()) {
    if (!section.exists(config)) {
      flat[section.name] = "null";
      continue;
    }
    for (const Key& key : section.keys) {
      AppendFlat(section.name + "." + key.name, key.write(config), flat);
    }
  }
  return flat;
}

}  // namespace hyperpp::config
