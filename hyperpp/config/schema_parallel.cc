// On which ranks: the world mesh, the pipeline, sharding and context parallelism.
#include <functional>

#include "hyperpp/config/schema.h"

namespace hyperpp::config {

Section AcceleratorKeys() {
  using A = AcceleratorSection;
  const Integer degree{.minimum = 1};
  return SectionTable("accelerator", "Device, ranks and the degrees of the world mesh.",
                      [](auto& config) -> auto& { return config.accelerator; })
      .Add("device", &A::device,
           Choice<DeviceType>{{{"auto", DeviceType::kAuto},
                               {"cpu", DeviceType::kCpu},
                               {"cuda", DeviceType::kCuda}}},
           "Device of every rank; auto is cuda where there is one.")
      .Add("pp_size", &A::pp_size, degree, "Pipeline ranks.")
      .Add("tp_size", &A::tp_size, degree, "Tensor-parallel ranks.")
      .Add("cp_size", &A::cp_size, degree, "Context-parallel ranks, which share a sequence.")
      .Add("ep_size", &A::ep_size, degree,
           "Expert-parallel ranks: consecutive ones of (dp_shard, cp, tp); no further factor.")
      .Add("dp_shard_size", &A::dp_shard_size, AutoDegree{},
           "Ranks over which parameters are sharded; -1 is what is left of the world.")
      .Add("dp_replicate_size", &A::dp_replicate_size, degree, "Replicas of the sharded model.")
      .Add("sequence_parallel", &A::sequence_parallel, Boolean{},
           "Split the sequence between tensor-parallel regions when tp_size > 1.")
      .Add("backend", &A::backend,
           Choice<Backend>{
               {{"auto", Backend::kAuto}, {"gloo", Backend::kGloo}, {"nccl", Backend::kNccl}}},
           "Library that communicates; auto is nccl on cuda and gloo on cpu.")
      .Add("timeout_seconds", &A::timeout_seconds, Number{.above_minimum = true},
           "How long a communication may take before the job ends.")
      .Add("threads_per_rank", &A::threads_per_rank, Optional{Integer{.minimum = 1}, "auto"},
           "CPU threads of a rank; auto is cores / local ranks.")
      .Build();
}

Section PipelineKeys() {
  using P = PipelineSection;
  return SectionTable("pipeline", "The pipeline: how layers are split and scheduled.",
                      [](auto& config) -> auto& { return config.pipeline; })
      .Add("enabled", &P::enabled, Boolean{}, "Must say whether accelerator.pp_size > 1.")
      .Add("schedule", &P::schedule,
           Choice<ScheduleType>{{{"gpipe", ScheduleType::kGPipe},
                                 {"1f1b", ScheduleType::k1F1B},
                                 {"interleaved1f1b", ScheduleType::kInterleaved1F1B}}},
           "Order of the microbatches' forward and backward passes.")
      .Add("pp_microbatch_size", &P::pp_microbatch_size, Integer{.minimum = 1},
           "Sequences per microbatch; divides the local batch.")
      .Add("split", std::identity{}, LayerSplit{},
           "Decoder layers of each rank; for interleaved1f1b one row of them per virtual chunk; "
           "[] balances them automatically (not for interleaved1f1b).")
      .Add("balance", &P::balance,
           Choice<Balance>{{{"layers", Balance::kLayers}, {"cost", Balance::kCost}}},
           "What an automatic split makes equal: layers, or work with embedding and head.")
      .Add("p2p_overlap", &P::p2p_overlap, Boolean{}, "Wait for a message only where it is needed.")
      .Add("p2p_multi_stream", &P::p2p_multi_stream, Boolean{},
           "An own communicator per direction; needs p2p_overlap.")
      .Build();
}

Section FsdpKeys() {
  using F = FsdpSection;
  return SectionTable("fsdp", "Fully sharded data parallelism, when dp_shard_size > 1.",
                      [](auto& config) -> auto& { return config.fsdp; })
      .Add("reshard_after_forward", &F::reshard_after_forward, Boolean{},
           "Free a layer's gathered weights after its forward pass.")
      .Add("prefetch", &F::prefetch, Integer{}, "Layers gathered ahead of their use.")
      .Add("comm_fusion", &F::comm_fusion, Boolean{},
           "Reduce a layer's gradients in one message instead of one per parameter.")
      .Build();
}

Section ContextParallelKeys() {
  using C = ContextParallelSection;
  return SectionTable("context_parallel", "Attention over a shared sequence, when cp_size > 1.",
                      [](auto& config) -> auto& { return config.context_parallel; })
      .Add("method", &C::method,
           Choice<ContextMethod>{{{"all_gather", ContextMethod::kAllGather},
                                  {"ring", ContextMethod::kRing},
                                  {"all_to_all", ContextMethod::kAllToAll}}},
           "How keys and values reach all ranks.")
      .Add("load_balance", &C::load_balance, Boolean{},
           "Give each rank a piece of the head and one of the tail, equal causal work.")
      .Build();
}

}  // namespace hyperpp::config
