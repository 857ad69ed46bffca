#include "hyperpp/parallel/context/sequence_order.h"

#include <ATen/ops/empty.h>

namespace hyperpp::parallel {
namespace {

// Calls `copy(part, whole)` with the two places of every chunk.
template <typename Copy>
void ForEachChunk(const at::Tensor& parts_CBS, const at::Tensor& whole_BL, const SequenceCut& cut,
                  const Copy& copy) {
  for (int rank = 0; rank < cut.degree(); ++rank) {
    int64_t offset = 0;
    for (const TokenRange& chunk : cut.ChunksOf(rank, whole_BL.size(1))) {
      copy(parts_CBS[rank].narrow(1, offset, chunk.length()),
           whole_BL.narrow(1, chunk.begin, chunk.length()));
      offset += chunk.length();
    }
  }
}

}  // namespace

at::Tensor ToSequenceOrder(const at::Tensor& parts_CBS, const SequenceCut& cut) {
  std::vector<int64_t> shape = parts_CBS.sizes().slice(1).vec();
  shape[1] *= cut.degree();
  at::Tensor whole = at::empty(shape, parts_CBS.options());
  ForEachChunk(parts_CBS, whole, cut,
               [](const at::Tensor& part, const at::Tensor& place) { place.copy_(part); });
  return whole;
}

at::Tensor ToRankOrder(const at::Tensor& whole_BL, const SequenceCut& cut) {
  std::vector<int64_t> shape = whole_BL.sizes().vec();
  shape[1] /= cut.degree();
  shape.insert(shape.begin(), cut.degree());
  at::Tensor parts = at::empty(shape, whole_BL.options());
  ForEachChunk(parts, whole_BL, cut,
               [](const at::Tensor& part, const at::Tensor& place) { part.copy_(place); });
  return parts;
}

}  // namespace hyperpp::parallel
