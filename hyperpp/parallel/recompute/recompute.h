// Activation recomputation: the backward pass runs a layer again instead of keeping its
// activations.
//
//     none        keeps everything that the backward reads
//     selective   makes cheap values again, within the layer (models/layer/activation.h)
//     full        keeps the layer's input alone; the backward runs the whole layer once more
//
// The second run gives the same bits as the first: kernels are deterministic, and dropout masks
// follow from (seed, step, layer, sample, position), so no generator state has to be kept or put
// back, whatever other microbatches ran in between.
//
// Source: Chen et al., Training Deep Nets with Sublinear Memory Cost, arXiv:1604.06174.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hyperpp/models/decoder.h"

namespace hyperpp::parallel {

/// Runs `call` on `hidden_TH` without keeping a graph; the backward runs it again with one.
/// `parameters`: of the layer; they keep the graph alive where `hidden_TH` needs no gradient.
at::Tensor RunRecomputed(const models::LayerCall& call, const at::Tensor& hidden_TH,
                         const std::vector<at::Tensor>& parameters);

enum class RecomputeKind { kSelective, kFull };

/// Applies `kind` to those decoder layers of [first, end) that `layers` lists; to all if it is
/// empty.
void ApplyRecompute(models::Decoder& decoder, int64_t first, int64_t end, RecomputeKind kind,
                    const std::optional<std::vector<int64_t>>& layers);

}  // namespace hyperpp::parallel
