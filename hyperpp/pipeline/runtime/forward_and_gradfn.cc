#include "hyperpp/pipeline/runtime/forward_and_gradfn.h"

#include <memory>
#include <numeric>
#include <utility>

#include <torch/csrc/autograd/autograd.h>

#include "hyperpp/core/error.h"

namespace hyperpp::pipeline {
namespace {

bool HasGradient(const at::Tensor& tensor) {
  return tensor.defined() && (tensor.is_floating_point() || tensor.is_complex());
}

at::Tensor LeafOf(const at::Tensor& tensor) { return tensor.detach().requires_grad_(true); }

std::vector<int> PositionsOf(const GradPosition& grad_position,
                             const std::vector<at::Tensor>& args) {
  const auto count = static_cast<int>(args.size());
  if (grad_position.IsAll()) {
    std::vector<int> all(args.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  for (const int position : grad_position.positions()) {
    HYPERPP_CHECK(position >= 0 && position < count, "grad position {} of {} arguments", position,
                  count);
    HYPERPP_CHECK(HasGradient(args[position]), "argument {} has no floating dtype", position);
  }
  return grad_position.positions();
}

// The graph of one forward pass: where it starts and where it ends.
struct Graph {
  std::vector<at::Tensor> leaves;  // of the positions; undefined where there is no gradient
  Keywords keyword_leaves;
  std::vector<at::Tensor> outputs;

  InputGradients Differentiate(const std::vector<at::Tensor>& grad_outputs) {
    Propagate(grad_outputs);
    InputGradients gradients;
    for (const at::Tensor& leaf : leaves)
      gradients.positional.push_back(leaf.defined() ? leaf.grad() : at::Tensor());
    for (const auto& [name, leaf] : keyword_leaves)
      if (leaf.grad().defined()) gradients.keywords[name] = leaf.grad();
    *this = {};
    return gradients;
  }

  void Propagate(const std::vector<at::Tensor>& grad_outputs) const {
    std::vector<at::Tensor> roots, gradients;
    if (grad_outputs.empty()) {
      HYPERPP_CHECK(outputs.size() == 1 && outputs[0].numel() == 1,
                    "{} outputs without gradients; only one scalar may go without", outputs.size());
      if (outputs[0].requires_grad()) torch::autograd::backward({outputs[0]});
      return;
    }
    HYPERPP_CHECK_EQ(grad_outputs.size(), outputs.size(), "gradients of outputs");
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (!grad_outputs[i].defined() || !outputs[i].requires_grad()) continue;
      roots.push_back(outputs[i]);
      gradients.push_back(grad_outputs[i]);
    }
    if (!roots.empty()) torch::autograd::backward(roots, gradients);
  }
};

}  // namespace

ForwardResult forward_and_gradfn(const ForwardFunction& fn, const std::vector<at::Tensor>& args,
                                 const Keywords& keywords, const GradPosition& grad_position) {
  auto graph = std::make_shared<Graph>();
  std::vector<at::Tensor> inputs = args;
  for (const int position : PositionsOf(grad_position, args)) {
    at::Tensor leaf;
    if (HasGradient(args[position])) inputs[position] = leaf = LeafOf(args[position]);
    graph->leaves.push_back(std::move(leaf));
  }
  if (grad_position.IsAll()) {
    Keywords leaves = keywords;
    for (auto& [name, tensor] : leaves)
      if (HasGradient(tensor)) graph->keyword_leaves[name] = tensor = LeafOf(tensor);
    graph->outputs = fn(inputs, leaves);
  } else {
    graph->outputs = fn(inputs, keywords);
  }
  auto used = std::make_shared<bool>(false);
  return {graph->outputs, [graph, used](const std::vector<at::Tensor>& grad_outputs) {
            HYPERPP_CHECK(!*used, "a forward pass is differentiated twice");
            *used = true;
            return graph->Differentiate(grad_outputs);
          }};
}

}  // namespace hyperpp::pipeline
