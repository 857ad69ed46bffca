// What a subcommand of the program is: it adds its options to the parser, and leaves behind what to
// do when it was chosen.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

namespace hyperpp::cli {

/// What the command line asks for; returns the exit status.
using Action = std::function<int()>;

/// Adds one subcommand to `app`; when it is parsed, `action` is set.
using AddCommand = void (*)(CLI::App& app, Action& action);

void AddTrain(CLI::App& app, Action& action);
void AddEvaluate(CLI::App& app, Action& action);
void AddGenerate(CLI::App& app, Action& action);
void AddPlan(CLI::App& app, Action& action);
void AddData(CLI::App& app, Action& action);
void AddCheckpoint(CLI::App& app, Action& action);
void AddConfig(CLI::App& app, Action& action);
void AddDoctor(CLI::App& app, Action& action);

}  // namespace hyperpp::cli
