#include "hyperpp/meta/materialise.h"

#include <ATen/ops/empty_like.h>

namespace hyperpp::meta {

void Rehome(const at::Tensor& tensor, const at::Tensor& memory) {
  at::Tensor handle = tensor;
  if (handle.device().type() != memory.device().type())
    handle.unsafeGetTensorImpl()->_change_backend_component_keys(memory.device());
  handle.set_data(memory);
}

void Materialise(torch::nn::Module& module, at::Device device) {
  const auto materialise = [&](const at::Tensor& tensor) {
    if (tensor.defined() && tensor.is_meta())
      Rehome(tensor, at::empty_like(tensor.detach(), tensor.options().device(device)));
  };
  for (const at::Tensor& parameter : module.parameters()) materialise(parameter);
  for (const at::Tensor& buffer : module.buffers()) materialise(buffer);
}

std::vector<std::string> NamesOnMeta(const torch::nn::Module& module) {
  std::vector<std::string> names;
  const auto collect = [&](const auto& dictionary) {
    for (const auto& item : dictionary)
      if (item.value().is_meta()) names.push_back(item.key());
  };
  collect(module.named_parameters());
  collect(module.named_buffers());
  return names;
}

}  // namespace hyperpp::meta
