// hyperpp train CONFIG.yaml [--set key=value ...] [--ranks N]
#include <memory>

#include "hyperpp/cli/command.h"
#include "hyperpp/cli/run_ranks.h"
#include "hyperpp/trainer/trainer.h"

namespace hyperpp::cli {

void AddTrain(CLI::App& app, Action& action) {
  auto options = std::make_shared<RankCommand>();
  options->name = "train";
  options->stops_on_signal = true;
  CLI::App* command =
      app.add_subcommand("train", "Train a model; starts one process per local rank");
  command->add_option("config", options->config_path, "The run's YAML file")->required();
  command->add_option("--set", options->overrides, "Change one key: section.key=value")
      ->allow_extra_args(false);
  command->add_option("--ranks", options->num_ranks, "Ranks to start where dp_shard_size is -1")
      ->check(CLI::PositiveNumber);
  command->callback([options, &action] {
    action = [options] {
      return RunRanks(*options, [](const RankContext& rank) {
        trainer::Trainer trainer(rank.inputs, rank.world, rank.log);
        trainer.Run(rank.stop_requested);
      });
    };
  });
}

}  // namespace hyperpp::cli
