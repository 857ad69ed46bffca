#include "hyperpp/models/spec/rope_fields.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace hyperpp::models {
namespace {

using Type = RopeSpec::Type;

constexpr std::pair<std::string_view, Type> kTypes[] = {{"default", Type::kDefault},
                                                        {"linear", Type::kLinear},
                                                        {"dynamic", Type::kDynamic},
                                                        {"yarn", Type::kYarn},
                                                        {"llama3", Type::kLlama3}};

constexpr double kSmallestTheta = 1e-6;
constexpr double kSmallestFactor = 1;

std::optional<Type> ReadType(FieldReader& rope) {
  const bool has_old_spelling = rope.HasValue("type");
  const char* field = rope.HasValue("rope_type") || !has_old_spelling ? "rope_type" : "type";
  const std::string name = rope.HasValue(field) ? rope.Text(field, "default") : "default";
  for (const auto& [known, type] : kTypes)
    if (known == name) return type;
  rope.Refuse(field, fmt::format("rope type \"{}\" is not supported; use default, linear, dynamic, "
                                 "yarn or llama3",
                                 name));
  return std::nullopt;
}

void ReadYarn(FieldReader& rope, int64_t max_position_embeddings, RopeSpec& spec) {
  const auto original = static_cast<double>(spec.original_max_position_embeddings);
  // A factor that is null follows from the two context lengths.
  if (rope.Find("factor") != nullptr && !rope.HasValue("factor"))
    spec.factor = static_cast<double>(max_position_embeddings) / original;
  else
    spec.factor = rope.RequiredNumber("factor", {.min = kSmallestFactor});
  spec.attention_factor = rope.OptionalNumber("attention_factor");
  spec.mscale = rope.OptionalNumber("mscale");
  spec.mscale_all_dim = rope.OptionalNumber("mscale_all_dim");
  // transformers writes `beta_fast or 32`, `beta_slow or 1`.
  const double beta_fast = rope.OptionalNumber("beta_fast").value_or(0);
  const double beta_slow = rope.OptionalNumber("beta_slow").value_or(0);
  spec.beta_fast = beta_fast == 0 ? 32 : beta_fast;
  spec.beta_slow = beta_slow == 0 ? 1 : beta_slow;
  spec.truncate = rope.Boolean("truncate", true);
}

void ReadLlama3(FieldReader& rope, RopeSpec& spec) {
  spec.factor = rope.RequiredNumber("factor", {.min = kSmallestFactor});
  spec.low_freq_factor = rope.RequiredNumber("low_freq_factor", {.min = kSmallestTheta});
  spec.high_freq_factor = rope.RequiredNumber("high_freq_factor", {.min = kSmallestTheta});
  if (rope.HasValue("low_freq_factor") && rope.HasValue("high_freq_factor") &&
      spec.high_freq_factor <= spec.low_freq_factor)
    rope.Refuse("high_freq_factor", fmt::format("{} is not above low_freq_factor = {}",
                                                spec.high_freq_factor, spec.low_freq_factor));
}

// Fields of rope types or models that are not supported, and would change the frequencies.
void RefuseForeignRopeFields(FieldReader& rope) {
  for (const char* name : {"short_factor", "long_factor", "mrope_section", "full_attention",
                           "sliding_attention", "ext_factor"})
    if (rope.HasValue(name))
      rope.Refuse(name,
                  "cannot be honoured; one set of rope parameters of type default, linear, "
                  "dynamic, yarn or llama3 is supported");
  const double part = rope.OptionalNumber("partial_rotary_factor", {.max = 1}).value_or(1);
  if (part != 1)
    rope.Refuse(
        "partial_rotary_factor",
        fmt::format("{} cannot be honoured; this family turns the whole head, use 1", part));
}

RopeSpec ReadObject(FieldReader& rope, double theta, std::optional<int64_t> outer_original,
                    int64_t max_position_embeddings) {
  RopeSpec spec;
  const std::optional<Type> type = ReadType(rope);
  spec.theta = rope.Number("rope_theta", theta, {.min = kSmallestTheta});
  const int64_t inner_original =
      rope.Integer("original_max_position_embeddings", max_position_embeddings);
  spec.original_max_position_embeddings = outer_original.value_or(inner_original);
  RefuseForeignRopeFields(rope);
  if (!type) return spec;

  spec.type = *type;
  if (*type == Type::kLinear || *type == Type::kDynamic)
    spec.factor = rope.RequiredNumber("factor", {.min = kSmallestFactor});
  if (*type == Type::kDynamic) spec.original_max_position_embeddings = max_position_embeddings;
  if (*type == Type::kYarn) ReadYarn(rope, max_position_embeddings, spec);
  if (*type == Type::kLlama3) ReadLlama3(rope, spec);
  return spec;
}

}  // namespace

RopeSpec ReadRope(FieldReader& config, int64_t max_position_embeddings) {
  constexpr double kDefaultTheta = 10000;
  const double theta = config.Number("rope_theta", kDefaultTheta, {.min = kSmallestTheta});
  const std::optional<int64_t> original =
      config.OptionalInteger("original_max_position_embeddings", std::nullopt);
  const nlohmann::json empty = nlohmann::json::object();
  const nlohmann::json* object = &empty;
  const char* name = "rope_parameters";
  for (const char* spelling : {"rope_parameters", "rope_scaling"}) {
    const nlohmann::json* value = config.Find(spelling);
    if (value == nullptr || value->is_null() || value->empty()) continue;
    if (!value->is_object()) {
      config.Refuse(spelling, fmt::format("is {}, expected an object", Quote(*value)));
      continue;
    }
    object = value;
    name = spelling;
  }
  FieldReader rope(*object, config.where(), std::string(name) + ".", config.findings());
  const RopeSpec spec = ReadObject(rope, theta, original, max_position_embeddings);
  for (const std::string& unknown : rope.UnknownFields())
    rope.Warn(unknown, "is not used by this rope type and is ignored");
  return spec;
}

}  // namespace hyperpp::models
