// Reads a checkpoint that any layout wrote into any other layout: a wanted box is put together from
// the boxes of all shards that touch it (see box.h). Files are memory-mapped and opened on first
// use; an entry's checksum is verified when it is touched for the first time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "hyperpp/checkpoint/manifest.h"
#include "hyperpp/checkpoint/safetensors.h"

namespace hyperpp::checkpoint {

class CheckpointReader {
 public:
  /// Opens the step folder `folder`: reads its manifest and checks that all its files are there
  /// with their sizes. Errors: InputError naming file, offset and reason, and the checkpoint before
  /// this one; IoError.
  explicit CheckpointReader(std::string folder);

  const std::string& folder() const { return folder_; }
  const Manifest& manifest() const { return manifest_; }

  /// True if any part of this entry was saved.
  bool Has(const std::string& fqn, const std::string& kind) const;

  /// Fills `out` with the part of a tensor that starts at `offsets` and has the shape of `out`,
  /// converted to its dtype; any device, any strides.
  /// Errors: InputError for a damaged file, or if the checkpoint does not hold all of the part.
  void Read(const std::string& fqn, const std::string& kind, const std::vector<int64_t>& offsets,
            at::Tensor out);

  /// The whole tensor, as it was saved. Errors: as Read.
  at::Tensor ReadWhole(const std::string& fqn, const std::string& kind);

  /// Checks that shard `shard` of the manifest holds what the manifest says, without its data.
  /// Errors: InputError.
  void CheckShard(size_t shard);
  /// Checks the bytes of one entry. Errors: InputError.
  void CheckEntry(size_t shard, size_t entry);

 private:
  struct Place {
    size_t shard, entry;
  };
  struct OpenShard {
    std::unique_ptr<SafetensorsFile> file;  // null until it is needed
    std::vector<bool> verified;             // per entry
  };

  const std::vector<Place>& PlacesOf(const std::string& fqn, const std::string& kind) const;
  void CheckSizes();
  std::string ShardPath(size_t shard) const;
  std::string Advice() const;

  std::string folder_;
  Manifest manifest_;
  std::map<std::pair<std::string, std::string>, std::vector<Place>> places_;  // by FQN and kind
  std::vector<OpenShard> shards_;
};

}  // namespace hyperpp::checkpoint
