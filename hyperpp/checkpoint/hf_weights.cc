#include "hyperpp/checkpoint/hf_weights.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>
#include <utility>

#include <ATen/core/grad_mode.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "hyperpp/checkpoint/box.h"
#include "hyperpp/checkpoint/durable_file.h"
#include "hyperpp/checkpoint/safetensors_dtype.h"
#include "hyperpp/core/error.h"

namespace hyperpp::checkpoint {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kSingleFile = "model.safetensors";
constexpr const char* kIndexFile = "model.safetensors.index.json";

/// Reads the tensor -> shard table of an index.
std::map<std::string, std::string> ReadIndex(const std::string& path) {
  const auto fail = [&](const std::string& fact) {
    throw InputError(fmt::format("{}: {}; the index is damaged", path, fact));
  };
  json index;
  try {
    index = json::parse(ReadWholeFile(path));
  } catch (const json::parse_error& error) {
    fail(fmt::format("no valid JSON at byte {}", error.byte));
  }
  if (!index.is_object() || !index.contains("weight_map") || !index["weight_map"].is_object())
    fail("has no object weight_map");
  std::map<std::string, std::string> shard_of;
  for (const auto& [name, shard] : index["weight_map"].items()) {
    // A name with a folder could point anywhere.
    if (!shard.is_string() || shard.get<std::string>().find('/') != std::string::npos ||
        !shard.get<std::string>().ends_with(".safetensors"))
      fail(fmt::format("weight_map gives {} for {}, expected the name of a .safetensors file",
                       shard.dump(), name));
    shard_of.emplace(name, shard.get<std::string>());
  }
  if (shard_of.empty()) fail("weight_map is empty");
  return shard_of;
}

/// Tables that older exporters wrote, and that every reader computes itself.
bool IsComputedTable(const std::string& name) { return name.ends_with("rotary_emb.inv_freq"); }

bool IsReadableDtype(at::ScalarType dtype) {
  return dtype == at::kFloat || dtype == at::kBFloat16 || dtype == at::kHalf;
}

bool SameBytes(const at::Tensor& a, const at::Tensor& b) {
  return a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() &&
         std::memcmp(a.const_data_ptr(), b.const_data_ptr(), a.nbytes()) == 0;
}

}  // namespace

bool HfWeights::Present(const std::string& directory) {
  std::error_code ignored;
  return fs::exists(fs::path(directory) / kSingleFile, ignored) ||
         fs::exists(fs::path(directory) / kIndexFile, ignored);
}

HfWeights::HfWeights(const std::string& directory) : directory_(directory) {
  const fs::path single = fs::path(directory) / kSingleFile;
  const fs::path index = fs::path(directory) / kIndexFile;
  if (fs::exists(single)) {
    files_.push_back(std::make_unique<SafetensorsFile>(single.string()));
    for (const auto& [name, entry] : files_[0]->entries()) file_of_[name] = files_[0].get();
  } else if (fs::exists(index)) {
    OpenShards(index.string());
  } else {
    throw InputError(
        fmt::format("{}: has no {} and no {}; give a folder with weights, or set "
                    "model.init: random",
                    directory, kSingleFile, kIndexFile));
  }
}

void HfWeights::OpenShards(const std::string& index_path) {
  std::map<std::string, const SafetensorsFile*> opened;
  for (const auto& [name, shard] : ReadIndex(index_path)) {
    auto& file = opened[shard];
    if (file == nullptr) {
      const std::string path = (fs::path(directory_) / shard).string();
      if (!fs::exists(path))
        throw InputError(
            fmt::format("{}: the shard is missing, but {} names it for {}; fetch the "
                        "model again",
                        path, kIndexFile, name));
      files_.push_back(std::make_unique<SafetensorsFile>(path));
      file = files_.back().get();
    }
    if (!file->entries().contains(name))
      throw InputError(fmt::format("{}: has no tensor {}, but {} says so; fetch the model again",
                                   file->path(), name, kIndexFile));
    file_of_[name] = file;
  }
}

void HfWeights::Check(const ModelOutline& outline) const {
  std::vector<std::string> problems;
  std::set<std::string> known;
  for (const ParameterOutline& parameter : outline.parameters) {
    known.insert(parameter.fqn);
    if (!Has(parameter.fqn)) {
      problems.push_back(fmt::format("{}: the tensor {} [{}] is missing", directory_, parameter.fqn,
                                     fmt::join(parameter.shape, ", ")));
      continue;
    }
    const SafetensorsFile& file = FileOf(parameter.fqn);
    const SafetensorsEntry& entry = file.entries().at(parameter.fqn);
    if (entry.shape != parameter.shape)
      problems.push_back(fmt::format("{}: {} is [{}], the model needs [{}]", file.path(),
                                     parameter.fqn, fmt::join(entry.shape, ", "),
                                     fmt::join(parameter.shape, ", ")));
    if (!IsReadableDtype(entry.dtype))
      problems.push_back(fmt::format("{}: {} has dtype {}, supported are F32, BF16 and F16",
                                     file.path(), parameter.fqn, DtypeName(entry.dtype)));
  }
  for (const auto& [alias, owner] : outline.tied) {
    known.insert(alias);
    if (Has(alias) && Has(owner) && !SameBytes(View(alias), View(owner)))
      problems.push_back(
          fmt::format("{}: {} differs from {}, but the model ties them; set tie_word_embeddings: "
                      "false to train "
                      "both",
                      FileOf(alias).path(), alias, owner));
  }
  for (const auto& [name, file] : file_of_) {
    if (!known.contains(name) && !IsComputedTable(name))
      problems.push_back(fmt::format("{}: {} is not part of the model", file->path(), name));
  }
  if (problems.empty()) return;
  throw InputError(fmt::format("{}; config.json and the weights do not belong together",
                               fmt::join(problems, "\n")));
}

const SafetensorsFile& HfWeights::FileOf(const std::string& fqn) const {
  const auto found = file_of_.find(fqn);
  if (found == file_of_.end())
    throw InputError(
        fmt::format("{}: the tensor {} is missing; fetch the model again", directory_, fqn));
  return *found->second;
}

bool HfWeights::Has(const std::string& fqn) const { return file_of_.contains(fqn); }

at::Tensor HfWeights::View(const std::string& fqn) const { return FileOf(fqn).View(fqn); }

at::ScalarType HfWeights::Dtype(const std::string& fqn) const {
  return FileOf(fqn).entries().at(fqn).dtype;
}

void HfWeights::CopySlice(const std::string& fqn, const std::vector<int64_t>& offsets,
                          at::Tensor out) const {
  const SafetensorsFile& file = FileOf(fqn);
  const Box wanted{offsets, out.sizes().vec()};
  if (!Fits(wanted, file.entries().at(fqn).shape))
    throw InputError(fmt::format(
        "{}: {} is [{}], which does not hold the part {}; config.json and "
        "the weights do not belong together",
        file.path(), fqn, fmt::join(file.entries().at(fqn).shape, ", "), ToText(wanted)));
  const at::NoGradGuard no_grad;
  out.copy_(Narrow(file.View(fqn), wanted, std::vector<int64_t>(offsets.size(), 0)));
}

std::vector<std::string> HfWeights::Names() const {
  std::vector<std::string> names;
  for (const auto& [name, file] : file_of_) names.push_back(name);
  return names;
}

}  // namespace hyperpp::checkpoint
