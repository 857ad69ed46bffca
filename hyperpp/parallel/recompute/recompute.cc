#include "hyperpp/parallel/recompute/recompute.h"

#include <algorithm>
#include <utility>

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include "hyperpp/models/layer/graph_node.h"

namespace hyperpp::parallel {

at::Tensor RunRecomputed(const models::LayerCall& call, const at::Tensor& hidden_TH,
                         const std::vector<at::Tensor>& parameters) {
  std::vector<at::Tensor> inputs = {hidden_TH};
  inputs.insert(inputs.end(), parameters.begin(), parameters.end());
  if (!models::NeedsNode(inputs)) return call(hidden_TH);
  const at::Tensor input = hidden_TH.detach();
  at::Tensor output;
  {
    const at::NoGradGuard no_grad;
    output = call(input);
  }
  const bool needs_input_gradient = hidden_TH.requires_grad();
  return models::AppendNode(
      "Recompute", inputs, {std::move(output)},
      [call, input, needs_input_gradient, num_inputs = inputs.size()](const auto& gradients) {
        const at::AutoGradMode with_grad(true);
        const at::Tensor leaf = input.detach().requires_grad_(needs_input_gradient);
        torch::autograd::backward({call(leaf)}, {gradients[0]});
        std::vector<at::Tensor> result(num_inputs);
        result[0] = leaf.grad();
        return result;
      })[0];
}

void ApplyRecompute(models::Decoder& decoder, int64_t first, int64_t end, RecomputeKind kind,
                    const std::optional<std::vector<int64_t>>& layers) {
  for (int64_t i = first; i < end; ++i) {
    if (layers && std::find(layers->begin(), layers->end(), i) == layers->end()) continue;
    models::DecoderLayer& layer = decoder.layer(i);
    if (kind == RecomputeKind::kSelective) {
      layer.set_remake_cheap(true);
      continue;
    }
    decoder.WrapLayer(i, [parameters = layer.parameters()](const models::LayerCall& call,
                                                           const at::Tensor& hidden_TH) {
      return RunRecomputed(call, hidden_TH, parameters);
    });
  }
}

}  // namespace hyperpp::parallel
