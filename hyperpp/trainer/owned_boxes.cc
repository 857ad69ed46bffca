#include "hyperpp/trainer/owned_boxes.h"

#include "hyperpp/checkpoint/box.h"

namespace hyperpp::trainer {

std::vector<OwnedBox> OwnedBoxes(const models::Weight& weight, const at::Tensor& owned) {
  if (!weight.IsSharded()) return {{weight.local_offsets(), owned.detach()}};
  std::vector<OwnedBox> boxes;
  int64_t begin = 0;
  for (const checkpoint::Box& box :
       checkpoint::BoxesOfFlatRange(weight.local_shape(), weight.owned_first(), owned.numel())) {
    OwnedBox part{weight.local_offsets(), {}};
    for (std::size_t d = 0; d < part.offsets.size(); ++d) part.offsets[d] += box.offsets[d];
    const int64_t size = checkpoint::NumElements(box);
    part.values = owned.detach().narrow(0, begin, size).view(box.sizes);
    begin += size;
    boxes.push_back(std::move(part));
  }
  return boxes;
}

}  // namespace hyperpp::trainer
