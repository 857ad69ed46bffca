#include "hyperpp/pipeline/runtime/pipeline_stage.h"

#include <utility>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>

#include "hyperpp/core/error.h"

namespace hyperpp::pipeline {
namespace {

std::vector<int> DifferentiablePositions(const StateSpec& spec) {
  std::vector<int> positions;
  for (std::size_t i = 0; i < spec.size(); ++i)
    if (spec[i].differentiable) positions.push_back(static_cast<int>(i));
  return positions;
}

}  // namespace

StateSpec PipelineStage::InputSpec(const MicrobatchInput& microbatch) const {
  if (range_.is_first) return {};
  return model_.BoundaryState(range_.first_layer, microbatch.keywords);
}

StateSpec PipelineStage::OutputSpec(const MicrobatchInput& microbatch) const {
  if (range_.is_last) return {};
  return model_.BoundaryState(range_.end_layer, microbatch.keywords);
}

std::vector<at::Tensor> PipelineStage::Forward(MicrobatchIndex index,
                                               const std::vector<at::Tensor>& received,
                                               const MicrobatchInput& microbatch, bool keep_graph) {
  HYPERPP_CHECK(!passes_.contains(index), "microbatch {} is in stage {} already", index.value,
                range_.stage);
  Pass pass{InputSpec(microbatch), OutputSpec(microbatch), nullptr};
  const auto run = [&](const std::vector<at::Tensor>& args, const Keywords& keywords) {
    const StageState output = model_.ForwardStage(range_, StageState(pass.input, args), keywords);
    if (!range_.is_last) return output.InOrderOf(pass.output);
    return std::vector<at::Tensor>{model_.Loss(output, microbatch.target, keywords)};
  };
  const at::AutoGradMode grad_mode(keep_graph);
  ForwardResult result = forward_and_gradfn(run, received, microbatch.keywords,
                                            GradPosition(DifferentiablePositions(pass.input)));
  if (keep_graph) {
    pass.gradfn = std::move(result.gradfn);
    passes_.emplace(index, std::move(pass));
  }
  for (at::Tensor& output : result.outputs) output = output.detach();
  return std::move(result.outputs);
}

std::vector<at::Tensor> PipelineStage::Backward(MicrobatchIndex index,
                                                const std::vector<at::Tensor>& gradients) {
  const auto node = passes_.extract(index);
  HYPERPP_CHECK(!node.empty(), "microbatch {} is not in stage {}", index.value, range_.stage);
  const Pass& pass = node.mapped();
  std::vector<at::Tensor> grad_outputs(pass.output.size());
  std::size_t next = 0;
  for (const int position : DifferentiablePositions(pass.output)) {
    CheckAgainst(pass.output[position], gradients.at(next),
                 "output gradient of " + pass.output[position].name);
    grad_outputs[position] = gradients[next++];
  }
  std::vector<at::Tensor> result = pass.gradfn(grad_outputs).positional;
  const std::vector<int> positions = DifferentiablePositions(pass.input);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const TensorSpec& spec = pass.input[positions[i]];
    if (!result[i].defined())
      result[i] =
          at::zeros(spec.shape, gradients.empty() ? at::TensorOptions().dtype(spec.dtype)
                                                  : gradients[0].options().dtype(spec.dtype));
  }
  return result;
}

}  // namespace hyperpp::pipeline
