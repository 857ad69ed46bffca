#include "hyperpp/plan/describe_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hyperpp/plan/describe_schedule.h"
#include "hyperpp/plan/planned_schedule.h"

namespace hyperpp::plan {
namespace {

// 41607168 -> "41.6 M"
std::string ShowCount(double count) {
  constexpr const char* kUnits[] = {"", " k", " M", " G", " T", " P"};
  size_t unit = 0;
  while (count >= 1000 && unit + 1 < std::size(kUnits)) {
    count /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f}", count) : fmt::format("{:.3g}{}", count, kUnits[unit]);
}

std::string ShowMebibytes(int64_t bytes) {
  return fmt::format("{:.1f}", static_cast<double>(bytes) / (1024.0 * 1024.0));
}

// "pp 2, tp 2"; "one rank"
std::string ShowMesh(const MeshLayout& mesh) {
  std::string text;
  for (Axis axis : kAxes) {
    if (mesh.Degree(axis) == 1) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", AxisName(axis), mesh.Degree(axis));
  }
  if (mesh.ExpertDegree() > 1) text += fmt::format(" (ep {} inside)", mesh.ExpertDegree());
  return text.empty() ? "no parallelism" : text;
}

// "0-2", "4", with the parts outside the layers: "embedding, 0-2"
std::string ShowLayers(const StagePlan& stage) {
  const int64_t first = stage.layers.first_layer, last = first + stage.layers.num_layers - 1;
  std::string text = first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
  if (stage.is_first) text = "embedding, " + text;
  if (stage.is_last) text += ", head";
  return text;
}

std::string StageTable(const TrainPlan& plan) {
  double all_flops = 0;
  for (const StagePlan& stage : plan.stages) all_flops += stage.flops_per_token;
  std::string text = "stage  pp rank  chunk  parameters  compute  layers\n";
  for (const StagePlan& stage : plan.stages) {
    text += fmt::format("{:>5}  {:>7}  {:>5}  {:>10}  {:>5.1f} %  {}\n", stage.layers.stage,
                        stage.layers.rank, stage.layers.chunk,
                        ShowCount(static_cast<double>(stage.num_parameters)),
                        100 * stage.flops_per_token / all_flops, ShowLayers(stage));
  }
  return text;
}

std::string MemoryTable(const TrainPlan& plan) {
  std::string text =
      "memory per rank at its peak, MiB (estimated)\n"
      "pp rank  weights  gradients  optimizer  cast/gathered  activations  workspace  communication"
      "    total\n";
  for (size_t rank = 0; rank < plan.memory.size(); ++rank) {
    const MemoryEstimate& memory = plan.memory[rank];
    text += fmt::format(
        "{:>7}  {:>7}  {:>9}  {:>9}  {:>13}  {:>11}  {:>9}  {:>13}  {:>7}\n", rank,
        ShowMebibytes(memory.weights_bytes), ShowMebibytes(memory.gradients_bytes),
        ShowMebibytes(memory.optimizer_bytes), ShowMebibytes(memory.compute_weights_bytes),
        ShowMebibytes(memory.activations_bytes), ShowMebibytes(memory.workspace_bytes),
        ShowMebibytes(memory.communication_bytes), ShowMebibytes(memory.TotalBytes()));
  }
  return text;
}

// Empty for one rank.
std::string TrafficTable(const TrainPlan& plan) {
  if (plan.mesh.WorldSize() == 1) return "";
  std::string text =
      "\nsent per rank and step, MiB\n"
      "pp rank       pp  dp_replicate  dp_shard       cp       tp\n";
  for (size_t rank = 0; rank < plan.traffic.size(); ++rank) {
    const TrafficEstimate& traffic = plan.traffic[rank];
    text += fmt::format("{:>7}  {:>7}  {:>12}  {:>8}  {:>7}  {:>7}\n", rank,
                        ShowMebibytes(traffic.pipeline_bytes),
                        ShowMebibytes(traffic.replicate_bytes), ShowMebibytes(traffic.shard_bytes),
                        ShowMebibytes(traffic.context_bytes), ShowMebibytes(traffic.tensor_bytes));
  }
  return text;
}

nlohmann::json StageJson(const StagePlan& stage) {
  return {{"stage", stage.layers.stage},
          {"rank", stage.layers.rank},
          {"chunk", stage.layers.chunk},
          {"first_layer", stage.layers.first_layer},
          {"num_layers", stage.layers.num_layers},
          {"embedding", stage.is_first},
          {"head", stage.is_last},
          {"num_parameters", stage.num_parameters},
          {"flops_per_token", stage.flops_per_token}};
}

nlohmann::json MemoryJson(const MemoryEstimate& memory) {
  return {{"weights_bytes", memory.weights_bytes},
          {"gradients_bytes", memory.gradients_bytes},
          {"optimizer_bytes", memory.optimizer_bytes},
          {"compute_weights_bytes", memory.compute_weights_bytes},
          {"activations_bytes", memory.activations_bytes},
          {"workspace_bytes", memory.workspace_bytes},
          {"communication_bytes", memory.communication_bytes},
          {"total_bytes", memory.TotalBytes()}};
}

nlohmann::json TrafficJson(const TrafficEstimate& traffic) {
  return {{"pp", traffic.pipeline_bytes},
          {"dp_replicate", traffic.replicate_bytes},
          {"dp_shard", traffic.shard_bytes},
          {"cp", traffic.context_bytes},
          {"tp", traffic.tensor_bytes}};
}

// One entry per pipeline coordinate, with the global ranks that share it.
nlohmann::json RanksJson(const TrainPlan& plan) {
  const auto groups =
      plan.mesh.Groups({Axis::kReplicate, Axis::kShard, Axis::kContext, Axis::kTensor});
  nlohmann::json ranks = nlohmann::json::array();
  for (size_t i = 0; i < groups.size(); ++i) {
    nlohmann::json stages = nlohmann::json::array();
    for (const StagePlan& stage : plan.stages) {
      if (stage.layers.rank == static_cast<int>(i)) stages.push_back(stage.layers.stage);
    }
    ranks.push_back({{"pipeline_rank", i},
                     {"global_ranks", groups[i]},
                     {"stages", std::move(stages)},
                     {"memory", MemoryJson(plan.memory[i])},
                     {"sent_bytes_per_step", TrafficJson(plan.traffic[i])}});
  }
  return ranks;
}

}  // namespace

std::string DescribePlan(const TrainPlan& plan) {
  const BatchPlan& batch = plan.batch;
  std::string text =
      fmt::format("world     {} rank(s): {}\n", plan.mesh.WorldSize(), ShowMesh(plan.mesh));
  text += fmt::format(
      "batch     {} sequences = {} data-parallel rank(s) * {} microbatch(es) of {}; {} tokens "
      "each, "
      "{} per step\n",
      batch.global, plan.mesh.DataDegree(), batch.num_microbatches, batch.microbatch,
      batch.sequence_length, batch.tokens_per_step);
  text += fmt::format("model     {} parameters, {} active; {}FLOP per token\n",
                      ShowCount(static_cast<double>(plan.cost.num_parameters)),
                      ShowCount(static_cast<double>(plan.cost.num_active_parameters)),
                      ShowCount(plan.cost.flops_per_token) + " ");
  if (plan.schedule.empty()) {
    text += "pipeline  none\n\n" + StageTable(plan);
  } else {
    const PlannedSchedule planned = PlanSchedule(plan);
    text += fmt::format(
        "pipeline  {}, bubble {:.1f} % with equal stages, {:.1f} % with these\n\n{}\n{}",
        plan.schedule, 100 * plan.bubble_fraction, 100 * BubbleFraction(planned.timeline),
        StageTable(plan), DescribeSchedule(planned));
  }
  text += fmt::format("\n{}{}", MemoryTable(plan), TrafficTable(plan));
  if (!plan.unsupported.empty()) {
    text += fmt::format("\ncannot be run:\n  {}\n", fmt::join(plan.unsupported, "\n  "));
  }
  return text;
}

nlohmann::json PlanJson(const TrainPlan& plan) {
  nlohmann::json mesh = {{"ep", plan.mesh.ExpertDegree()}};
  for (Axis axis : kAxes) mesh[std::string(AxisName(axis))] = plan.mesh.Degree(axis);
  nlohmann::json stages = nlohmann::json::array();
  for (const StagePlan& stage : plan.stages) stages.push_back(StageJson(stage));
  nlohmann::json pipeline = nullptr;
  if (!plan.schedule.empty()) pipeline = ScheduleJson(plan, PlanSchedule(plan));
  return {{"world_size", plan.mesh.WorldSize()},
          {"mesh", std::move(mesh)},
          {"batch",
           {{"global_batch_size", plan.batch.global},
            {"local_batch_size", plan.batch.local},
            {"microbatch_size", plan.batch.microbatch},
            {"num_microbatches", plan.batch.num_microbatches},
            {"sequence_length", plan.batch.sequence_length},
            {"tokens_per_step", plan.batch.tokens_per_step}}},
          {"model",
           {{"num_parameters", plan.cost.num_parameters},
            {"num_active_parameters", plan.cost.num_active_parameters},
            {"num_trainable_tensors", plan.trainable.size()},
            {"flops_per_token", plan.cost.flops_per_token}}},
          {"pipeline", std::move(pipeline)},
          {"stages", std::move(stages)},
          {"ranks", RanksJson(plan)},
          {"unsupported", plan.unsupported}};
}

}  // namespace hyperpp::plan
