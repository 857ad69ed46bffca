// From YAML text to a checked Config, or to one error that lists every mistake.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "hyperpp/config/config.h"

namespace hyperpp::config {

/// Reads `path`, applies `overrides` ("section.key=value", the value in YAML syntax), checks every
/// key and every rule that needs no model, and fills in the defaults. Errors: IoError if the file
/// cannot be read; ConfigError with one line per mistake, each
///         "<path>, line N: section.key: <fact>; <what to do>".
Config LoadConfig(const std::string& path, const std::vector<std::string>& overrides);

/// The same on text; `name` stands for the file in messages.
Config ParseConfig(const std::string& text, const std::string& name,
                   const std::vector<std::string>& overrides);

/// Writes `config` as YAML with every key, defaults included; ParseConfig of it gives the same
/// Config.
std::string WriteConfig(const Config& config);

/// Flat "section.key" -> value text of every key: what ranks compare at rendezvous.
std::map<std::string, std::string> Flatten(const Config& config);

}  // namespace hyperpp::config
