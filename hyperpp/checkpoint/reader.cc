#include "hyperpp/checkpoint/reader.h"

#include <filesystem>
#include <optional>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <fmt/ranges.h>

#include "hyperpp/checkpoint/box.h"
#include "hyperpp/checkpoint/checksum.h"
#include "hyperpp/checkpoint/durable_file.h"
#include "hyperpp/checkpoint/safetensors_dtype.h"
#include "hyperpp/checkpoint/step_folders.h"
#include "hyperpp/core/error.h"

namespace hyperpp::checkpoint {

namespace {

namespace fs = std::filesystem;

Box BoxOf(const ShardEntry& entry) { return {entry.offsets, entry.shape}; }

std::string KindAndName(const ShardEntry& entry) { return entry.kind + " of " + entry.fqn; }

}  // namespace

CheckpointReader::CheckpointReader(std::string folder) : folder_(std::move(folder)) {
  const std::string path = (fs::path(folder_) / kManifestFile).string();
  try {
    manifest_ = ParseManifest(path, ReadWholeFile(path));
    shards_.resize(manifest_.shards.size());
    for (size_t s = 0; s < shards_.size(); ++s) {
      const auto& entries = manifest_.shards[s].entries;
      shards_[s].verified.resize(entries.size());
      for (size_t e = 0; e < entries.size(); ++e)
        places_[{entries[e].fqn, entries[e].kind}].push_back({s, e});
    }
    CheckSizes();
  } catch (const InputError& error) {
    throw InputError(error.what() + Advice());
  }
}

std::string CheckpointReader::ShardPath(size_t shard) const {
  return (fs::path(folder_) / manifest_.shards[shard].file).string();
}

std::string CheckpointReader::Advice() const {
  const auto before = CheckpointBefore(folder_);
  return before ? "; the checkpoint before it is " + before->path : "";
}

void CheckpointReader::CheckSizes() {
  for (size_t s = 0; s < shards_.size(); ++s) {
    std::error_code error;
    const uint64_t bytes = fs::file_size(ShardPath(s), error);
    if (error == std::errc::no_such_file_or_directory)
      throw InputError(
          fmt::format("{}: the file is missing; the checkpoint is incomplete", ShardPath(s)));
    if (error) FailIo(ShardPath(s), "open", error.value());
    if (bytes != manifest_.shards[s].bytes) CheckShard(s);
  }
}

void CheckpointReader::CheckShard(size_t shard) {
  if (shards_[shard].file != nullptr) return;
  auto file = std::make_unique<SafetensorsFile>(ShardPath(shard));
  const Shard& expected = manifest_.shards[shard];
  for (const ShardEntry& entry : expected.entries) {
    if (!file->entries().contains(EntryName(entry)))
      throw InputError(fmt::format("{}: {} ({}) is missing; the file was changed or damaged",
                                   file->path(), KindAndName(entry), EntryName(entry)));
  }
  for (const ShardEntry& entry : expected.entries) {
    const std::string name = EntryName(entry);
    const SafetensorsEntry& actual = file->entries().at(name);
    if (actual.dtype != entry.dtype || actual.shape != entry.shape || actual.begin != entry.begin ||
        actual.end != entry.end)
      throw InputError(fmt::format(
          "{}: {} is {} [{}] at {}, the manifest says {} [{}] at {}; the file was changed or "
          "damaged",
          file->path(), name, DtypeName(actual.dtype), fmt::join(actual.shape, ", "), actual.begin,
          DtypeName(entry.dtype), fmt::join(entry.shape, ", "), entry.begin));
  }
  if (file->entries().size() != expected.entries.size())
    throw InputError(fmt::format("{}: has {} tensors, the manifest says {}; the file was changed",
                                 file->path(), file->entries().size(), expected.entries.size()));
  shards_[shard].file = std::move(file);
}

void CheckpointReader::CheckEntry(size_t shard, size_t entry) {
  CheckShard(shard);
  if (shards_[shard].verified[entry]) return;
  const ShardEntry& expected = manifest_.shards[shard].entries[entry];
  const at::Tensor view = shards_[shard].file->View(EntryName(expected));
  const uint64_t checksum = Checksum(view.const_data_ptr(), view.nbytes());
  if (checksum != expected.checksum)
    throw InputError(
        fmt::format("{}, offset {}: checksum is {}, expected {}, in {}; the file is damaged",
                    ShardPath(shard), expected.begin, ChecksumText(checksum),
                    ChecksumText(expected.checksum), KindAndName(expected)));
  shards_[shard].verified[entry] = true;
}

bool CheckpointReader::Has(const std::string& fqn, const std::string& kind) const {
  return places_.contains({fqn, kind});
}

const std::vector<CheckpointReader::Place>& CheckpointReader::PlacesOf(
    const std::string& fqn, const std::string& kind) const {
  const auto found = places_.find({fqn, kind});
  if (found == places_.end())
    throw InputError(fmt::format(
        "{}: {} of {} is missing; the checkpoint is of another model or run", folder_, kind, fqn));
  return found->second;
}

void CheckpointReader::Read(const std::string& fqn, const std::string& kind,
                            const std::vector<int64_t>& offsets, at::Tensor out) {
  const auto fail = [&](const std::string& fact) {
    throw InputError(
        fmt::format("{}: {} of {}: {}; the checkpoint is of another model or incomplete", folder_,
                    kind, fqn, fact));
  };
  if (out.numel() == 0) return;  // an empty shard of a small parameter
  const Box wanted{offsets, out.sizes().vec()};
  const at::NoGradGuard no_grad;
  int64_t num_found = 0;
  for (const Place& place : PlacesOf(fqn, kind)) {
    const ShardEntry& entry = manifest_.shards[place.shard].entries[place.entry];
    if (!Fits(wanted, entry.global_shape))
      fail(fmt::format("the tensor is [{}], which does not hold the part {}",
                       fmt::join(entry.global_shape, ", "), ToText(wanted)));
    const auto common = Intersect(wanted, BoxOf(entry));
    if (!common) continue;
    try {
      CheckEntry(place.shard, place.entry);
    } catch (const InputError& error) {
      throw InputError(error.what() + Advice());
    }
    const at::Tensor saved = shards_[place.shard].file->View(EntryName(entry));
    Narrow(out, *common, offsets).copy_(Narrow(saved, *common, entry.offsets));
    num_found += NumElements(*common);
  }
  if (num_found != NumElements(wanted))
    fail(fmt::format("{} of the {} elements of the part {} are there", num_found,
                     NumElements(wanted), ToText(wanted)));
}

at::Tensor CheckpointReader::ReadWhole(const std::string& fqn, const std::string& kind) {
  const Place& first = PlacesOf(fqn, kind).front();
  const ShardEntry& entry = manifest_.shards[first.shard].entries[first.entry];
  at::Tensor whole = at::empty(entry.global_shape, at::TensorOptions().dtype(entry.dtype));
  Read(fqn, kind, std::vector<int64_t>(entry.global_shape.size(), 0), whole);
  return whole;
}

}  // namespace hyperpp::checkpoint
