#include "hyperpp/parallel/context/context_parallel.h"

#include "hyperpp/core/error.h"
#include "hyperpp/parallel/context/all_gather_attention.h"
#include "hyperpp/parallel/context/all_to_all_attention.h"
#include "hyperpp/parallel/context/ring_attention.h"

namespace hyperpp::parallel {

std::shared_ptr<const models::AttentionCore> MakeContextAttention(ContextMethod method,
                                                                  comm::Group& group,
                                                                  const SequenceCut& cut) {
  HYPERPP_CHECK_EQ(group.size(), cut.degree(), "ranks that share a sequence");
  switch (method) {
    case ContextMethod::kAllGather:
      return std::make_shared<const AllGatherAttention>(group, cut);
    case ContextMethod::kRing:
      return std::make_shared<const RingAttention>(group, cut);
    case ContextMethod::kAllToAll:
      return std::make_shared<const AllToAllAttention>(group, cut);
  }
  throw InternalError("unknown context-parallel method");
}

void ApplyContextParallel(models::Decoder& decoder, int64_t first, int64_t end,
                          ContextMethod method, comm::Group& group, const SequenceCut& cut) {
  const auto core = MakeContextAttention(method, group, cut);
  for (int64_t i = first; i < end; ++i) decoder.layer(i).set_attention_core(core);
}

}  // namespace hyperpp::parallel
