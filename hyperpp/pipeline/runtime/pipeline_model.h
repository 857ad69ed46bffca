// What a model offers so that AutoPipeline can cut it at its decoder layers.
//
// The model is one torch::nn::Module, built whole on the meta device, that also derives from
// PipelineModel. It names its parts and runs any contiguous range of its layers; the runtime
// decides which ranges live on this rank, gives memory to those, and never touches the rest:
//
//     stage 0                  stage 1                  stage 2 (last)
//     embed_tokens, layers 0-3 layers 4-7               layers 8-9, norm, lm_head
//          |  BoundaryState(4)      |   BoundaryState(8)     |
//          '----- StageState ------>'------ StageState ------>'-> Loss
//
// examples/auto_pipeline.cc is a model of thirty lines with these hooks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "hyperpp/pipeline/runtime/forward_and_gradfn.h"
#include "hyperpp/pipeline/runtime/stage_state.h"

namespace hyperpp::pipeline {

/// One virtual stage: decoder layers [first_layer, end_layer) and what goes with its place.
struct StageRange {
  int stage = 0;
  int64_t first_layer = 0, end_layer = 0;
  bool is_first = false;  // holds the embedding
  bool is_last = false;   // holds the final norm and the head, and computes the loss
};

class PipelineModel {
 public:
  virtual ~PipelineModel() = default;

  /// FQNs of the decoder layers, in order: "model.layers.0", ...
  virtual std::vector<std::string> LayerNames() const = 0;
  /// FQNs of the modules that only the first stage holds. A parameter that these share with those
  /// of LastStageNames is tied: both stages hold it, and the runtime keeps the copies equal.
  virtual std::vector<std::string> FirstStageNames() const = 0;
  /// FQNs of the modules that only the last stage holds.
  virtual std::vector<std::string> LastStageNames() const = 0;
  /// FQNs of modules that every stage holds, such as rotary tables; without parameters.
  virtual std::vector<std::string> EveryStageNames() const { return {}; }

  /// Told once which stages this rank holds, while everything is on the meta device.
  virtual void StagesChosen(const std::vector<StageRange>& /*stages*/) {}
  /// Makes the values of non-persistent buffers anew, after memory was given.
  virtual void RebuildBuffers(at::Device /*device*/) {}

  /// What a microbatch with these keywords hands over in front of layer `layer`, 0 < layer < number
  /// of layers. Must follow from the keywords alone: both sides of the boundary ask.
  virtual StateSpec BoundaryState(int64_t layer, const Keywords& keywords) const = 0;
  /// Runs the layers of `stage`. `input` is empty on the first stage, which reads its ids from the
  /// keywords; the result is the state of the boundary behind, or what Loss takes.
  virtual StageState ForwardStage(const StageRange& stage, const StageState& input,
                                  const Keywords& keywords) = 0;
  /// The microbatch's part of the batch's loss: one element. Gradients are added up over
  /// microbatches, so the parts must be weighed to add up to the loss that is wanted.
  virtual at::Tensor Loss(const StageState& output, const at::Tensor& target,
                          const Keywords& keywords) = 0;
};

}  // namespace hyperpp::pipeline
