// Weights of a Hugging Face folder: model.safetensors, or shards with model.safetensors.index.json.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hyperpp/checkpoint/safetensors.h"
#include "hyperpp/core/outline.h"

namespace hyperpp::checkpoint {

/// All files of a model folder, opened once; tensors are read by name.
class HfWeights {
 public:
  /// True if `directory` has weights (one file or an index).
  static bool Present(const std::string& directory);

  /// Errors: IoError / InputError naming a missing or damaged shard, or a broken index.
  explicit HfWeights(const std::string& directory);

  /// Checks that every parameter of `outline` is there with its shape, before anything is loaded; a
  /// tied head may be absent, and must equal its owner bit by bit if present.
  /// Errors: InputError naming all missing tensors, wrong shapes (both shapes), unexpected tensors.
  void Check(const ModelOutline& outline) const;

  bool Has(const std::string& fqn) const;
  /// View of the whole tensor in the file's dtype; fp32, bf16 or fp16.
  at::Tensor View(const std::string& fqn) const;
  /// Dtype in the file: exports keep it.
  at::ScalarType Dtype(const std::string& fqn) const;
  /// Fills `out` with the part of `fqn` that starts at `offsets` and has the shape of `out`,
  /// converted to its dtype; only the bytes of that part are read.
  void CopySlice(const std::string& fqn, const std::vector<int64_t>& offsets, at::Tensor out) const;
  /// Names in the files, sorted.
  std::vector<std::string> Names() const;

 private:
  void OpenShards(const std::string& index_path);
  const SafetensorsFile& FileOf(const std::string& fqn) const;

  std::string directory_;
  std::vector<std::unique_ptr<SafetensorsFile>> files_;
  std::map<std::string, const SafetensorsFile*> file_of_;
};

}  // namespace hyperpp::checkpoint
