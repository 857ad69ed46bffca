#include "hyperpp/models/spec/shared_fields.h"

#include <string>

#include <fmt/format.h>

#include "hyperpp/models/spec/rope_fields.h"

namespace hyperpp::models {
namespace {

constexpr int64_t kMaxLayers = 100000;

void ReadSizes(FieldReader& config, const DenseDefaults& defaults, DecoderSpec& spec) {
  spec.vocab_size = config.Integer("vocab_size", defaults.vocab_size);
  spec.hidden_size = config.Integer("hidden_size", defaults.hidden_size);
  spec.intermediate_size = config.Integer("intermediate_size", defaults.intermediate_size);
  spec.num_layers = config.Integer("num_hidden_layers", 32, {.max = kMaxLayers});
  spec.max_position_embeddings =
      config.Integer("max_position_embeddings", defaults.max_position_embeddings);
}

void ReadHeads(FieldReader& config, const DenseDefaults& defaults, DecoderSpec& spec) {
  spec.num_heads = config.Integer("num_attention_heads", 32);
  spec.num_key_value_heads =
      config.OptionalInteger("num_key_value_heads", defaults.num_key_value_heads)
          .value_or(spec.num_heads);
  const std::optional<int64_t> head_dim = config.OptionalInteger("head_dim", defaults.head_dim);
  spec.head_dim = head_dim.value_or(spec.hidden_size / spec.num_heads);
  if (spec.num_heads % spec.num_key_value_heads != 0)
    config.Refuse("num_key_value_heads", fmt::format("{} does not divide num_attention_heads = {}",
                                                     spec.num_key_value_heads, spec.num_heads));
  if (!head_dim && spec.hidden_size < spec.num_heads)
    config.Refuse("hidden_size", fmt::format("{} is less than num_attention_heads = {}; give "
                                             "head_dim or a larger hidden_size",
                                             spec.hidden_size, spec.num_heads));
  else if (spec.head_dim % 2 != 0)
    config.Refuse("head_dim", fmt::format("{} is odd; rotary embedding turns pairs, so it must be "
                                          "even",
                                          spec.head_dim));
}

void ReadNumerics(FieldReader& config, DecoderSpec& spec) {
  const std::string act = config.Text("hidden_act", "silu");
  if (act != "silu" && act != "swish")
    config.Refuse("hidden_act", fmt::format("\"{}\" cannot be honoured; use silu", act));
  spec.rms_norm_eps = config.Number("rms_norm_eps", 1e-6, {.max = 1});
  spec.initializer_range = config.Number("initializer_range", 0.02, {.max = 1});
  // transformers writes `initializer_range or 0.02`.
  if (spec.initializer_range == 0) spec.initializer_range = 0.02;
  spec.attention_dropout = config.OptionalNumber("attention_dropout", {.max = 1}).value_or(0);
  if (spec.attention_dropout == 1)
    config.Refuse("attention_dropout", "1 drops everything; use a value below 1");
  spec.tie_word_embeddings = config.Boolean("tie_word_embeddings", false);
}

// eos_token_id may be a list; the first one is the document separator.
std::optional<int64_t> ReadTokenId(FieldReader& config, const char* name,
                                   std::optional<int64_t> absent) {
  const nlohmann::json* value = config.Find(name);
  if (value == nullptr || !value->is_array()) {
    constexpr int64_t kLowest = -1;  // some published configs write -1 for "none"
    const std::optional<int64_t> id = config.OptionalInteger(name, absent, {.min = kLowest});
    return id == kLowest ? std::nullopt : id;
  }
  for (const auto& id : *value)
    if (!id.is_number_integer())
      config.Refuse(name, fmt::format("is {}, expected integers", Quote(*value)));
  if (value->empty() || !value->front().is_number_integer()) return std::nullopt;
  return value->front().get<int64_t>();
}

void ReadPadding(FieldReader& config, DecoderSpec& spec) {
  const nlohmann::json* value = config.Find("pad_token_id");
  if (value == nullptr || value->is_null()) return;
  // Like torch's Embedding: negative rows count from the end.
  int64_t row =
      config.Integer("pad_token_id", 0, {.min = -spec.vocab_size, .max = spec.vocab_size - 1});
  if (row < 0) row += spec.vocab_size;
  spec.pad_token_id = row;
}

void ReadDtype(FieldReader& config, DecoderSpec& spec) {
  const bool has_old_spelling = config.HasValue("torch_dtype");
  const char* name = config.HasValue("dtype") || !has_old_spelling ? "dtype" : "torch_dtype";
  spec.torch_dtype = config.HasValue(name) ? config.Text(name, "float32") : "float32";
  if (spec.torch_dtype != "float32" && spec.torch_dtype != "bfloat16" &&
      spec.torch_dtype != "float16")
    config.Refuse(name, fmt::format("\"{}\" is not supported; use float32, bfloat16 or float16",
                                    spec.torch_dtype));
}

// Window of a layer of the given type: 0 for full attention. `window` is 0 if there is none.
int64_t WindowOf(FieldReader& config, const nlohmann::json& type, int64_t window) {
  if (type == "full_attention" || type == "attention") return 0;
  if (type != "sliding_attention")
    config.Refuse("layer_types", fmt::format("{} is not supported; use full_attention or "
                                             "sliding_attention",
                                             Quote(type)));
  else if (window == 0)
    config.Refuse("layer_types",
                  "sliding_attention needs use_sliding_window true and a "
                  "sliding_window");
  return window;
}

}  // namespace

void ReadSharedFields(FieldReader& config, const DenseDefaults& defaults, DecoderSpec& spec) {
  ReadSizes(config, defaults, spec);
  ReadHeads(config, defaults, spec);
  ReadNumerics(config, spec);
  ReadDtype(config, spec);
  ReadPadding(config, spec);
  spec.bos_token_id = ReadTokenId(config, "bos_token_id", defaults.bos_token_id);
  spec.eos_token_id = ReadTokenId(config, "eos_token_id", defaults.eos_token_id);
  spec.rope = ReadRope(config, spec.max_position_embeddings);
  spec.layer_windows.assign(spec.num_layers, 0);
}

void ReadWindows(FieldReader& config, DecoderSpec& spec) {
  const bool use_window = config.Boolean("use_sliding_window", false);
  const std::optional<int64_t> given = config.OptionalInteger("sliding_window", 4096);
  const int64_t window = use_window ? given.value_or(0) : 0;
  const int64_t first = config.Integer("max_window_layers", 28, {.min = 0});

  if (!config.HasValue("layer_types")) {
    for (int64_t layer = first; layer < spec.num_layers; ++layer)
      spec.layer_windows[layer] = window;
    return;
  }
  const nlohmann::json& types = *config.Find("layer_types");
  if (!types.is_array() || static_cast<int64_t>(types.size()) != spec.num_layers) {
    config.Refuse("layer_types",
                  fmt::format("is {} of {} entries, expected a list of num_hidden_layers = {}",
                              types.type_name(), types.size(), spec.num_layers));
    return;
  }
  for (int64_t layer = 0; layer < spec.num_layers; ++layer)
    spec.layer_windows[layer] = WindowOf(config, types[layer], window);
}

}  // namespace hyperpp::models
