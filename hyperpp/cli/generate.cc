// hyperpp generate --model DIR --prompt TEXT | --prompt-ids 1,2,3 [--max-new-tokens N]
// [--temperature T]
//                  [--top-p P] [--seed N] [--tokenizer bytes|FILE] [--dtype float32|bfloat16]
//                  [--json]
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hyperpp/cli/command.h"
#include "hyperpp/trainer/generate_text.h"

namespace hyperpp::cli {

void AddGenerate(CLI::App& app, Action& action) {
  auto options = std::make_shared<trainer::GenerateRequest>();
  auto json = std::make_shared<bool>(false);
  CLI::App* command =
      app.add_subcommand("generate", "Continue a prompt with a Hugging Face style model");
  command->add_option("--model", options->model, "Folder with config.json and weights")->required();
  auto* text = command->add_option("--prompt", options->prompt, "Text to continue");
  command->add_option("--prompt-ids", options->prompt_ids, "Token ids to continue: 1,2,3")
      ->delimiter(',')
      ->excludes(text);
  command->add_option("--max-new-tokens", options->max_new_tokens, "Tokens to add")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--temperature", options->temperature, "0 is greedy")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--top-p", options->top_p, "Probability mass to sample from")
      ->check(CLI::Range(0.0, 1.0));
  command->add_option("--seed", options->seed, "Seed of the sampling");
  command->add_option("--tokenizer", options->tokenizer,
                      "bytes or a file; default: what the model folder has");
  command->add_option("--dtype", options->dtype, "Precision of the computation")
      ->check(CLI::IsMember({"float32", "bfloat16"}));
  command->add_flag("--json", *json, "Print one JSON object");
  command->callback([options, json, &action] {
    action = [options, json] {
      const trainer::GeneratedText result = trainer::GenerateText(*options);
      if (*json) {
        fmt::print("{}\n", nlohmann::json{{"ids", result.ids}, {"text", result.text}}.dump(
                               -1, ' ', false, nlohmann::json::error_handler_t::replace));
      } else {
        fmt::print("{}\n", result.text);
      }
      return 0;
    };
  });
}

}  // namespace hyperpp::cli
