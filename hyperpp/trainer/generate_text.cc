#include "hyperpp/trainer/generate_text.h"

#include <filesystem>
#include <fstream>
#include <memory>

#include <nlohmann/json.hpp>

#include "hyperpp/core/error.h"
#include "hyperpp/data/tokenizers/tokenizer.h"
#include "hyperpp/models/generate.h"
#include "hyperpp/trainer/build_model.h"
#include "hyperpp/trainer/device.h"
#include "hyperpp/trainer/export_model.h"
#include "hyperpp/trainer/initial_weights.h"

namespace hyperpp::trainer {
namespace {

namespace fs = std::filesystem;

// The tokenizer that was asked for, or the folder's own; null if there is none.
std::unique_ptr<data::Tokenizer> FindTokenizer(const GenerateRequest& request) {
  if (!request.tokenizer.empty()) return data::OpenTokenizer(request.tokenizer);
  const fs::path folder = request.model;
  for (const char* name : {"tokenizer.json", "tokenizer.model"}) {
    if (fs::exists(folder / name)) return data::OpenTokenizer((folder / name).string());
  }
  const std::string recorded = ExportedTokenizer(request.model);
  return recorded.empty() ? nullptr : data::OpenTokenizer(recorded);
}

std::vector<int64_t> PromptIds(const GenerateRequest& request, const data::Tokenizer* tokenizer,
                               int64_t vocab_size) {
  std::vector<int64_t> ids = request.prompt_ids;
  if (ids.empty()) {
    if (request.prompt.empty())
      throw ConfigError("generate: no prompt; give --prompt or --prompt-ids");
    if (!tokenizer)
      throw ConfigError(
          fmt::format("generate: {} has no tokenizer.json or tokenizer.model; give --tokenizer or "
                      "--prompt-ids",
                      request.model));
    for (const int32_t id : tokenizer->Encode(request.prompt)) ids.push_back(id);
  }
  for (const int64_t id : ids) {
    if (id < 0 || id >= vocab_size)
      throw InputError(fmt::format(
          "prompt: token id {} is outside the vocabulary, vocab_size is {}", id, vocab_size));
  }
  return ids;
}

}  // namespace

GeneratedText GenerateText(const GenerateRequest& request) {
  const models::DecoderSpec spec = models::LoadDecoderSpec(request.model, nullptr);
  const std::unique_ptr<data::Tokenizer> tokenizer = FindTokenizer(request);
  const std::vector<int64_t> prompt = PromptIds(request, tokenizer.get(), spec.vocab_size);

  config::Config config;
  config.precision.compute_dtype = request.dtype == "bfloat16" ? config::ComputeDType::kBFloat16
                                                               : config::ComputeDType::kFloat32;
  const RunDevice device = ChooseDevice(config, 0, 1);
  PrepareProcess(device, /*deterministic=*/false);
  BuiltModel model = BuildWhole(spec);
  MaterialiseModel(model, /*world=*/nullptr, device, /*with_gradients=*/false);
  LoadPretrained(model, request.model);

  models::GenerateOptions options{.max_new_tokens = request.max_new_tokens,
                                  .temperature = request.temperature,
                                  .top_p = request.top_p,
                                  .seed = request.seed,
                                  .stop_token = spec.eos_token_id};
  GeneratedText result;
  result.ids = models::Generate(*model.decoder, prompt, options);
  if (tokenizer) result.text = tokenizer->Decode({result.ids.begin(), result.ids.end()});
  return result;
}

}  // namespace hyperpp::trainer
