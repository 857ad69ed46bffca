// hyperpp data prepare INPUT... --output PREFIX --tokenizer bytes|FILE [--eos-token-id N]
// hyperpp data inspect PREFIX [--json]
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "hyperpp/cli/command.h"
#include "hyperpp/data/inspect.h"
#include "hyperpp/data/prepare.h"

namespace hyperpp::cli {
namespace {

void AddPrepare(CLI::App& data, Action& action) {
  struct Options {
    std::vector<std::string> inputs;
    std::string output, tokenizer;
    std::optional<int64_t> eos_token_id;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      data.add_subcommand("prepare", "Turn text into token files (Megatron-style .bin and .idx)");
  command
      ->add_option("inputs", options->inputs,
                   ".txt: one document each; .jsonl: one document a line")
      ->required();
  command->add_option("--output", options->output, "Prefix of the two files to write")->required();
  command
      ->add_option("--tokenizer", options->tokenizer,
                   "bytes, a sentencepiece model or a tokenizer.json")
      ->required();
  command->add_option("--eos-token-id", options->eos_token_id, "Id that ends every document");
  command->callback([options, &action] {
    action = [options] {
      const auto tokenizer = data::OpenTokenizer(options->tokenizer);
      const data::PrepareResult result =
          data::PrepareIndexed(options->inputs, options->output, *tokenizer, options->eos_token_id);
      fmt::print("{}\n", data::Describe(result));
      return 0;
    };
  });
}

void AddInspect(CLI::App& data, Action& action) {
  auto prefix = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  CLI::App* command = data.add_subcommand("inspect", "Say what is in token files");
  command->add_option("prefix", *prefix, "Prefix of the .bin and .idx files")->required();
  command->add_flag("--json", *json, "Print one JSON object");
  command->callback([prefix, json, &action] {
    action = [prefix, json] {
      const data::IndexedSummary summary = data::Inspect(*prefix);
      fmt::print("{}\n", *json ? data::ToJson(summary).dump() : data::Describe(summary));
      return 0;
    };
  });
}

}  // namespace

void AddData(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("data", "Prepare and inspect token files");
  command->require_subcommand(1);
  AddPrepare(*command, action);
  AddInspect(*command, action);
}

}  // namespace hyperpp::cli
