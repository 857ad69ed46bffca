#include "hyperpp/models/layer/graph_node.h"

#include <algorithm>
#include <utility>

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>

#include "hyperpp/core/error.h"
#include "hyperpp/models/layer/make_node.h"

namespace hyperpp::models {
namespace {

class ClosureNode : public torch::autograd::Node {
 public:
  ClosureNode(std::string name, Backward backward)
      : name_(std::move(name)), backward_(std::move(backward)) {}

  std::string name() const override { return name_; }

  torch::autograd::variable_list apply(torch::autograd::variable_list&& gradients) override {
    HYPERPP_CHECK(backward_, "second backward through {}", name_);
    return backward_(gradients);
  }

  void release_variables() override { backward_ = nullptr; }

 private:
  std::string name_;
  Backward backward_;
};

}  // namespace

bool NeedsNode(const std::vector<at::Tensor>& inputs) {
  return at::GradMode::is_enabled() && std::any_of(inputs.begin(), inputs.end(), [](const auto& x) {
           return x.defined() && x.requires_grad();
         });
}

std::vector<at::Tensor> AppendNode(std::string name, const std::vector<at::Tensor>& inputs,
                                   std::vector<at::Tensor> outputs, Backward backward) {
  if (!NeedsNode(inputs)) return outputs;
  auto node = MakeNode<ClosureNode>(std::move(name), std::move(backward));
  node->set_next_edges(torch::autograd::collect_next_edges(inputs));
  for (at::Tensor& output : outputs) {
    if (output.defined()) torch::autograd::set_history(output, node);
  }
  return outputs;
}

}  // namespace hyperpp::models
