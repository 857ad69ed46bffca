// hyperpp plan CONFIG.yaml [--set key=value ...] [--world N] [--json]
//                          [--svg FILE] [--measured TRACE_FOLDER [--step N]]
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "hyperpp/cli/command.h"
#include "hyperpp/core/error.h"
#include "hyperpp/plan/describe_plan.h"
#include "hyperpp/plan/describe_schedule.h"
#include "hyperpp/plan/measured_step.h"
#include "hyperpp/plan/planned_schedule.h"
#include "hyperpp/trainer/run_inputs.h"

namespace hyperpp::cli {
namespace {

struct Options {
  std::string config_path;
  std::vector<std::string> overrides;
  int world_size = 0;
  bool json = false;
  std::string svg_path;      // empty: no picture
  std::string trace_folder;  // empty: nothing measured
  std::optional<int64_t> step;
};

void WritePicture(const std::string& path, const std::string& svg) {
  std::ofstream out(path);
  out << svg;
  out.flush();
  if (!out)
    throw IoError(fmt::format("--svg: cannot write {}; name a file that can be written", path));
}

int Plan(const Options& options) {
  const plan::TrainPlan plan = trainer::PrepareRun(options.config_path, options.overrides,
                                                   options.world_size, plan::Purpose::kInspection)
                                   .plan;
  if (plan.schedule.empty() && (!options.svg_path.empty() || !options.trace_folder.empty()))
    throw PlanError(
        "pipeline.enabled: false, so there is no schedule to draw; drop --svg and --measured, or "
        "plan a pipeline");
  std::optional<plan::MeasuredStep> measured;
  if (!options.trace_folder.empty())
    measured = plan::ReadMeasuredStep(plan, options.trace_folder, options.step);
  if (!options.svg_path.empty())
    WritePicture(options.svg_path, measured ? plan::DrawMeasuredStep(*measured)
                                            : plan::DrawSchedule(plan::PlanSchedule(plan)));
  if (options.json) {
    nlohmann::json json = plan::PlanJson(plan);
    if (measured) json["measured"] = plan::MeasuredStepJson(*measured);
    fmt::print("{}\n", json.dump());
  } else {
    fmt::print("{}", plan::DescribePlan(plan));
    if (measured) fmt::print("\n{}", plan::DescribeMeasuredStep(*measured));
  }
  return 0;
}

}  // namespace

void AddPlan(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("plan", "Show mesh, stages, schedule, batches and memory; nothing is run");
  command->add_option("config", options->config_path, "The run's YAML file")->required();
  command->add_option("--set", options->overrides, "Change one key: section.key=value")
      ->allow_extra_args(false);
  command->add_option("--world", options->world_size, "Number of ranks to plan for")
      ->check(CLI::PositiveNumber);
  command->add_flag("--json", options->json, "Print one JSON object");
  command->add_option("--svg", options->svg_path,
                      "Draw the schedule into this file: as simulated, or as measured");
  CLI::Option* measured = command->add_option(
      "--measured", options->trace_folder, "Compare with a run: its folder output.directory/trace");
  command->add_option("--step", options->step, "The step of the trace; default: its last")
      ->needs(measured);
  command->callback([options, &action] { action = [options] { return Plan(*options); }; });
}

}  // namespace hyperpp::cli
