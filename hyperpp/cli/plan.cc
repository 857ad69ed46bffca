// hyperpp plan CONFIG.yaml [--set key=value ...] [--world N] [--json]
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "hyperpp/cli/command.h"
#include "hyperpp/plan/describe_plan.h"
#include "hyperpp/trainer/run_inputs.h"

namespace hyperpp::cli {

void AddPlan(CLI::App& app, Action& action) {
  struct Options {
    std::string config_path;
    std::vector<std::string> overrides;
    int world_size = 0;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("plan", "Show mesh, stages, batches and memory; nothing is run");
  command->add_option("config", options->config_path, "The run's YAML file")->required();
  command->add_option("--set", options->overrides, "Change one key: section.key=value")
      ->allow_extra_args(false);
  command->add_option("--world", options->world_size, "Number of ranks to plan for")
      ->check(CLI::PositiveNumber);
  command->add_flag("--json", options->json, "Print one JSON object");
  command->callback([options, &action] {
    action = [options] {
      const trainer::RunInputs inputs =
          trainer::PrepareRun(options->config_path, options->overrides, options->world_size,
                              plan::Purpose::kInspection);
      if (options->json)
        fmt::print("{}\n", plan::PlanJson(inputs.plan).dump());
      else
        fmt::print("{}", plan::DescribePlan(inputs.plan));
      return 0;
    };
  });
}

}  // namespace hyperpp::cli
