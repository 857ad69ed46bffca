// ParseDecoderSpec and LoadDecoderSpec of decoder_spec.h: the order in which a config.json is read.
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hyperpp/core/error.h"
#include "hyperpp/models/spec/config_overrides.h"
#include "hyperpp/models/spec/decoder_spec.h"
#include "hyperpp/models/spec/families.h"
#include "hyperpp/models/spec/field_reader.h"
#include "hyperpp/models/spec/field_rules.h"

namespace hyperpp::models {
namespace {

void ReadFamily(FieldReader& config, DecoderSpec& spec) {
  const std::string supported = fmt::format("use one of {}", ListFamilies());
  if (!config.HasValue("model_type")) {
    config.Refuse("model_type", fmt::format("is missing; {}", supported));
    return;
  }
  spec.family = config.Text("model_type", "");
  const Family* family = FindFamily(spec.family);
  if (family == nullptr)
    config.Refuse("model_type", fmt::format("\"{}\" is not supported; {}", spec.family, supported));
  else
    family->read(config, spec);
}

nlohmann::json ReadJson(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) {
    const int reason = errno;
    const std::string text = fmt::format("{}: cannot be opened: {}", file, std::strerror(reason));
    // A wrong path is the user's; a file that is there but cannot be read is the machine's.
    if (reason == ENOENT || reason == ENOTDIR)
      throw InputError(text + "; model.path must be a folder with a config.json");
    throw IoError(text);
  }
  try {
    return nlohmann::json::parse(stream);
  } catch (const nlohmann::json::parse_error& error) {
    throw InputError(fmt::format("{}, offset {}: is not JSON; restore the model's config.json",
                                 file, error.byte));
  }
}

}  // namespace

DecoderSpec ParseDecoderSpec(const nlohmann::json& config, const std::string& where) {
  if (!config.is_object())
    throw InputError(fmt::format("{}: is {}, expected a JSON object", where, Quote(config)));
  DecoderSpec spec;
  Findings findings;
  FieldReader reader(config, where, "", &findings);
  ReadFamily(reader, spec);
  RefuseForeignFields(reader);
  if (!findings.problems.empty())
    throw InputError(fmt::format("{}", fmt::join(findings.problems, "\n")));
  WarnOfUnknownFields(reader);
  spec.warnings = std::move(findings.warnings);
  spec.source = config;
  return spec;
}

DecoderSpec LoadDecoderSpec(const std::string& path, const nlohmann::json& overrides) {
  const std::string file = path + "/config.json";
  nlohmann::json config = ReadJson(file);
  std::string where = file;
  if (overrides.is_object() && !overrides.empty()) {
    ApplyOverrides(overrides, config);
    where += " with model.overrides";
  }
  return ParseDecoderSpec(config, where);
}

}  // namespace hyperpp::models
