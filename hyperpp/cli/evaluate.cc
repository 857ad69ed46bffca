// hyperpp evaluate CONFIG.yaml [--set key=value ...] [--json]
#include <cmath>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hyperpp/cli/command.h"
#include "hyperpp/cli/run_ranks.h"
#include "hyperpp/trainer/evaluate_run.h"
#include "hyperpp/trainer/metrics_log.h"

namespace hyperpp::cli {
namespace {

void Print(const trainer::EvaluationResult& result, bool json) {
  const double perplexity = std::exp(result.loss);
  if (json) {
    const nlohmann::json object = {{"evaluation_loss", trainer::FiniteOrNull(result.loss)},
                                   {"perplexity", trainer::FiniteOrNull(perplexity)},
                                   {"tokens", result.num_labels}};
    fmt::print("{}\n", object.dump());
  } else {
    fmt::print("evaluation loss {:.6f}  perplexity {:.4f}  tokens {}\n", result.loss, perplexity,
               result.num_labels);
  }
}

}  // namespace

void AddEvaluate(CLI::App& app, Action& action) {
  auto options = std::make_shared<RankCommand>();
  auto json = std::make_shared<bool>(false);
  options->name = "evaluate";
  CLI::App* command = app.add_subcommand("evaluate", "Loss and perplexity on the evaluation data");
  command->add_option("config", options->config_path, "The run's YAML file")->required();
  command->add_option("--set", options->overrides, "Change one key: section.key=value")
      ->allow_extra_args(false);
  command->add_flag("--json", *json, "Print one JSON object");
  command->callback([options, json, &action] {
    if (*json) options->flags = {"--json"};
    action = [options, json] {
      return RunRanks(*options, [&](const RankContext& rank) {
        const trainer::EvaluationResult result = trainer::EvaluateRun(rank.inputs, rank.world);
        if (rank.world.rank() == 0) Print(result, *json);
      });
    };
  });
}

}  // namespace hyperpp::cli
