#include "hyperpp/config/load.h"

#include <fstream>
#include <sstream>

#include "hyperpp/config/read.h"
#include "hyperpp/config/rules.h"
#include "hyperpp/config/schema.h"
#include "hyperpp/core/error.h"

namespace hyperpp::config {

Config LoadConfig(const std::string& path, const std::vector<std::string>& overrides) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  // A folder opens and fails on the first read; an empty file only ends.
  if (!file.is_open() || file.bad()) {
    throw IoError(fmt::format("{}: cannot be read; check the path and its permissions", path));
  }
  return ParseConfig(text.str(), path, overrides);
}

Config ParseConfig(const std::string& text, const std::string& name,
                   const std::vector<std::string>& overrides) {
  Problems problems;
  Value root = ParseDocument(text, name, problems);
  root.where.source = name;
  // What is behind a syntax error is unknown; complaints about missing keys would only hide it.
  const bool readable = problems.Empty() || !root.keys.empty();
  for (const std::string& setting : overrides) ApplyOverride(setting, root, problems);
  Config config;
  if (readable) {
    ReadDocument(Schema(), root, config, problems);
    CheckRules(config, problems);
  }
  if (!problems.Empty()) throw ConfigError(problems.Text());
  return config;
}

}  // namespace hyperpp::config
