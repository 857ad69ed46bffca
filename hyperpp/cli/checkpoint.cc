// hyperpp checkpoint inspect|verify DIR [--json]
// hyperpp checkpoint export DIR --output HF_DIR
// hyperpp checkpoint import HF_DIR --output DIR
#include <functional>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "hyperpp/checkpoint/convert.h"
#include "hyperpp/checkpoint/inspect.h"
#include "hyperpp/checkpoint/verify.h"
#include "hyperpp/cli/command.h"
#include "hyperpp/core/error.h"
#include "hyperpp/models/spec/decoder_spec.h"

namespace hyperpp::cli {
namespace {

int Inspect(const std::string& folder, bool json) {
  const nlohmann::json inspection = checkpoint::InspectCheckpoint(folder);
  fmt::print("{}\n", json ? inspection.dump() : checkpoint::InspectionText(inspection));
  return 0;
}

int Verify(const std::string& folder, bool json) {
  const checkpoint::VerifyReport report = checkpoint::VerifyCheckpoint(folder);
  fmt::print("{}\n", json ? checkpoint::ToJson(report).dump() : checkpoint::ToText(report));
  return static_cast<int>(report.Passed() ? ExitStatus::kDone : ExitStatus::kInput);
}

void AddReport(CLI::App& parent, const char* name, const char* meaning,
               int (*run)(const std::string&, bool), Action& action) {
  auto folder = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  CLI::App* command = parent.add_subcommand(name, meaning);
  command->add_option("directory", *folder, "A step folder, or the folder of step folders")
      ->required();
  command->add_flag("--json", *json, "Print one JSON object");
  command->callback([=, &action] { action = [=] { return run(*folder, *json); }; });
}

void Export(const std::string& from, const std::string& to) {
  checkpoint::ExportCheckpoint(from, to);
  fmt::print("exported   {}\n", to);
}

void Import(const std::string& from, const std::string& to) {
  const models::DecoderSpec spec = models::LoadDecoderSpec(from, nullptr);
  fmt::print("imported   {}\n", checkpoint::ImportHfModel(from, spec.Outline(), spec.source, to));
}

void AddConversion(CLI::App& parent, const char* name, const char* meaning,
                   void (*run)(const std::string&, const std::string&), Action& action) {
  auto from = std::make_shared<std::string>();
  auto to = std::make_shared<std::string>();
  CLI::App* command = parent.add_subcommand(name, meaning);
  command->add_option("directory", *from, "The folder to read")->required();
  command->add_option("--output", *to, "The folder to write")->required();
  command->callback([=, &action] {
    action = [=] {
      run(*from, *to);
      return 0;
    };
  });
}

}  // namespace

void AddCheckpoint(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("checkpoint", "Look at, check and convert checkpoints");
  command->require_subcommand(1);
  AddReport(*command, "inspect", "Say what a checkpoint holds", Inspect, action);
  AddReport(*command, "verify", "Check every byte of a checkpoint", Verify, action);
  AddConversion(*command, "export", "Write a checkpoint's model as a Hugging Face folder", Export,
                action);
  AddConversion(*command, "import", "Make a checkpoint of step 0 from a Hugging Face folder",
                Import, action);
}

}  // namespace hyperpp::cli
