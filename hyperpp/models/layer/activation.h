// An activation, and what its consumers keep of it for their backward passes.
//
// A linear layer needs its input once more, for the weight gradient. Usually it keeps the tensor.
// With selective recomputation it keeps the way to make it again from what is kept anyhow: a norm's
// output from the residual sum, the gated product from gate and up projection. That is one cheap
// pass over memory, by the same kernel and so to the same bits, and saves the tensor for as long as
// the microbatch is in flight.
//
//     kept           sum, normed, gate, up, product      of a decoder layer's own activations
//     selective      sum,         gate, up
//
// Source: selective recomputation, Korthikanti et al., arXiv:2205.05198, section 5; here for what
// is cheap to make again beside attention, which never keeps its matrix.
#pragma once

#include <functional>
#include <memory>

#include <ATen/core/Tensor.h>

namespace hyperpp::models {

/// Gives a value back that was dropped. Copies share one: a value that several consumers take is
/// made once and dropped after the last of them.
class Remake {
 public:
  /// `make`: without gradients; called at most once for every `num_takes` calls of Take().
  Remake(std::function<at::Tensor()> make, int num_takes)
      : make_(std::move(make)), num_takes_(num_takes) {}

  at::Tensor Take();

 private:
  std::function<at::Tensor()> make_;
  int num_takes_, num_taken_ = 0;
  at::Tensor value_;  // between the first and the last take
};

struct Activation {
  Activation(at::Tensor kept) : value(std::move(kept)) {}
  Activation(at::Tensor dropped, std::shared_ptr<Remake> way_back)
      : value(std::move(dropped)), remake(std::move(way_back)) {}

  /// What a consumer captures to have the value in its backward pass.
  std::function<at::Tensor()> Keep() const;

  at::Tensor value;
  std::shared_ptr<Remake> remake;  // null: consumers keep the value
};

}  // namespace hyperpp::models
