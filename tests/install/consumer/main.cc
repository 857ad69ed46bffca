#include <ATen/ops/zeros.h>

#include "hyperpp/core/mesh_layout.h"
#include "hyperpp/models/spec/cost.h"

int main() {
  const hyperpp::MeshLayout layout({2, 1, 2, 1, 2});
  const auto spec = hyperpp::models::ParseDecoderSpec({{"model_type", "qwen3"}}, "inline");
  const at::Tensor ranks = at::zeros({layout.WorldSize()});
  return ranks.numel() == 8 && hyperpp::models::CountParameters(spec.Outline()) > 0 ? 0 : 1;
}
