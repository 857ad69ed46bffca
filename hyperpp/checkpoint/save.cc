#include "hyperpp/checkpoint/save.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <utility>

#include "hyperpp/checkpoint/box.h"
#include "hyperpp/checkpoint/checksum.h"
#include "hyperpp/checkpoint/companion_files.h"
#include "hyperpp/checkpoint/durable_file.h"
#include "hyperpp/checkpoint/publish_folder.h"
#include "hyperpp/checkpoint/safetensors_writer.h"
#include "hyperpp/checkpoint/step_folders.h"
#include "hyperpp/comm/world.h"
#include "hyperpp/core/error.h"

namespace hyperpp::checkpoint {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::vector<ShardEntry> EntriesOf(const std::vector<SavedTensor>& tensors) {
  std::vector<ShardEntry> entries;
  for (const SavedTensor& tensor : tensors) {
    const Box box{tensor.offsets, tensor.local.sizes().vec()};
    HYPERPP_CHECK(Fits(box, tensor.global_shape), "{} of {} has the part {}", tensor.kind,
                  tensor.fqn, ToText(box));
    entries.push_back({tensor.fqn, tensor.kind, tensor.local.scalar_type(), tensor.global_shape,
                       tensor.offsets, box.sizes});
  }
  return entries;
}

/// Checks that the boxes of all shards are each tensor exactly once, and all parameters of
/// `outline`.
void CheckComplete(const std::vector<Shard>& shards, const ModelOutline& outline) {
  std::map<std::string, const ParameterOutline*> known;
  for (const ParameterOutline& parameter : outline.parameters) known[parameter.fqn] = &parameter;
  std::map<std::pair<std::string, std::string>, std::vector<Box>> boxes;
  for (const Shard& shard : shards) {
    for (const ShardEntry& entry : shard.entries) {
      HYPERPP_CHECK(known.contains(entry.fqn), "{} of {} is saved, but not in the model outline",
                    entry.kind, entry.fqn);
      HYPERPP_CHECK(entry.global_shape == known[entry.fqn]->shape,
                    "{} of {} is saved with another global shape than in the model outline",
                    entry.kind, entry.fqn);
      boxes[{entry.fqn, entry.kind}].push_back({entry.offsets, entry.shape});
    }
  }
  for (const ParameterOutline& parameter : outline.parameters)
    if (parameter.NumElements() > 0) boxes.try_emplace({parameter.fqn, kParameter});
  for (const auto& [key, parts] : boxes) {
    const std::string problem = DescribeTilingError(parts, known[key.first]->shape);
    HYPERPP_CHECK(problem.empty(), "{} of {}: {}", key.second, key.first, problem);
  }
}

}  // namespace

CheckpointWriter::CheckpointWriter(std::string directory, int64_t step, int rank, int world_size)
    : directory_(std::move(directory)),
      saving_(SavingFolderPath(directory_, step)),
      step_(step),
      rank_(rank),
      world_size_(world_size) {}

std::string CheckpointWriter::NotePath(int rank) const {
  return (fs::path(saving_) / fmt::format(".rank_{}.json", rank)).string();
}

void CheckpointWriter::Begin() {
  MakeFolder(directory_);
  CleanLeftovers(directory_);
  MakeFolder(saving_);
}

void CheckpointWriter::WriteShard(const std::vector<SavedTensor>& tensors) {
  std::vector<SavedTensor> present = tensors;
  std::erase_if(present, [](const SavedTensor& tensor) { return tensor.local.numel() == 0; });
  Shard shard{fmt::format("shard_{}.safetensors", rank_), 0, EntriesOf(present)};
  if (!present.empty()) {
    std::vector<SafetensorsSpec> specs;
    for (const ShardEntry& entry : shard.entries)
      specs.push_back({EntryName(entry), entry.dtype, entry.shape});
    SafetensorsWriter writer((fs::path(saving_) / shard.file).string(), std::move(specs),
                             {{"format", "pt"},
                              {"hyperpp_step", std::to_string(step_)},
                              {"hyperpp_rank", std::to_string(rank_)}});
    for (size_t i = 0; i < present.size(); ++i) {
      const at::Tensor host = present[i].local.detach().cpu().contiguous();
      writer.Append(host);
      shard.entries[i].begin = writer.entries()[i].begin;
      shard.entries[i].end = writer.entries()[i].end;
      shard.entries[i].checksum = Checksum(host.const_data_ptr(), host.nbytes());
    }
    shard.bytes = writer.Finish();
  }
  WriteNote(NotePath(rank_), ShardToJson(shard).dump());
}

