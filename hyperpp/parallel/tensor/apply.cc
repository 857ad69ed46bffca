#include "hyperpp/parallel/tensor/apply.h"

#include <algorithm>
#include <iterator>

#include <ATen/ops/cat.h>

#include "hyperpp/parallel/tensor/region.h"

namespace hyperpp::parallel {

using models::TensorPlacement;

void ApplyTensorParallel(models::Decoder& decoder, std::span<const models::PlacementRule> rules,
                         comm::Group& group, bool sequence_parallel) {
  if (group.size() == 1) return;
  for (models::Weight* weight : models::CollectWeights(decoder)) {
    switch (models::PlacementOf(rules, weight->fqn())) {
      case TensorPlacement::kColumn:
      case TensorPlacement::kVocabulary:
        weight->KeepPart(0, group.rank(), group.size());
        break;
      case TensorPlacement::kRow:
        weight->KeepPart(1, group.rank(), group.size());
        break;
      case TensorPlacement::kRowBias:
      case TensorPlacement::kHeadGain:
      case TensorPlacement::kHiddenGain:
        break;
    }
  }
  decoder.set_tensor_region(MakeTensorRegion(group, sequence_parallel));
}

std::vector<models::Weight*> PartialGradientWeights(const std::vector<models::Weight*>& weights,
                                                    std::span<const models::PlacementRule> rules,
                                                    bool sequence_parallel) {
  std::vector<models::Weight*> partial;
  std::copy_if(weights.begin(), weights.end(), std::back_inserter(partial),
               [&](const auto* weight) {
                 const TensorPlacement placement = models::PlacementOf(rules, weight->fqn());
                 return placement == TensorPlacement::kHeadGain ||
                        (placement == TensorPlacement::kHiddenGain && sequence_parallel);
               });
  return partial;
}

void SumPartialGradients(const std::vector<models::Weight*>& weights, comm::Group& group) {
  if (group.size() == 1 || weights.empty()) return;
  std::vector<at::Tensor> gradients;
  for (const models::Weight* weight : weights)
    gradients.push_back(weight->owned_gradient().view(-1));
  const at::Tensor flat = at::cat(gradients);
  if (flat.numel() == 0) return;  // another shard has them all
  group.AllReduce(flat)->Wait();
  int64_t first = 0;
  for (at::Tensor& gradient : gradients) {
    gradient.copy_(flat.narrow(0, first, gradient.numel()));
    first += gradient.numel();
  }
}

}  // namespace hyperpp::parallel
