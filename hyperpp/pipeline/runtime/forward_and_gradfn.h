// A forward pass together with the function that differentiates it, on a graph of its own.
//
//     [outputs, gradfn] = forward_and_gradfn(fn, args, keywords, {0});
//     gradients = gradfn(gradients of the outputs);      // of args[0]; parameters get theirs in
//     .grad
//
// Input gradients are taken for an explicit tuple of positional inputs, () or (0, 1, ...): a stage
// asks for those that it received from the stage before. The graph starts at detached aliases of
// these inputs. Nothing else is touched: keyword tensors (ids, masks, positions) are shared by the
// chunks of a rank, so not even their requires_grad flag may change; a keyword that the computation
// uses still takes part in the gradients of parameters. The position -1 means all positional and
// keyword tensors of floating dtype.
//
// Source: the idea and the meaning of -1 follow mindspore's forward_and_gradfn in HyperParallel.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

namespace hyperpp::pipeline {

/// Tensors that a forward pass reads beside its positional inputs.
using Keywords = std::map<std::string, at::Tensor>;

using ForwardFunction = std::function<std::vector<at::Tensor>(const std::vector<at::Tensor>& args,
                                                              const Keywords& keywords)>;

/// Which inputs are differentiated.
class GradPosition {
 public:
  /// All positional and keyword tensors.
  static constexpr int kAll = -1;

  GradPosition() = default;
  explicit GradPosition(std::vector<int> positions) : positions_(std::move(positions)) {}
  /// {0}, {0, 2} or {kAll}.
  GradPosition(std::initializer_list<int> positions) : positions_(positions) {}

  bool IsAll() const { return positions_.size() == 1 && positions_.front() == kAll; }
  const std::vector<int>& positions() const { return positions_; }

 private:
  std::vector<int> positions_;
};

struct InputGradients {
  /// In the order of the grad positions (kAll: of the arguments); undefined where the outputs do
  /// not depend on the input, or its dtype has no gradient.
  std::vector<at::Tensor> positional;
  Keywords keywords;  // kAll only: the defined ones
};

/// Takes the gradient of each output (undefined: none; an empty list: one scalar output of gradient
/// 1), and returns those of the inputs. May be called once; the graph is freed with it.
using GradFunction = std::function<InputGradients(const std::vector<at::Tensor>& grad_outputs)>;

struct ForwardResult {
  std::vector<at::Tensor> outputs;
  GradFunction gradfn;
};

/// Runs `fn` and returns its outputs and the function that differentiates them.
/// Errors: InternalError for a position that is no argument, or names one without a floating dtype.
ForwardResult forward_and_gradfn(const ForwardFunction& fn, const std::vector<at::Tensor>& args,
                                 const Keywords& keywords, const GradPosition& grad_position);

}  // namespace hyperpp::pipeline
