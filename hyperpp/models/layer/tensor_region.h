// What tensor parallelism does where hidden states enter and leave the layers that it splits.
//
// A block is a pair of matrices cut so that nothing in between needs another rank: the first by
// columns (each rank computes some heads, or some of the width), the second by rows (each rank's
// product is one term of a sum):
//
//     hidden --Enter--> q, k, v -> attention -> o_proj ----Leave--> hidden
//                       gate, up -> product -> down_proj
//     ids ------------> embedding rows of this rank -------Leave--> hidden
//     hidden --Enter--> logits of this rank's vocabulary
//
// Layers call the region they were given and know nothing of ranks; without one they hold whole
// matrices. parallel/tensor/ implements it. Source: Megatron-LM, arXiv:1909.08053, section 3;
// Korthikanti et al., arXiv:2205.05198, section 4.2.2, where Enter and Leave also change between
// a slice of the tokens and all of them.
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

#include "hyperpp/models/layer/activation.h"

namespace hyperpp::models {

// Collective: all ranks of the region, in the same order.
class TensorRegion {
 public:
  virtual ~TensorRegion() = default;

  /// Hidden states [R, H] -> those of all T tokens [T, H], for `num_readers` linear layers whose
  /// gradients are summed over ranks on the way back. If `x` can be made again, so can the result.
  virtual Activation Enter(const Activation& x_RH, int num_readers) = 0;
  /// One term per rank [T, H] -> their sum, [R, H]. Takes the term's memory.
  virtual at::Tensor Leave(const at::Tensor& term_TH) = 0;

  /// R of T tokens: the rows of hidden states between regions.
  virtual int64_t NumHiddenRows(int64_t num_tokens) const = 0;
  /// Whether this rank is the one that adds biases to its term.
  virtual bool AddsBias() const = 0;
  /// Stacks every rank's `part` [...] into [ranks, ...].
  virtual at::Tensor GatherParts(const at::Tensor& part) = 0;
};

}  // namespace hyperpp::models
