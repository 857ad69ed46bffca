#include "hyperpp/models/layer/swiglu_mlp.h"

#include <utility>

#include "hyperpp/kernels/swiglu.h"
#include "hyperpp/models/layer/graph_node.h"

namespace hyperpp::models {
namespace {

at::Tensor Swiglu(const at::Tensor& gate_TI, const at::Tensor& up_TI) {
  const at::Tensor gate = gate_TI.detach(), up = up_TI.detach();
  return AppendNode("Swiglu", {gate_TI, up_TI}, {kernels::SwigluForward(gate, up)},
                    [gate, up](const auto& gradients) {
                      auto [grad_gate, grad_up] =
                          kernels::SwigluBackward(gradients[0].contiguous(), gate, up);
                      return std::vector<at::Tensor>{grad_gate, grad_up};
                    })[0];
}

}  // namespace

SwigluMlp::SwigluMlp(int64_t hidden_size, int64_t intermediate_size, bool bias) {
  gate_proj_ =
      register_module("gate_proj", std::make_shared<Linear>(hidden_size, intermediate_size, bias));
  up_proj_ =
      register_module("up_proj", std::make_shared<Linear>(hidden_size, intermediate_size, bias));
  down_proj_ =
      register_module("down_proj", std::make_shared<Linear>(intermediate_size, hidden_size, bias));
}

void SwigluMlp::set_tensor_region(std::shared_ptr<TensorRegion> region) {
  region_ = std::move(region);
  down_proj_->set_adds_bias(region_->AddsBias());
}

at::Tensor SwigluMlp::forward(const Activation& input, bool remake_product) {
  const Activation x_TH = region_ ? region_->Enter(input, kNumReaders) : input;
  const at::Tensor gate_TI = gate_proj_->forward(x_TH), up_TI = up_proj_->forward(x_TH);
  Activation product_TI(Swiglu(gate_TI, up_TI));
  if (remake_product) {
    product_TI.remake = std::make_shared<Remake>(
        [gate = gate_TI.detach(), up = up_TI.detach()] { return kernels::SwigluForward(gate, up); },
        /*num_takes=*/1);
  }
  const at::Tensor out_TH = down_proj_->forward(product_TI);
  return region_ ? region_->Leave(out_TH) : out_TH;
}

}  // namespace hyperpp::models
