// The hyperpp program: parses the command line, runs one command, turns errors into exit statuses.
#include <exception>
#include <optional>

#include "hyperpp/cli/command.h"
#include "hyperpp/core/error.h"
#include "hyperpp/launch/environment.h"
#include "hyperpp/launch/failure_report.h"

namespace {

constexpr hyperpp::cli::AddCommand kCommands[] = {
    hyperpp::cli::AddTrain,  hyperpp::cli::AddEvaluate, hyperpp::cli::AddGenerate,
    hyperpp::cli::AddPlan,   hyperpp::cli::AddData,     hyperpp::cli::AddCheckpoint,
    hyperpp::cli::AddConfig, hyperpp::cli::AddDoctor,
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("hyperpp: exact, deterministic parallel training of decoder-only language models");
  app.name("hyperpp");
  app.require_subcommand(1);
  hyperpp::cli::Action action;
  for (const auto add : kCommands) add(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(hyperpp::ExitStatus::kInput);
  }
  std::optional<hyperpp::comm::RankIdentity> identity;
  try {
    identity = hyperpp::launch::IdentityFromEnvironment();
    return action();
  } catch (const std::exception& error) {
    hyperpp::launch::LeaveProcess(hyperpp::launch::ReportFailure(error, identity));
  }
}
