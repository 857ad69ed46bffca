#include "hyperpp/pipeline/runtime/auto_pipeline.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty_like.h>
#include <fmt/ranges.h>

#include "hyperpp/comm/gather_strings.h"
#include "hyperpp/core/error.h"
#include "hyperpp/meta/materialise.h"
#include "hyperpp/pipeline/runtime/module_part.h"
#include "hyperpp/pipeline/schedule/forward_only.h"
#include "hyperpp/pipeline/schedule/insert_sharding.h"
#include "hyperpp/pipeline/schedule/receive_early.h"
#include "hyperpp/pipeline/schedule/schedules.h"

namespace hyperpp::pipeline {
namespace {

// The list of this rank's chunks, so that their names read parts.0, parts.1, ...
class PartList : public torch::nn::Module {
 public:
  void Add(std::shared_ptr<torch::nn::Module> part) {
    register_module(std::to_string(children().size()), std::move(part));
  }
};

// A tied parameter is one object under several names.
const void* Identity(const at::Tensor& parameter) { return parameter.unsafeGetTensorImpl(); }

StageRange RangeOf(const StageLayers& layers, std::size_t num_stages) {
  return {.stage = layers.stage,
          .first_layer = layers.first_layer,
          .end_layer = layers.first_layer + layers.num_layers,
          .is_first = layers.stage == 0,
          .is_last = layers.stage + 1 == static_cast<int>(num_stages)};
}

}  // namespace

AutoPipeline::AutoPipeline(comm::World& world, PipelineOptions options)
    : world_(world),
      options_(std::move(options)),
      rank_(world.layout().Coordinate(world.rank(), Axis::kPipeline)),
      num_ranks_(world.layout().Degree(Axis::kPipeline)) {}

void AutoPipeline::build(std::shared_ptr<torch::nn::Module> model, const ParallelizeFn& parallelize,
                         int64_t batch_size) {
  whole_ = std::move(model);
  model_ = dynamic_cast<PipelineModel*>(whole_.get());
  if (model_ == nullptr)
    throw PlanError(
        fmt::format("pipeline: the model {} cannot be cut into stages; derive it from "
                    "PipelineModel and name its "
                    "decoder layers",
                    whole_->name()));
  for (const auto& item : whole_->named_parameters())
    HYPERPP_CHECK(item.value().is_meta(), "{} has memory before the model is split", item.key());
  if (batch_size < 1 || batch_size % options_.microbatch_size != 0)
    throw PlanError(
        fmt::format("pipeline.pp_microbatch_size: {} does not divide the local batch {}; use a "
                    "divisor of {}",
                    options_.microbatch_size, batch_size, batch_size));
  ChooseStages(static_cast<int64_t>(model_->LayerNames().size()));
  FindSharedParameters();
  MakeParts(parallelize);

  const auto num_microbatches = static_cast<int>(batch_size / options_.microbatch_size);
  info_.schedule = MakeSchedule(options_.schedule, {num_ranks_, num_chunks_, num_microbatches});
  if (options_.sharding != nullptr) info_.schedule = InsertSharding(info_.schedule);
  training_ = ForTransport(info_.schedule);
  std::vector<PipelineStage> stages;
  for (const StageRange& stage : info_.stages) stages.emplace_back(*model_, stage);
  executor_ =
      std::make_unique<PipelineExecutor>(world_, std::move(stages), TransportKind(),
                                         options_.device, options_.trace, options_.sharding);
}

void AutoPipeline::ChooseStages(int64_t num_layers) {
  SplitRequest request{.schedule = options_.schedule,
                       .interleaved = FindSchedule(options_.schedule).interleaved,
                       .num_ranks = num_ranks_,
                       .num_layers = num_layers,
                       .split = options_.split};
  request.split_is_2d = request.interleaved;
  const std::vector<StageLayers> all = SplitStages(request);
  for (const StageLayers& layers : all) {
    const StageRange range = RangeOf(layers, all.size());
    all_stages_.push_back(range);
    if (layers.rank == rank_) info_.stages.push_back(range);
  }
  num_chunks_ = all.back().chunk + 1;
  info_.has_first_stage = info_.stages.front().is_first;
  info_.has_last_stage = info_.stages.back().is_last;
  model_->StagesChosen(info_.stages);
}

std::vector<std::string> AutoPipeline::ModulesOf(const StageRange& stage) const {
  std::vector<std::string> names;
  const auto add = [&](const std::vector<std::string>& more) {
    for (const std::string& name : more)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  if (stage.is_first) add(model_->FirstStageNames());
  const std::vector<std::string> layers = model_->LayerNames();
  add({layers.begin() + stage.first_layer, layers.begin() + stage.end_layer});
  if (stage.is_last) add(model_->LastStageNames());
  add(model_->EveryStageNames());
  return names;
}

// Every rank sees the whole model here, and so comes to the same answer without asking.
void AutoPipeline::FindSharedParameters() {
  std::unordered_map<const void*, std::vector<int>> holders;  // pipeline coordinates
  for (const StageRange& stage : all_stages_) {
    const int rank = stage.stage % num_ranks_;
    for (const at::Tensor& parameter : MakeModulePart(*whole_, ModulesOf(stage))->parameters()) {
      std::vector<int>& ranks = holders[Identity(parameter)];
      if (std::find(ranks.begin(), ranks.end(), rank) == ranks.end()) ranks.push_back(rank);
    }
  }
  std::unordered_map<const void*, bool> seen;
  for (const auto& item : whole_->named_parameters()) {
    if (!seen.emplace(Identity(item.value()), true).second) continue;  // a second, tied name
    const std::vector<int>& ranks = holders[Identity(item.value())];
    if (ranks.empty())
      throw PlanError(fmt::format(
          "pipeline: parameter {} belongs to no stage; name its module in FirstStageNames, "
          "LayerNames or LastStageNames",
          item.key()));
    holders_[item.key()] = ranks;
    if (ranks.size() > 1) shared_.push_back({item.key(), ranks});
  }
}

void AutoPipeline::MakeParts(const ParallelizeFn& parallelize) {
  std::unordered_map<const void*, std::string> name_of;
  for (const auto& item : whole_->named_parameters())
    name_of.emplace(Identity(item.value()), item.key());  // the first of tied names stays
  auto list = register_module("parts", std::make_shared<PartList>());
  std::map<std::string, bool> named;
  for (const StageRange& stage : info_.stages) {
    auto part = MakeModulePart(*whole_, ModulesOf(stage));
    for (const auto& item : part->named_parameters()) {
      const std::string& fqn = name_of.at(Identity(item.value()));
      if (Owns(fqn) && named.emplace(fqn, true).second)
        aliases_[fmt::format("parts.{}.{}", parts_.size(), item.key())] = fqn;
    }
    if (parallelize) parallelize(*part, stage);
    list->Add(part);
    parts_.push_back(std::move(part));
  }
}

bool AutoPipeline::Holds(const std::string& fqn) const {
  const auto found = holders_.find(fqn);
  return found != holders_.end() &&
         std::find(found->second.begin(), found->second.end(), rank_) != found->second.end();
}

void AutoPipeline::Prepare() {
  model_->RebuildBuffers(options_.device);
  const std::vector<std::string> on_meta = meta::NamesOnMeta(*this);
  HYPERPP_CHECK(on_meta.empty(), "still without memory: {}", fmt::join(on_meta, ", "));
  CheckThatAliasesAreTheModel();
}

void AutoPipeline::CheckThatAliasesAreTheModel() {
  std::vector<std::string> own;
  for (const auto& [alias, name] : aliases_) own.push_back(name);
  const auto of_rank = comm::GatherStrings(world_.Control(), comm::PackStrings(own));
  std::map<std::string, int> times;
  for (const int rank : world_.layout().GroupOf(world_.rank(), {Axis::kPipeline}))
    for (const std::string& name : comm::UnpackStrings(of_rank[rank])) ++times[name];
  for (const auto& [name, ranks] : holders_)
    HYPERPP_CHECK_EQ(times[name], 1, "parts that own {}", name);
  HYPERPP_CHECK_EQ(times.size(), holders_.size(), "parameters of all parts");
}

std::vector<at::Tensor> AutoPipeline::step(const at::Tensor& input_ids, const at::Tensor& target,
                                           const Keywords& keywords) {
  Keywords all = keywords;
  if (input_ids.defined()) all["input_ids"] = input_ids;
  const int64_t count = info_.schedule.shape.num_microbatches, size = options_.microbatch_size;
  const auto cut = [&](const std::string& name, const at::Tensor& tensor, int64_t i) {
    if (!tensor.defined() || tensor.dim() == 0) return tensor;
    if (tensor.size(0) != count * size)
      throw PlanError(fmt::format(
          "{}: {} rows, but the pipeline was built for a batch of {} in {} microbatches "
          "of {}; give as many",
          name, tensor.size(0), count * size, count, size));
    return tensor.narrow(0, i * size, size);
  };
  std::vector<MicrobatchInput> microbatches(static_cast<std::size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    for (const auto& [name, tensor] : all) microbatches[i].keywords[name] = cut(name, tensor, i);
    microbatches[i].target = cut("target", target, i);
  }
  return Step(microbatches);
}

std::vector<at::Tensor> AutoPipeline::Step(const std::vector<MicrobatchInput>& microbatches) {
  return executor_->Run(training_, microbatches);
}

std::vector<at::Tensor> AutoPipeline::Evaluate(const std::vector<MicrobatchInput>& microbatches) {
  const auto count = static_cast<int>(microbatches.size());
  if (count == 0) return {};
  auto found = evaluation_.find(count);
  if (found == evaluation_.end()) {
    Schedule forward =
        ForwardOnly(MakeSchedule(options_.schedule, {num_ranks_, num_chunks_, count}));
    found = evaluation_.emplace(count, ForTransport(std::move(forward))).first;
  }
  return executor_->Run(found->second, microbatches);
}

Transport AutoPipeline::TransportKind() const {
  if (!options_.p2p_overlap) return Transport::kBlocking;
  return options_.p2p_multi_stream ? Transport::kMultiStream : Transport::kOverlapped;
}

// NCCL matches the messages of a pair by the order of sends and receives together, so there the
// common order of all messages has to stay.
Schedule AutoPipeline::ForTransport(Schedule schedule) const {
  const bool receives_block = TransportKind() == Transport::kBlocking || options_.device.is_cuda();
  return receives_block ? std::move(schedule) : ReceiveEarly(std::move(schedule));
}

void AutoPipeline::SumSharedGradient(const std::string& fqn, const at::Tensor& gradient) {
  const auto found = std::find_if(shared_.begin(), shared_.end(),
                                  [&](const auto& parameter) { return parameter.fqn == fqn; });
  HYPERPP_CHECK(found != shared_.end(), "{} is not shared by stages", fqn);
  const std::vector<int>& ranks = found->ranks;
  if (std::find(ranks.begin(), ranks.end(), rank_) == ranks.end()) return;
  const at::NoGradGuard no_grad;
  comm::Group& group = world_.Along({Axis::kPipeline});
  const int owner = ranks.front();
  if (rank_ != owner) {
    group.Send(gradient, owner)->Wait();
    group.Receive(gradient, owner)->Wait();
    return;
  }
  at::Tensor sum = gradient;
  const at::Tensor other = at::empty_like(gradient);
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    group.Receive(other, ranks[i])->Wait();
    sum.add_(other);
  }
  for (std::size_t i = 1; i < ranks.size(); ++i) group.Send(sum, ranks[i])->Wait();
}

void AutoPipeline::set_activity(std::string activity) {
  executor_->set_activity(std::move(activity));
}

}  // namespace hyperpp::pipeline
