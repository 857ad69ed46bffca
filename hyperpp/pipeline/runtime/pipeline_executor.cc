#include "hyperpp/pipeline/runtime/pipeline_executor.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "hyperpp/core/error.h"
#include "hyperpp/pipeline/runtime/action_span.h"
#include "hyperpp/pipeline/schedule/dependencies.h"
#include "hyperpp/pipeline/schedule/grid_text.h"

namespace hyperpp::pipeline {
namespace {

// The compute action whose result a send carries.
Action SourceOf(const Action& send) {
  const auto type =
      send.type == ActionType::kSendForward ? ActionType::kForward : ActionType::kBackward;
  return {type, send.stage, send.microbatch};
}

}  // namespace

PipelineExecutor::PipelineExecutor(comm::World& world, std::vector<PipelineStage> stages,
                                   Transport transport, at::Device device, Trace* trace,
                                   StageSharding* sharding)
    : world_(world),
      rank_(world.layout().Coordinate(world.rank(), Axis::kPipeline)),
      stages_(std::move(stages)),
      transport_(world, transport, trace),
      device_(device),
      trace_(trace),
      sharding_(sharding) {}

std::vector<at::Tensor> PipelineExecutor::Run(const Schedule& schedule,
                                              const std::vector<MicrobatchInput>& microbatches) {
  shape_ = schedule.shape;
  HYPERPP_CHECK_EQ(static_cast<int>(microbatches.size()), shape_.num_microbatches,
                   "microbatches of schedule {}", schedule.name);
  HYPERPP_CHECK_EQ(static_cast<int>(stages_.size()), shape_.num_chunks, "chunks of schedule {}",
                   schedule.name);
  const RankActions& actions = schedule.ranks.at(static_cast<std::size_t>(rank_));
  with_backward_ = std::any_of(actions.begin(), actions.end(), [](const Action& action) {
    return action.type == ActionType::kBackward;
  });
  results_.clear();
  const bool has_last = std::any_of(stages_.begin(), stages_.end(),
                                    [](const auto& stage) { return stage.range().is_last; });
  losses_.assign(has_last ? microbatches.size() : 0, {});
  for (std::size_t position = 0; position < actions.size(); ++position) {
    const Action& action = actions[position];
    world_.SetActivity(fmt::format("{}, action {}", activity_, FormatAction(action)));
    try {
      RunAction(action, microbatches[static_cast<std::size_t>(action.microbatch.value)]);
    } catch (const c10::Error& error) {
      Fail(schedule, position, error.what_without_backtrace());
    } catch (const std::exception& error) {
      if (ExitStatusOf(error) != ExitStatus::kDefect) throw;  // says itself where it comes from
      Fail(schedule, position, error.what());
    }
  }
  world_.SetActivity(activity_);
  transport_.Finish();
  HYPERPP_CHECK(results_.empty(), "{} results of passes were not consumed", results_.size());
  return std::move(losses_);
}

void PipelineExecutor::RunAction(const Action& action, const MicrobatchInput& microbatch) {
  switch (action.type) {
    case ActionType::kForward:
      return RunForward(action, microbatch);
    case ActionType::kBackward:
      return RunBackward(action);
    case ActionType::kSendForward:
    case ActionType::kSendBackward: {
      const auto result = results_.extract(SourceOf(action));
      HYPERPP_CHECK(!result.empty(), "nothing to send");
      return transport_.Send(action, PeerOf(action), result.mapped());
    }
    case ActionType::kReceiveForward:
      return transport_.StartReceive(
          action, PeerOf(action),
          EmptyTensors(StageOf(action).InputSpec(microbatch), /*gradients=*/false, device_));
    case ActionType::kReceiveBackward:
      return transport_.StartReceive(
          action, PeerOf(action),
          EmptyTensors(StageOf(action).OutputSpec(microbatch), /*gradients=*/true, device_));
    case ActionType::kUnshard:
    case ActionType::kReshard:
    case ActionType::kReduceGrad:
      return RunSharding(action);
  }
}

void PipelineExecutor::RunSharding(const Action& action) {
  HYPERPP_CHECK(sharding_ != nullptr, "the stages are not sharded");
  const TraceSpan span = SpanOf(trace_, TraceLane::kCommunication, action);
  if (action.type == ActionType::kUnshard) return sharding_->Unshard(action.stage);
  if (action.type == ActionType::kReshard) return sharding_->Reshard(action.stage);
  sharding_->ReduceGradients(action.stage);
}

void PipelineExecutor::RunForward(const Action& action, const MicrobatchInput& microbatch) {
  const Tensors input = InputOf(action);
  PipelineStage& stage = StageOf(action);
  const TraceSpan span = SpanOf(trace_, TraceLane::kCompute, action);
  Tensors output = stage.Forward(action.microbatch, input, microbatch, with_backward_);
  if (stage.range().is_last)
    losses_[static_cast<std::size_t>(action.microbatch.value)] = std::move(output.front());
  else
    results_[action] = std::move(output);
}

void PipelineExecutor::RunBackward(const Action& action) {
  const Tensors gradients = InputOf(action);
  PipelineStage& stage = StageOf(action);
  if (!stage.range().is_last)
    transport_.Release({ActionType::kSendForward, action.stage, action.microbatch});
  const TraceSpan span = SpanOf(trace_, TraceLane::kCompute, action);
  Tensors result = stage.Backward(action.microbatch, gradients);
  if (!stage.range().is_first) results_[action] = std::move(result);
}

// What a compute action consumes: a message, or the result of this rank's other chunk.
PipelineExecutor::Tensors PipelineExecutor::InputOf(const Action& compute) {
  if (const auto receive = ReceiveFor(compute, shape_)) return transport_.Take(*receive);
  const auto producer = ProducerOf(compute, shape_);
  if (!producer) return {};
  auto result = results_.extract(*producer);
  HYPERPP_CHECK(!result.empty(), "no result of {}", FormatAction(*producer));
  return std::move(result.mapped());
}

PipelineStage& PipelineExecutor::StageOf(const Action& action) {
  return stages_.at(static_cast<std::size_t>(shape_.ChunkOf(action.stage)));
}

int PipelineExecutor::PeerOf(const Action& message) const {
  return shape_.RankOf(PartnerOf(message).stage);
}

void PipelineExecutor::Fail(const Schedule& schedule, std::size_t position,
                            const std::string& fact) {
  const Action& action = schedule.ranks[static_cast<std::size_t>(rank_)][position];
  throw InternalError(fmt::format("{}: {}, {} position {}, action {}: {}\n{}",
                                  world_.layout().Label(world_.rank()), activity_, schedule.name,
                                  position, FormatAction(action), fact,
                                  FormatMarkedLists(schedule, rank_, static_cast<int>(position))));
}

}  // namespace hyperpp::pipeline
