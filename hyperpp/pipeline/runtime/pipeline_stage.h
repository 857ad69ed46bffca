// One virtual stage: the forward and backward pass of one microbatch after another through one
// range of layers, each with an autograd graph of its own that begins at the received tensors.
//
//     Forward(2, state from the stage before)   graph of microbatch 2 is alive
//     Backward(2, gradients of the output)      ... and gone; returns gradients of the received
//     state
//
// A graph never reaches over a boundary: the schedule may run the passes of other microbatches, and
// of this rank's other chunks, in between.
#pragma once

#include <map>
#include <vector>

#include "hyperpp/pipeline/runtime/pipeline_model.h"
#include "hyperpp/pipeline/schedule/action.h"

namespace hyperpp::pipeline {

/// One microbatch as all ranks of the pipeline hold it.
struct MicrobatchInput {
  Keywords keywords;  // input_ids, positions, ...
  at::Tensor target;  // of the loss; read on the last stage
};

class PipelineStage {
 public:
  /// `model` outlives the stage.
  PipelineStage(PipelineModel& model, StageRange range) : model_(model), range_(range) {}

  const StageRange& range() const { return range_; }

  /// What the stage receives and what it sends, for a microbatch; empty at the ends of the model.
  StateSpec InputSpec(const MicrobatchInput& microbatch) const;
  StateSpec OutputSpec(const MicrobatchInput& microbatch) const;

  /// Runs the layers on `received`, the tensors of InputSpec. Returns those of OutputSpec, without
  /// history; the last stage returns the loss instead.
  /// `keep_graph`: a Backward of this microbatch will follow.
  /// Errors: InternalError if the output is not what the spec says.
  std::vector<at::Tensor> Forward(MicrobatchIndex index, const std::vector<at::Tensor>& received,
                                  const MicrobatchInput& microbatch, bool keep_graph);

  /// Differentiates the pass of `index`. `gradients`: of the differentiable output tensors, in
  /// order; empty on the last stage. Returns the gradients of the differentiable received tensors,
  /// zeros where the output does not depend on one.
  std::vector<at::Tensor> Backward(MicrobatchIndex index, const std::vector<at::Tensor>& gradients);

  /// Microbatches whose graph is alive.
  int NumAlive() const { return static_cast<int>(passes_.size()); }

 private:
  struct Pass {
    StateSpec input, output;
    GradFunction gradfn;
  };

  PipelineModel& model_;
  const StageRange range_;
  std::map<MicrobatchIndex, Pass> passes_;
};

}  // namespace hyperpp::pipeline
