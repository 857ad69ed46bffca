#include "hyperpp/models/spec/field_rules.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace hyperpp::models {
namespace {

using std::string_view;

// Sorted groups: book-keeping, classifier heads, switches of the Python runtime, generation.
constexpr string_view kIrrelevant[] = {
    "architectures",
    "transformers_version",
    "model_type",
    "name_or_path",
    "tokenizer_class",
    "task_specific_params",
    "finetuning_task",
    "prefix",
    "license",
    "tags",
    "language",
    "initializer_factor",
    "gradient_checkpointing",
    "max_sequence_length",
    "model_max_length",
    "tokenizer_model_max_length",
    "unsloth_version",
    "unsloth_fixed",
    "pretraining_tp",

    "id2label",
    "label2id",
    "num_labels",
    "problem_type",
    "classifier_dropout",
    "classifier_activation",
    "classifier_bias",

    "use_cache",
    "output_attentions",
    "output_hidden_states",
    "return_dict",
    "use_return_dict",
    "torchscript",
    "use_bfloat16",
    "attn_implementation",
    "experts_implementation",
    "chunk_size_feed_forward",
    "is_decoder",
    "tf_legacy_loss",
    "pruned_heads",
    "tie_encoder_decoder",
    "tie_last_hidden_states",
    "keys_to_ignore_at_inference",
    "use_flash_attn",
    "use_flash_attention",
    "router_aux_loss_coef",
    "router_z_loss_coef",
    "output_router_logits",
    "router_jitter_noise",

    "assistant_confidence_threshold",
    "assistant_lookbehind",
    "bad_words_ids",
    "begin_suppress_tokens",
    "cls_token_id",
    "decoder_start_token_id",
    "diversity_penalty",
    "do_sample",
    "early_stopping",
    "encoder_no_repeat_ngram_size",
    "encoder_repetition_penalty",
    "epsilon_cutoff",
    "eta_cutoff",
    "exponential_decay_length_penalty",
    "forced_bos_token_id",
    "forced_eos_token_id",
    "length_penalty",
    "max_length",
    "max_new_tokens",
    "min_length",
    "no_repeat_ngram_size",
    "num_assistant_tokens",
    "num_assistant_tokens_schedule",
    "num_beam_groups",
    "num_beams",
    "num_return_sequences",
    "output_scores",
    "remove_invalid_values",
    "repetition_penalty",
    "return_dict_in_generate",
    "sep_token_id",
    "suppress_tokens",
    "target_lookbehind",
    "temperature",
    "top_k",
    "top_p",
    "typical_p",
    "unk_token_id",
};

// A field that may only say `neutral` (JSON text) or null.
struct ForeignField {
  string_view name;
  string_view neutral;
  string_view advice;
};

constexpr string_view kOneModality = "only decoder-only language models are supported";
constexpr string_view kPlainWeights = "only float32, bfloat16 and float16 weights are supported";
constexpr string_view kNoCustomCode =
    "code beside the model is not run; use a model of a supported family";
constexpr string_view kDense =
    "this family is dense; use the family's mixture-of-experts model_type";
constexpr string_view kNotInFamily = "no supported family computes this";

constexpr ForeignField kForeign[] = {
    {"is_encoder_decoder", "false", kOneModality},
    {"add_cross_attention", "false", kOneModality},
    {"cross_attention_hidden_size", "null", kOneModality},
    {"encoder", "null", kOneModality},
    {"decoder", "null", kOneModality},
    {"vision_config", "null", kOneModality},
    {"audio_config", "null", kOneModality},
    {"speech_config", "null", kOneModality},
    {"text_config", "null", kOneModality},
    {"thinker_config", "null", kOneModality},
    {"image_token_id", "null", kOneModality},
    {"quantization_config", "null", kPlainWeights},
    {"compression_config", "null", kPlainWeights},
    {"auto_map", "null", kNoCustomCode},
    {"custom_pipelines", "null", kNoCustomCode},
    {"per_layer_config", "null", kNotInFamily},
    {"num_experts", "0", kDense},
    {"num_local_experts", "0", kDense},
    {"n_routed_experts", "0", kDense},
    {"num_experts_per_tok", "0", kDense},
    {"num_nextn_predict_layers", "0", "this family has no multi-token prediction"},
    {"partial_rotary_factor", "1", kNotInFamily},
    {"rotary_pct", "1", kNotInFamily},
    {"rotary_dim", "null", kNotInFamily},
    {"alibi", "false", kNotInFamily},
    {"no_rope_layers", "null", kNotInFamily},
    {"no_rope_layer_interval", "null", kNotInFamily},
    {"attention_chunk_size", "null", kNotInFamily},
    {"attention_multiplier", "null", kNotInFamily},
    {"attention_out_bias", "null", kNotInFamily},
    {"attn_logit_softcapping", "null", kNotInFamily},
    {"final_logit_softcapping", "null", kNotInFamily},
    {"query_pre_attn_scalar", "null", kNotInFamily},
    {"clip_qkv", "null", kNotInFamily},
    {"embedding_multiplier", "1", kNotInFamily},
    {"residual_multiplier", "1", kNotInFamily},
    {"logits_scaling", "1", kNotInFamily},
    {"logit_scale", "1", kNotInFamily},
    {"scale_emb", "1", kNotInFamily},
    {"scale_depth", "1", kNotInFamily},
    {"use_qk_norm", "false", kNotInFamily},
    {"use_parallel_residual", "false", kNotInFamily},
    {"embd_pdrop", "0", kNotInFamily},
    {"resid_pdrop", "0", kNotInFamily},
    {"hidden_dropout", "0", kNotInFamily},
    {"residual_dropout", "0", kNotInFamily},
    // Fields of one of the families; the others compute what is neutral here.
    {"mlp_bias", "false", "this family has no MLP biases"},
    {"sliding_window", "null", "this family has full attention only"},
    {"use_sliding_window", "false", "this family has full attention only"},
    {"layer_types", "null", "this family has full attention only"},
};

// max_window_layers alone changes nothing: windows also need sliding_window.
constexpr string_view kInertAlone[] = {"max_window_layers"};

const ForeignField* FindForeign(string_view name) {
  const auto* field = std::find_if(std::begin(kForeign), std::end(kForeign),
                                   [&](const ForeignField& f) { return f.name == name; });
  return field == std::end(kForeign) ? nullptr : field;
}

bool IsNeutral(const nlohmann::json& value, string_view neutral) {
  return value.is_null() || value == nlohmann::json::parse(neutral);
}

bool IsListed(string_view name) {
  return std::find(std::begin(kInertAlone), std::end(kInertAlone), name) != std::end(kInertAlone) ||
         FindForeign(name) != nullptr || IsIrrelevantField(name);
}

}  // namespace

bool IsIrrelevantField(string_view name) {
  // Underscored fields are private state of transformers (_name_or_path, _attn_implementation).
  if (name.starts_with('_')) return true;
  return std::find(std::begin(kIrrelevant), std::end(kIrrelevant), name) != std::end(kIrrelevant);
}

void RefuseForeignFields(FieldReader& config) {
  for (const std::string& name : config.UnknownFields()) {
    const ForeignField* field = FindForeign(name);
    if (field == nullptr) continue;
    const nlohmann::json& value = config.object().at(name);
    if (IsNeutral(value, field->neutral)) continue;
    config.Refuse(name, fmt::format("{} cannot be honoured; {}", Quote(value), field->advice));
  }
}

void WarnOfUnknownFields(FieldReader& config) {
  for (const std::string& name : config.UnknownFields())
    if (!IsListed(name)) config.Warn(name, "is not known to hyperpp and is ignored");
}

}  // namespace hyperpp::models
