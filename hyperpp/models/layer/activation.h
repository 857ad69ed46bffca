// An activation: what its consumers keep of it for their backward passes, and what they put off.
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
//
// Nothing in a backward pass waits for the weight gradients of linear layers. Where the gradient of
// their input goes to other ranks next, they are put off and run while that exchange does:
//
//     q, k, v: input gradients | exchange of their sum  ........ |
//                              | weight gradients of q, k, v     |
//
// Source: Megatron-LM, overlap of the column-parallel layers' input gradients.
#pragma once

#include <functional>
#include <memory>
#include <vector>

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

/// Work of one backward pass that is put off.
class DeferredWork {
 public:
  void Add(std::function<void()> work) { pending_.push_back(std::move(work)); }
  /// Runs what was added, in order, and forgets it.
  void Run();

 private:
  std::vector<std::function<void()>> pending_;
};

struct Activation {
  explicit Activation(at::Tensor kept) : value(std::move(kept)) {}
  Activation(at::Tensor dropped, std::shared_ptr<Remake> way_back)
      : value(std::move(dropped)), remake(std::move(way_back)) {}

  /// What a consumer captures to have the value in its backward pass.
  std::function<at::Tensor()> Keep() const;

  at::Tensor value;
  std::shared_ptr<Remake> remake;  // null: consumers keep the value
  /// Where consumers put off weight gradients; null: nowhere. Its owner runs it in the backward
  /// pass of `value`, so only if that has one.
  std::shared_ptr<DeferredWork> deferred;
};

}  // namespace hyperpp::models
