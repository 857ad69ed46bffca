// A node of the autograd graph whose backward is a function of ours.
//
// Layers compute their forward with kernels, outside autograd, and then append one node that knows
// the backward. Weight gradients do not travel along the graph: the backward adds them straight
// into the fp32 accumulator of the Weight, so there is no bf16 gradient tensor and no cast. A
// trainable weight still appears among the node's inputs, as the edge that keeps the graph alive
// where no activation needs a gradient (the embedding); its gradient on that edge is undefined.
//
// torch::autograd::Function would do, but wants every saved value as an IValue and does nothing
// when no input requires a gradient.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

namespace hyperpp::models {

/// Gradients of the outputs -> gradients of the inputs; undefined tensors mean none.
using Backward = std::function<std::vector<at::Tensor>(const std::vector<at::Tensor>&)>;

/// Returns `outputs` with a node behind them whose backward is `backward`; `inputs` are its inputs
/// in order. Saved values live in the closure and are dropped when the graph is released: capture
/// tensors without history (`x.detach()`), never an output that this function returned. Outputs are
/// returned unchanged when gradients are off or no input requires one. Errors: a second backward
/// through the node throws InternalError.
std::vector<at::Tensor> AppendNode(std::string name, const std::vector<at::Tensor>& inputs,
                                   std::vector<at::Tensor> outputs, Backward backward);

/// True if an operation on `inputs` must be recorded: gradients are on and an input requires one.
bool NeedsNode(const std::vector<at::Tensor>& inputs);

}  // namespace hyperpp::models
