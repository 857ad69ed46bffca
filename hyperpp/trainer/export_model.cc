#include "hyperpp/trainer/export_model.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

#include <ATen/ops/empty.h>
#include <fmt/ranges.h>

#include "hyperpp/checkpoint/box.h"
#include "hyperpp/checkpoint/hf_export.h"
#include "hyperpp/comm/gather_strings.h"
#include "hyperpp/core/error.h"
#include "hyperpp/trainer/owned_boxes.h"

namespace hyperpp::trainer {
namespace {

// A file of ours in the exported folder, for what Hugging Face's files have no place for.
constexpr const char* kExportNotes = "hyperpp.json";

// What one rank counts of a parameter: which box.
struct RemoteBox {
  int rank;
  checkpoint::Box box;
};
using BoxTable = std::map<std::string, std::vector<RemoteBox>>;  // by FQN, ranks ascending

std::string PackNumbers(const std::vector<int64_t>& numbers) {
  return fmt::format("{}", fmt::join(numbers, " "));
}

std::vector<int64_t> UnpackNumbers(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<int64_t>(in), {}};
}

std::vector<OwnedBox> CountedBoxes(const models::Weight& weight, const BuiltModel& model,
                                   comm::World& world) {
  if (!CountsHere(weight, model, world)) return {};
  return OwnedBoxes(weight, weight.parameter());
}

// All ranks tell which boxes they count. Collective.
BoxTable GatherBoxTable(const BuiltModel& model, comm::World& world) {
  std::vector<std::string> own;
  for (const models::Weight* weight : model.store->weights()) {
    for (const OwnedBox& box : CountedBoxes(*weight, model, world)) {
      own.push_back(weight->fqn());
      own.push_back(PackNumbers(box.offsets));
      own.push_back(PackNumbers(box.values.sizes().vec()));
    }
  }
  const auto of_rank = comm::GatherStrings(world.Control(), comm::PackStrings(own));
  BoxTable table;
  for (int rank = 0; rank < world.size(); ++rank) {
    const std::vector<std::string> parts = comm::UnpackStrings(of_rank[rank]);
    for (std::size_t i = 0; i + 2 < parts.size(); i += 3)
      table[parts[i]].push_back({rank, {UnpackNumbers(parts[i + 1]), UnpackNumbers(parts[i + 2])}});
  }
  return table;
}

const models::Weight* FindWeight(const models::ParameterStore& store, const std::string& fqn) {
  for (const models::Weight* weight : store.weights())
    if (weight->fqn() == fqn) return weight;
  return nullptr;
}

// The whole parameter on rank 0, put together from the boxes of all ranks; undefined elsewhere.
at::Tensor GatherToFirst(const ParameterOutline& parameter, const BoxTable& table,
                         const BuiltModel& model, comm::World& world) {
  const models::Weight* weight = FindWeight(*model.store, parameter.fqn);
  std::vector<OwnedBox> own;
  if (weight != nullptr) own = CountedBoxes(*weight, model, world);
  if (world.rank() != 0) {
    for (const OwnedBox& box : own)
      world.Control().Send(box.values.to(at::kCPU).contiguous(), 0)->Wait();
    return {};
  }
  at::Tensor whole = at::empty(parameter.shape, at::kFloat);
  const std::vector<int64_t> origin(parameter.shape.size(), 0);
  std::size_t next_own = 0;
  for (const RemoteBox& remote : table.at(parameter.fqn)) {
    at::Tensor place = checkpoint::Narrow(whole, remote.box, origin);
    if (remote.rank == 0) {
      place.copy_(own.at(next_own++).values);
      continue;
    }
    const at::Tensor received = at::empty(remote.box.sizes, at::kFloat);
    world.Control().Receive(received, remote.rank)->Wait();
    place.copy_(received);
  }
  return whole;
}

}  // namespace

void ExportModel(const RunInputs& inputs, const BuiltModel& built, comm::World& world,
                 const std::string& folder) {
  const BoxTable boxes = GatherBoxTable(built, world);
  checkpoint::HfExport model;
  model.directory = folder;
  model.outline = inputs.spec.Outline();
  model.config = inputs.spec.source;
  model.tensor = [&](const ParameterOutline& parameter) {
    return GatherToFirst(parameter, boxes, built, world);
  };
  model.is_writer = world.rank() == 0;
  model.dtypes = built.export_dtypes;
  model.default_dtype = checkpoint::ConfigDtype(inputs.spec.source);
  model.source_directory = inputs.config.model.path;
  world.Agree([&] { checkpoint::WriteHfModel(model); });
  if (model.is_writer && inputs.config.data.tokenizer == "bytes")
    std::ofstream(std::filesystem::path(folder) / kExportNotes)
        << nlohmann::json{{"tokenizer", "bytes"}} << "\n";
}

std::string ExportedTokenizer(const std::string& folder) {
  std::ifstream in(std::filesystem::path(folder) / kExportNotes);
  const auto notes = nlohmann::json::parse(in, nullptr, /*allow_exceptions=*/false);
  return notes.is_object() ? notes.value("tokenizer", "") : "";
}

}  // namespace hyperpp::trainer
