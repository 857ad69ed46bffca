// hyperpp config
#include <fmt/format.h>

#include "hyperpp/cli/command.h"
#include "hyperpp/config/reference.h"

namespace hyperpp::cli {

void AddConfig(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("config", "Print every key with its type, default and meaning");
  command->callback([&action] {
    action = [] {
      fmt::print("{}", config::ReferenceText());
      return 0;
    };
  });
}

}  // namespace hyperpp::cli
