// Tensor parallelism: every matrix of the model split over the ranks of a group.
//
// Acts on a model that is still on the meta device: each weight keeps this rank's part by its
// placement (models/spec/tensor_placement.h), and the layers get the region that connects the ranks
// (region.h). From then on layers see local sizes; loading, saving, sharding and the optimizer go
// by the weights' boxes and need no word of tensor parallelism.
//
// Weights that every rank holds whole stay equal to the bit, because all ranks apply the same
// gradient: where ranks' gradients are terms of a sum, SumPartialGradients adds them up once per
// step, after all microbatches.
//
// Source: Megatron-LM, arXiv:1909.08053, section 3; arXiv:2205.05198, section 4.2.2.
#pragma once

#include <span>
#include <vector>

#include "hyperpp/comm/group.h"
#include "hyperpp/models/decoder.h"
#include "hyperpp/models/spec/tensor_placement.h"

namespace hyperpp::parallel {

/// Splits `decoder` over `group`, which must outlive it. A group of one rank changes nothing.
/// REQUIRES: on the meta device; the group's size divides heads, key/value heads, width and
/// vocabulary (plan/model_rules.h refuses others).
void ApplyTensorParallel(models::Decoder& decoder, std::span<const models::PlacementRule> rules,
                         comm::Group& group, bool sequence_parallel);

/// Those of `weights` that are whole on every rank, and whose gradients are terms of a sum.
std::vector<models::Weight*> PartialGradientWeights(const std::vector<models::Weight*>& weights,
                                                    std::span<const models::PlacementRule> rules,
                                                    bool sequence_parallel);

/// Sums the owned gradients of `weights` over `group`, in one exchange, in fp32.
/// Collective: all ranks of `group`.
void SumPartialGradients(const std::vector<models::Weight*>& weights, comm::Group& group);

}  // namespace hyperpp::parallel
