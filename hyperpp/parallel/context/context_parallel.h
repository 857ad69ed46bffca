// Puts context-parallel attention into the layers of a stage. Everything else in a decoder works
// token by token, and never notices that it sees a part of each sequence.
#pragma once

#include <cstdint>

#include "hyperpp/comm/group.h"
#include "hyperpp/models/decoder.h"
#include "hyperpp/parallel/context/sequence_cut.h"

namespace hyperpp::parallel {

enum class ContextMethod { kAllGather, kRing, kAllToAll };

/// Attention of one method. `group`: the ranks that share sequences; outlives the core.
std::shared_ptr<const models::AttentionCore> MakeContextAttention(ContextMethod method,
                                                                  comm::Group& group,
                                                                  const SequenceCut& cut);

/// Gives the decoder layers [first, end) that attention.
void ApplyContextParallel(models::Decoder& decoder, int64_t first, int64_t end,
                          ContextMethod method, comm::Group& group, const SequenceCut& cut);

}  // namespace hyperpp::parallel
