#include "hyperpp/parallel/context/sequence_cut.h"

#include "hyperpp/core/error.h"

namespace hyperpp::parallel {

SequenceCut::SequenceCut(int degree, bool balanced)
    : degree_(degree), chunks_per_rank_(balanced && degree > 1 ? 2 : 1) {
  HYPERPP_CHECK_LE(1, degree, "degree of a sequence cut");
}

std::vector<TokenRange> SequenceCut::ChunksOf(int rank, int64_t length) const {
  HYPERPP_CHECK_EQ(length % Multiple(), 0, "sequence of {} tokens in chunks of {} ranks", length,
                   degree_);
  const int64_t size = length / Multiple();
  std::vector<TokenRange> chunks = {{rank * size, (rank + 1) * size}};
  if (chunks_per_rank_ == 2) chunks.push_back({length - chunks[0].end, length - chunks[0].begin});
  return chunks;
}

std::vector<int32_t> SequenceCut::IndicesOf(int rank, int64_t length) const {
  std::vector<int32_t> indices;
  for (const TokenRange& chunk : ChunksOf(rank, length))
    for (int64_t i = chunk.begin; i < chunk.end; ++i) indices.push_back(static_cast<int32_t>(i));
  return indices;
}

}  // namespace hyperpp::parallel
