#include "hyperpp/config/suggest.h"

#include <array>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hyperpp/config/nearest.h"

namespace hyperpp::config {
namespace {

struct Synonym {
  std::string_view foreign;
  std::string_view path;
};

// Names that other trainers use, with the key that has this meaning here. A foreign name may stand
// for several keys; the one in the section where it was written wins.
constexpr auto kSynonyms = std::to_array<Synonym>({
    {"model_path", "model.path"},
    {"model_name_or_path", "model.path"},
    {"checkpoint_path", "model.path"},
    {"directory", "model.path"},
    {"max_steps", "training.steps"},
    {"num_steps", "training.steps"},
    {"train_iters", "training.steps"},
    {"train_steps", "training.steps"},
    {"total_steps", "training.steps"},
    {"batch_size", "training.global_batch_size"},
    {"global_batch", "training.global_batch_size"},
    {"train_batch_size", "training.global_batch_size"},
    {"micro_batch", "training.micro_batch_size"},
    {"microbatch_size", "training.micro_batch_size"},
    {"local_batch_size", "training.micro_batch_size"},
    {"per_device_train_batch_size", "training.micro_batch_size"},
    {"gradient_accumulation_steps", "training.micro_batch_size"},
    {"seq_len", "training.sequence_length"},
    {"seq_length", "training.sequence_length"},
    {"max_seq_len", "training.sequence_length"},
    {"max_seq_length", "training.sequence_length"},
    {"max_length", "training.sequence_length"},
    {"block_size", "training.sequence_length"},
    {"random_seed", "training.seed"},
    {"dtype", "precision.compute_dtype"},
    {"bf16", "precision.compute_dtype"},
    {"mixed_precision", "precision.compute_dtype"},
    {"mixed_precision_param", "precision.compute_dtype"},
    {"mixed_precision_reduce", "precision.reduce_dtype"},
    {"name", "optimizer.type"},
    {"learning_rate", "optimizer.lr"},
    {"max_lr", "optimizer.lr"},
    {"peak_lr", "optimizer.lr"},
    {"beta", "optimizer.betas"},
    {"beta1", "optimizer.betas"},
    {"beta2", "optimizer.betas"},
    {"adam_beta1", "optimizer.betas"},
    {"adam_beta2", "optimizer.betas"},
    {"epsilon", "optimizer.eps"},
    {"adam_epsilon", "optimizer.eps"},
    {"wd", "optimizer.weight_decay"},
    {"decay", "optimizer.weight_decay"},
    {"clip_grad", "optimizer.clip_grad_norm"},
    {"grad_clip", "optimizer.clip_grad_norm"},
    {"max_norm", "optimizer.clip_grad_norm"},
    {"max_grad_norm", "optimizer.clip_grad_norm"},
    {"gradient_clipping", "optimizer.clip_grad_norm"},
    {"name", "lr_scheduler.type"},
    {"lr_scheduler_type", "lr_scheduler.type"},
    {"decay_type", "lr_scheduler.type"},
    {"warmup", "lr_scheduler.warmup_steps"},
    {"num_warmup_steps", "lr_scheduler.warmup_steps"},
    {"lr_warmup_steps", "lr_scheduler.warmup_steps"},
    {"min_lr", "lr_scheduler.min_lr_ratio"},
    {"min_lr_factor", "lr_scheduler.min_lr_ratio"},
    {"num_processes", "accelerator.dp_replicate_size"},
    {"dp_size", "accelerator.dp_replicate_size"},
    {"data_parallel_size", "accelerator.dp_replicate_size"},
    {"data_parallel_replicate_degree", "accelerator.dp_replicate_size"},
    {"data_parallel_shard_degree", "accelerator.dp_shard_size"},
    {"fsdp_size", "accelerator.dp_shard_size"},
    {"tp", "accelerator.tp_size"},
    {"tensor_parallel_size", "accelerator.tp_size"},
    {"tensor_parallel_degree", "accelerator.tp_size"},
    {"tensor_model_parallel_size", "accelerator.tp_size"},
    {"pp", "accelerator.pp_size"},
    {"pipeline_parallel_size", "accelerator.pp_size"},
    {"pipeline_parallel_degree", "accelerator.pp_size"},
    {"pipeline_model_parallel_size", "accelerator.pp_size"},
    {"cp", "accelerator.cp_size"},
    {"context_parallel_size", "accelerator.cp_size"},
    {"context_parallel_degree", "accelerator.cp_size"},
    {"ep", "accelerator.ep_size"},
    {"expert_parallel_size", "accelerator.ep_size"},
    {"expert_parallel_degree", "accelerator.ep_size"},
    {"expert_model_parallel_size", "accelerator.ep_size"},
    {"timeout", "accelerator.timeout_seconds"},
    {"num_threads", "accelerator.threads_per_rank"},
    {"threads", "accelerator.threads_per_rank"},
    {"micro_batch_size", "pipeline.pp_microbatch_size"},
    {"microbatch_size", "pipeline.pp_microbatch_size"},
    {"pipeline_parallel_microbatch_size", "pipeline.pp_microbatch_size"},
    {"pipeline_parallel_schedule", "pipeline.schedule"},
    {"layers_per_stage", "pipeline.split"},
    {"overlap_p2p_comm", "pipeline.p2p_overlap"},
    {"gradient_checkpointing", "activation.recompute"},
    {"activation_checkpointing", "activation.recompute"},
    {"recompute_granularity", "activation.recompute"},
    {"mode", "activation.recompute"},
    {"aux_loss_coef", "moe.balance_loss_coef"},
    {"router_aux_loss_coef", "moe.balance_loss_coef"},
    {"load_balance_coeff", "moe.balance_loss_coef"},
    {"mtp_loss_scaling_factor", "mtp.loss_coef"},
    {"dataset", "data.path"},
    {"dataset_path", "data.path"},
    {"data_path", "data.path"},
    {"name", "data.type"},
    {"format", "data.type"},
    {"tokenizer_path", "data.tokenizer"},
    {"eos_id", "data.eos_token_id"},
    {"eval_interval", "evaluation.interval"},
    {"eval_steps", "evaluation.interval"},
    {"dataset", "evaluation.data"},
    {"freq", "evaluation.interval"},
    {"freq", "checkpoint.interval"},
    {"save_interval", "checkpoint.interval"},
    {"save_steps", "checkpoint.interval"},
    {"folder", "checkpoint.directory"},
    {"path", "checkpoint.directory"},
    {"keep_latest_k", "checkpoint.keep"},
    {"save_total_limit", "checkpoint.keep"},
    {"resume_from", "checkpoint.resume"},
    {"resume_from_checkpoint", "checkpoint.resume"},
    {"load", "checkpoint.resume"},
    {"async_save", "checkpoint.async"},
    {"async_mode", "checkpoint.async"},
    {"output_dir", "output.directory"},
    {"dump_folder", "output.directory"},
    {"path", "output.directory"},
    {"log_freq", "output.log_interval"},
    {"logging_steps", "output.log_interval"},
    {"enable_tensorboard", "output.tensorboard"},
});

// Sections of other trainers.
constexpr auto kSectionSynonyms = std::to_array<Synonym>({
    {"trainer", "training"},
    {"train", "training"},
    {"optim", "optimizer"},
    {"scheduler", "lr_scheduler"},
    {"lr", "optimizer.lr"},
    {"parallel", "accelerator"},
    {"parallelism", "accelerator"},
    {"distributed", "accelerator"},
    {"mesh", "accelerator"},
    {"dataset", "data"},
    {"eval", "evaluation"},
    {"validation", "evaluation"},
    {"checkpointing", "checkpoint"},
    {"activation_checkpoint", "activation"},
    {"metrics", "output"},
    {"logging", "output"},
});

// "evaluation.data.path" -> {"evaluation.data", "path"}
std::pair<std::string, std::string> SplitLast(std::string_view path) {
  const auto dot = path.rfind('.');
  return {std::string(path.substr(0, dot)), std::string(path.substr(dot + 1))};
}

// The key that a foreign name stands for, in `section` if there is one.
std::optional<std::string> FromSynonym(const std::string& section, const std::string& key) {
  // What is evaluated on has the keys of the training data.
  const std::string home = section == "evaluation.data" ? "data" : section;
  std::optional<std::string> elsewhere;
  for (const Synonym& synonym : kSynonyms) {
    if (synonym.foreign != key) continue;
    const auto [in_section, name] = SplitLast(synonym.path);
    if (in_section == home) return name;
    if (!elsewhere) elsewhere = std::string(synonym.path);
  }
  return elsewhere;
}

// The key of `section` whose name in another trainer is nearest to `key`.
std::optional<std::string> FromMisspeltSynonym(const std::string& section, const std::string& key) {
  std::vector<std::string_view> foreign;
  for (const Synonym& synonym : kSynonyms) {
    if (synonym.path.starts_with(section + ".")) foreign.push_back(synonym.foreign);
  }
  const auto nearest = NearestWord(key, foreign);
  return nearest ? FromSynonym(section, *nearest) : std::nullopt;
}

// "optimizer.lr", "checkpoint.interval or evaluation.interval": where a key of this name is known.
std::string KnownElsewhere(const std::vector<Section>& schema, const std::string& key) {
  std::vector<std::string> paths;
  for (const Section& section : schema) {
    if (section.Find(key) != nullptr) paths.push_back(section.name + "." + key);
  }
  return fmt::format("{}", fmt::join(paths, " or "));
}

std::vector<std::string_view> Views(const std::vector<std::string>& words) {
  return {words.begin(), words.end()};
}

}  // namespace

std::vector<std::string> SynonymTargets() {
  std::vector<std::string> paths;
  for (const Synonym& synonym : kSynonyms) paths.emplace_back(synonym.path);
  return paths;
}

std::vector<std::string> KeyNames(const std::vector<Section>& schema, const std::string& section) {
  std::vector<std::string> names;
  for (const Section& candidate : schema) {
    if (candidate.name == section) {
      for (const Key& key : candidate.keys) names.push_back(key.name);
    } else if (candidate.name.starts_with(section + ".")) {
      names.push_back(SplitLast(candidate.name).second);
    }
  }
  return names;
}

std::string SuggestKey(const std::vector<Section>& schema, const std::string& section,
                       const std::string& key) {
  const std::vector<std::string> names = KeyNames(schema, section);
  const std::optional<std::string> synonym = FromSynonym(section, key);
  if (synonym && synonym->find('.') == std::string::npos) return "did you mean " + *synonym;
  if (std::string paths = KnownElsewhere(schema, key); !paths.empty()) {
    return "it belongs elsewhere: " + paths;
  }
  if (const auto nearest = NearestWord(key, Views(names))) return "did you mean " + *nearest;
  if (synonym) return "did you mean " + *synonym;
  if (const auto name = FromMisspeltSynonym(section, key)) return "did you mean " + *name;
  return fmt::format("the keys of {} are {}", section, fmt::join(names, ", "));
}

std::string SuggestSection(const std::vector<Section>& schema, const std::string& name) {
  std::vector<std::string> names;
  for (const Section& section : schema) {
    if (section.name.find('.') == std::string::npos) names.push_back(section.name);
  }
  for (const Synonym& synonym : kSectionSynonyms) {
    if (synonym.foreign == name) return fmt::format("did you mean {}", synonym.path);
  }
  if (std::string paths = KnownElsewhere(schema, name); !paths.empty()) {
    return "it belongs into a section: " + paths;
  }
  if (const auto synonym = FromSynonym("", name)) return "did you mean " + *synonym;
  if (const auto nearest = NearestWord(name, Views(names))) return "did you mean " + *nearest;
  return fmt::format("the sections are {}", fmt::join(names, ", "));
}

}  // namespace hyperpp::config
