#include "hyperpp/checkpoint/safetensors_writer.h"

#include <filesystem>
#include <set>
#include <utility>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "hyperpp/checkpoint/safetensors_dtype.h"
#include "hyperpp/checkpoint/safetensors_header.h"
#include "hyperpp/core/error.h"

namespace hyperpp::checkpoint {

namespace {

constexpr uint64_t kAlignment = 8;

uint64_t NumBytes(const SafetensorsSpec& tensor) {
  uint64_t bytes = c10::elementSize(tensor.dtype);
  for (int64_t size : tensor.shape) bytes *= static_cast<uint64_t>(size);
  return bytes;
}

/// Fills `entries` with places relative to the data area.
std::string HeaderText(const std::vector<SafetensorsSpec>& tensors,
                       const std::map<std::string, std::string>& metadata,
                       std::vector<SafetensorsEntry>& entries) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  uint64_t place = 0;
  std::set<std::string> names = {"__metadata__"};
  for (const SafetensorsSpec& tensor : tensors) {
    HYPERPP_CHECK(names.insert(tensor.name).second, "tensor {} is written twice", tensor.name);
    const uint64_t end = place + NumBytes(tensor);
    header[tensor.name] = {{"dtype", DtypeName(tensor.dtype)},
                           {"shape", tensor.shape},
                           {"data_offsets", {place, end}}};
    entries.push_back({tensor.dtype, tensor.shape, place, end});
    place = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  return text;
}

}  // namespace

SafetensorsWriter::SafetensorsWriter(std::string path, std::vector<SafetensorsSpec> tensors,
                                     const std::map<std::string, std::string>& metadata)
    : tensors_(std::move(tensors)), file_(std::move(path)) {
  const std::string header = HeaderText(tensors_, metadata, entries_);
  unsigned char length[kSafetensorsLengthBytes];
  for (uint64_t i = 0; i < sizeof length; ++i)
    length[i] = static_cast<unsigned char>(header.size() >> (8 * i));
  file_.Write(length, sizeof length);
  file_.Write(header.data(), header.size());
  for (SafetensorsEntry& entry : entries_) {
    entry.begin += file_.size();
    entry.end += file_.size();
  }
}

void SafetensorsWriter::Append(const at::Tensor& tensor) {
  HYPERPP_CHECK_LT(num_appended_, tensors_.size(), "{}", file_.path());
  const SafetensorsSpec& expected = tensors_[num_appended_];
  HYPERPP_CHECK(tensor.scalar_type() == expected.dtype && tensor.sizes() == expected.shape,
                "{} is {} [{}], announced as {} [{}]", expected.name,
                c10::toString(tensor.scalar_type()), fmt::join(tensor.sizes(), ", "),
                c10::toString(expected.dtype), fmt::join(expected.shape, ", "));
  const at::Tensor host = tensor.cpu().contiguous();
  file_.Write(host.const_data_ptr(), host.nbytes());
  ++num_appended_;
}

uint64_t SafetensorsWriter::Finish() {
  HYPERPP_CHECK_EQ(num_appended_, tensors_.size(), "{}", file_.path());
  file_.Commit();
  return file_.size();
}

uint64_t WriteSafetensors(const std::string& path, const std::vector<NamedTensor>& tensors,
                          const std::map<std::string, std::string>& metadata) {
  std::vector<SafetensorsSpec> specs;
  for (const auto& [name, tensor] : tensors)
    specs.push_back({name, tensor.scalar_type(), tensor.sizes().vec()});
  SafetensorsWriter writer(path, std::move(specs), metadata);
  for (const auto& [name, tensor] : tensors) writer.Append(tensor);
  const uint64_t size = writer.Finish();
  SyncFolder((std::filesystem::absolute(path)).parent_path().string());
  return size;
}

}  // namespace hyperpp::checkpoint
