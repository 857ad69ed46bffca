// Runs one step of a schedule on one pipeline rank. Knows no schedule by name: it walks the rank's
// list of actions and does what each says.
//
//     1RECV_F2   offer buffers for the state in front of stage 1
//     1F2        wait for them; forward pass
//     1SEND_F2   start sending what it returned
//     2RECV_B2   ... and so on
//
// What a pass returns waits in a table under the name of the action that consumes it; neighbouring
// stages of one rank hand over through the same table, without a message.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "hyperpp/comm/world.h"
#include "hyperpp/core/trace.h"
#include "hyperpp/pipeline/runtime/pipeline_stage.h"
#include "hyperpp/pipeline/runtime/stage_sharding.h"
#include "hyperpp/pipeline/runtime/stage_transport.h"
#include "hyperpp/pipeline/schedule/schedule.h"

namespace hyperpp::pipeline {

class PipelineExecutor {
 public:
  /// `stages`: this rank's, by chunk. `trace` may be null, and `sharding` where no schedule has
  /// sharding actions. Collective: all ranks of `world`.
  PipelineExecutor(comm::World& world, std::vector<PipelineStage> stages, Transport transport,
                   at::Device device, Trace* trace, StageSharding* sharding);

  std::vector<PipelineStage>& stages() { return stages_; }
  const StageTransport& transport() const { return transport_; }

  /// Text in front of actions in messages: "step 12".
  void set_activity(std::string activity) { activity_ = std::move(activity); }

  /// Runs `schedule` over `microbatches`, as many as it is made for. Returns the loss of each on
  /// the rank with the last stage, nothing elsewhere. If `schedule` has no backward passes, no
  /// graph is kept. Collective: all ranks of the pipeline, with the same schedule. Errors:
  /// CommError; InternalError with rank, action and a drawing of the schedule for a failure
  ///         inside an action.
  std::vector<at::Tensor> Run(const Schedule& schedule,
                              const std::vector<MicrobatchInput>& microbatches);

 private:
  using Tensors = std::vector<at::Tensor>;

  void RunAction(const Action& action, const MicrobatchInput& microbatch);
  void RunForward(const Action& action, const MicrobatchInput& microbatch);
  void RunBackward(const Action& action);
  void RunSharding(const Action& action);
  Tensors InputOf(const Action& compute);
  PipelineStage& StageOf(const Action& action);
  int PeerOf(const Action& message) const;
  [[noreturn]] void Fail(const Schedule& schedule, std::size_t position, const std::string& fact);

  comm::World& world_;
  const int rank_;  // pipeline coordinate
  std::vector<PipelineStage> stages_;
  StageTransport transport_;
  const at::Device device_;
  Trace* trace_;
  StageSharding* sharding_;
  std::string activity_;

  // Of the step that runs.
  ScheduleShape shape_;
  bool with_backward_ = false;
  std::map<Action, Tensors> results_;  // by the compute action that made them
  Tensors losses_;
};

}  // namespace hyperpp::pipeline
