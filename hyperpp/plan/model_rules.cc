#include "hyperpp/plan/model_rules.h"

#include <numeric>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hyperpp::plan {
namespace {

// "1, 2 or 4": the smallest divisors of `number`, as advice.
std::string Divisors(int64_t number) {
  constexpr size_t kMaxShown = 6;
  std::vector<int64_t> divisors;
  for (int64_t i = 1; i <= number && divisors.size() < kMaxShown; ++i) {
    if (number % i == 0) divisors.push_back(i);
  }
  if (divisors.size() == 1) return "1";
  const int64_t last = divisors.back();
  divisors.pop_back();
  return fmt::format("{} or {}", fmt::join(divisors, ", "), last);
}

// Tensor parallelism splits heads, the feed-forward width and the vocabulary.
void CheckTensorParallel(const config::Config& config, const ModelFacts& facts,
                         Refusals& refusals) {
  const std::pair<std::string_view, int64_t> fields[] = {
      {"num_attention_heads", facts.num_heads},
      {"num_key_value_heads", facts.num_key_value_heads},
      {"intermediate_size", facts.intermediate_size},
      {"vocab_size", facts.vocab_size}};
  const int64_t size = config.accelerator.tp_size;
  int64_t common = 0;
  for (const auto& [name, value] : fields) common = std::gcd(common, value);
  for (const auto& [name, value] : fields) {
    if (value % size == 0) continue;
    refusals.Add("accelerator.tp_size", fmt::format("{} does not divide {} = {}; use {}", size,
                                                    name, value, Divisors(common)));
  }
}

// The all_to_all method splits the heads that tensor parallelism leaves to a rank.
void CheckContextParallel(const config::Config& config, const ModelFacts& facts,
                          Refusals& refusals) {
  const int64_t context = config.accelerator.cp_size, tensor = config.accelerator.tp_size;
  if (config.context_parallel.method != config::ContextMethod::kAllToAll || context == 1) return;
  const std::pair<std::string_view, int64_t> fields[] = {
      {"num_attention_heads", facts.num_heads}, {"num_key_value_heads", facts.num_key_value_heads}};
  for (const auto& [name, value] : fields) {
    if (value % (context * tensor) == 0) continue;
    refusals.Add("context_parallel.method",
                 fmt::format("all_to_all: cp_size {} * tp_size {} does not divide {} = {}; use "
                             "all_gather or ring, or other sizes",
                             context, tensor, name, value));
  }
}

void CheckExperts(const config::Config& config, const ModelFacts& facts, Refusals& refusals) {
  const int64_t size = config.accelerator.ep_size;
  if (size > 1 && facts.num_experts == 0) {
    refusals.Add(
        "accelerator.ep_size",
        fmt::format("{}, but the {} model has no routed experts; use 1", size, facts.family));
  } else if (facts.num_experts % size != 0) {
    refusals.Add("accelerator.ep_size",
                 fmt::format("{} does not divide the number of experts = {}; use {}", size,
                             facts.num_experts, Divisors(facts.num_experts)));
  }
}

// Coefficients of losses over parts that the model does not have.
void CheckCoefficients(const config::Config& config, const ModelFacts& facts, Refusals& refusals) {
  const auto refuse = [&](const char* key, double value, const char* part) {
    refusals.Add(key, fmt::format("{}, but the {} model has no {}; remove the key", value,
                                  facts.family, part));
  };
  if (facts.num_experts == 0) {
    const config::MoeSection& moe = config.moe;
    if (moe.balance_loss_coef != 0) {
      refuse("moe.balance_loss_coef", moe.balance_loss_coef, "routed experts");
    }
    if (moe.z_loss_coef != 0) refuse("moe.z_loss_coef", moe.z_loss_coef, "routed experts");
    if (moe.bias_update_speed != 0) {
      refuse("moe.bias_update_speed", moe.bias_update_speed, "routed experts");
    }
  }
  const double mtp = config.mtp.loss_coef;
  if (facts.num_mtp_blocks == 0 && mtp != 0 && mtp != config::MtpSection{}.loss_coef) {
    refuse("mtp.loss_coef", mtp, "multi-token prediction block");
  }
  if (!facts.has_indexer && config.indexer.loss_coef != 0) {
    refuse("indexer.loss_coef", config.indexer.loss_coef, "indexer");
  }
}

void CheckSequence(const config::Config& config, const ModelFacts& facts, Refusals& refusals) {
  const int64_t length = config.training.sequence_length, limit = facts.max_position_embeddings;
  if (limit == 0 || length <= limit) return;
  refusals.Add("training.sequence_length",
               fmt::format("{} exceeds max_position_embeddings = {}; use at most {}, or change "
                           "the field with model.overrides",
                           length, limit, limit));
}

void CheckRecomputedLayers(const config::Config& config, const ModelFacts& facts,
                           Refusals& refusals) {
  if (!config.activation.layers) return;
  for (int64_t layer : *config.activation.layers) {
    if (layer < facts.num_layers) continue;
    refusals.Add("activation.layers",
                 fmt::format("{} is not a layer, the model has {}; use 0 to {}", layer,
                             facts.num_layers, facts.num_layers - 1));
  }
}

void CheckEndOfDocument(const std::string& section, const config::DataSection& data,
                        const ModelFacts& facts, Refusals& refusals) {
  if (!data.eos_token_id || *data.eos_token_id < facts.vocab_size) return;
  refusals.Add(section + ".eos_token_id",
               fmt::format("{} is not in the vocabulary, vocab_size = {}; use at most {}",
                           *data.eos_token_id, facts.vocab_size, facts.vocab_size - 1));
}

}  // namespace

void CheckModel(const config::Config& config, const ModelFacts& facts, Refusals& refusals) {
  CheckTensorParallel(config, facts, refusals);
  CheckContextParallel(config, facts, refusals);
  CheckExperts(config, facts, refusals);
  CheckSequence(config, facts, refusals);
  CheckRecomputedLayers(config, facts, refusals);
  CheckCoefficients(config, facts, refusals);
  CheckEndOfDocument("data", config.data, facts, refusals);
  if (config.evaluation.data) {
    CheckEndOfDocument("evaluation.data", *config.evaluation.data, facts, refusals);
  }
}

}  // namespace hyperpp::plan