bool CheckpointWriter::AllRanksWrote() const {
  for (int rank = 0; rank < world_size_; ++rank)
    if (!fs::exists(NotePath(rank))) return false;
  return true;
}

std::vector<Shard> CheckpointWriter::CollectShards() const {
  std::vector<Shard> shards;
  for (int rank = 0; rank < world_size_; ++rank) {
    if (!fs::exists(NotePath(rank)))
      throw IoError(
          fmt::format("{}: rank 0 does not see what rank {} wrote; checkpoint.directory "
                      "must be on a file system that all hosts share",
                      NotePath(rank), rank));
    Shard shard = ShardFromJson(json::parse(ReadWholeFile(NotePath(rank))));
    if (!shard.entries.empty()) shards.push_back(std::move(shard));
  }
  return shards;
}

std::vector<AttachedFile> CheckpointWriter::AttachFiles(const std::string& source_directory) const {
  std::vector<AttachedFile> attached;
  if (source_directory.empty()) return attached;
  for (const std::string& name : CompanionFiles(source_directory)) {
    const std::string text = ReadWholeFile((fs::path(source_directory) / name).string());
    const fs::path file = fs::path(kModelFolder) / name;
    MakeFolder((fs::path(saving_) / kModelFolder).string());
    WriteFileDurably((fs::path(saving_) / file).string(), text);
    attached.push_back({file.string(), text.size(), Checksum(text.data(), text.size())});
  }
  if (!attached.empty()) SyncFolder((fs::path(saving_) / kModelFolder).string());
  return attached;
}

std::string CheckpointWriter::Commit(const CheckpointState& state,
                                     const std::string& source_directory) {
  HYPERPP_CHECK_EQ(state.step, step_, "state of another step");
  Manifest manifest{state, CollectShards(), AttachFiles(source_directory)};
  CheckComplete(manifest.shards, state.outline);
  for (int rank = 0; rank < world_size_; ++rank) fs::remove(NotePath(rank));
  WriteFileDurably((fs::path(saving_) / kManifestFile).string(), FormatManifest(manifest));
  const std::string path = StepFolderPath(directory_, step_);
  PublishFolder(saving_, path);
  return path;
}

void CheckpointWriter::Abandon() noexcept {
  std::error_code ignored;
  fs::remove_all(saving_, ignored);
}

std::string SaveCheckpoint(comm::World* world, const SaveRequest& request) {
  const int rank = world == nullptr ? 0 : world->rank();
  const int world_size = world == nullptr ? 1 : world->size();
  CheckpointWriter writer(request.directory, request.state.step, rank, world_size);
  const auto agree = [&](const std::function<void()>& fn) {
    world == nullptr ? fn() : world->Agree(fn);
  };
  const auto on_rank_0 = [&](const std::function<void()>& fn) {
    agree([&] {
      if (rank == 0) fn();
    });
  };
  try {
    on_rank_0([&] { writer.Begin(); });
    agree([&] { writer.WriteShard(request.tensors); });
    on_rank_0([&] { writer.Commit(request.state, request.source_directory); });
  } catch (...) {
    if (rank == 0) writer.Abandon();
    throw;
  }
  on_rank_0([&] { RemoveOldCheckpoints(request.directory, request.state.step, request.keep); });
  return StepFolderPath(request.directory, request.state.step);
}

}  // namespace hyperpp::checkpoint
