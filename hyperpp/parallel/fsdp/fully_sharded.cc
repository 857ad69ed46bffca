#include "hyperpp/parallel/fsdp/fully_sharded.h"

#include <algorithm>
#include <utility>

#include <ATen/core/grad_mode.h>

#include "hyperpp/core/error.h"
#include "hyperpp/models/layer/graph_node.h"

namespace hyperpp::parallel {
namespace {

// Reductions under way; each holds a group's whole gradients.
constexpr std::size_t kReductionsUnderWay = 2;

}  // namespace

FullySharded::~FullySharded() {
  for (Group& group : groups_)
    for (models::Weight* weight : group.weights) weight->set_gradient_observer(nullptr);
}

std::size_t FullySharded::AddGroup(const std::vector<models::Weight*>& weights) {
  Group group;
  group.weights = weights;
  const auto add_list = [&](std::vector<models::Weight*> list) {
    group.lists.push_back(lists_.size());
    lists_.push_back(std::move(list));
  };
  if (options_.comm_fusion) {
    add_list(weights);
  } else {
    for (models::Weight* weight : weights) add_list({weight});
  }
  groups_.push_back(std::move(group));
  return groups_.size() - 1;
}

void FullySharded::AddStage(models::Decoder& decoder, const pipeline::StageRange& stage) {
  Stage added{.index = stage.stage, .first_site = sites_.size(), .end_site = 0, .groups = {}};
  const auto add_group = [&](const std::vector<models::Weight*>& weights) {
    added.groups.push_back(AddGroup(weights));
    return added.groups.back();
  };
  std::size_t embedding = 0;
  if (stage.is_first) {
    // Its backward adds to the gradient and reads no weight.
    embedding = add_group(decoder.EmbeddingWeights());
    sites_.push_back(
        {.forward = {embedding}, .backward = {}, .forward_adds = {}, .backward_adds = {embedding}});
    decoder.WrapEmbedding(WrapperOf(sites_.size() - 1));
  }
  for (int64_t i = stage.first_layer; i < stage.end_layer; ++i) {
    const std::size_t layer = add_group(models::WeightsBelow(decoder.layer(i)));
    sites_.push_back(
        {.forward = {layer}, .backward = {layer}, .forward_adds = {}, .backward_adds = {layer}});
    decoder.WrapLayer(i, WrapperOf(sites_.size() - 1));
  }
  if (stage.is_last) {
    // The head's weight is read in the forward pass alone, so the norm is a group of its own.
    const bool has_embedding = stage.is_first && decoder.spec().tie_word_embeddings;
    const std::size_t norm = add_group(decoder.FinalNormWeights());
    const std::size_t head = has_embedding ? embedding : add_group(decoder.HeadWeights());
    sites_.push_back({.forward = {norm, head},
                      .backward = {norm},
                      .forward_adds = {head},
                      .backward_adds = {norm}});
    decoder.WrapHead(WrapperOf(sites_.size() - 1));
  }
  added.end_site = sites_.size();
  stages_.push_back(std::move(added));
}

void FullySharded::Attach(models::ParameterStore& store, ShardGroups groups, at::Device device) {
  pool_ = std::make_unique<BufferPool>(device);
  for (const models::ShardUnit& unit : store.units())
    units_.push_back(std::make_unique<ShardedUnit>(unit, groups, *pool_));
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    for (const std::size_t list : group.lists)
      for (const std::size_t unit : store.units_of_list()[list])
        group.units.push_back(units_[unit].get());
    for (models::Weight* weight : group.weights)
      if (weight->trainable()) weight->set_gradient_observer([this, g] { Report(g); });
  }
}

models::LayerWrapper FullySharded::WrapperOf(std::size_t site) {
  return [this, site](const models::LayerCall& call, const at::Tensor& input) {
    return RunSite(site, call, input);
  };
}

at::Tensor FullySharded::RunSite(std::size_t site, const models::LayerCall& call,
                                 const at::Tensor& input) {
  const Site& here = sites_[site];
  ForEachUnit(here.forward, &ShardedUnit::StartUnshard);
  const std::size_t end = StageOf(site).end_site;
  for (std::size_t next = site + 1; next < end && next <= site + options_.prefetch; ++next)
    ForEachUnit(sites_[next].forward, &ShardedUnit::StartUnshard);
  ForEachUnit(here.forward, &ShardedUnit::WaitUnshard);
  const bool trains = at::GradMode::is_enabled();
  if (trains) ForEachUnit(here.forward_adds, &ShardedUnit::LendGradients);
  at::Tensor output = call(input);
  if (options_.reshard_after_forward || !trains) ForEachUnit(here.forward, &ShardedUnit::Reshard);
  return models::AppendNode("Unshard", {output}, {output.detach()},
                            [this, site](const auto& gradients) {
                              BeginBackward(site);
                              return std::vector<at::Tensor>{gradients[0]};
                            })[0];
}

void FullySharded::BeginBackward(std::size_t site) {
  const Site& here = sites_[site];
  const Stage& stage = StageOf(site);
  // The backward of the sites behind is over.
  if (options_.reshard_after_forward && site + 1 < stage.end_site)
    ForEachUnit(sites_[site + 1].backward, &ShardedUnit::Reshard);
  ForEachUnit(here.backward, &ShardedUnit::StartUnshard);
  for (int ahead = 1; ahead <= options_.prefetch; ++ahead) {
    if (site < stage.first_site + static_cast<std::size_t>(ahead)) break;
    ForEachUnit(sites_[site - static_cast<std::size_t>(ahead)].backward,
                &ShardedUnit::StartUnshard);
  }
  ForEachUnit(here.backward, &ShardedUnit::WaitUnshard);
  ForEachUnit(here.backward_adds, &ShardedUnit::LendGradients);
}

void FullySharded::ForEachUnit(const std::vector<std::size_t>& groups,
                               void (ShardedUnit::*action)()) {
  for (const std::size_t group : groups)
    for (ShardedUnit* unit : groups_[group].units) (unit->*action)();
}

const FullySharded::Stage& FullySharded::StageOf(std::size_t site) const {
  const auto found = std::find_if(stages_.begin(), stages_.end(),
                                  [&](const Stage& stage) { return site < stage.end_site; });
  HYPERPP_CHECK(found != stages_.end(), "site {}", site);
  return *found;
}

const FullySharded::Stage& FullySharded::StageAt(pipeline::StageIndex stage) const {
  const auto found = std::find_if(stages_.begin(), stages_.end(),
                                  [&](const Stage& known) { return known.index == stage.value; });
  HYPERPP_CHECK(found != stages_.end(), "stage {} is not sharded here", stage.value);
  return *found;
}

void FullySharded::ResetReports(Group& group) const {
  group.missing_reports = 0;
  for (const models::Weight* weight : group.weights)
    if (weight->trainable()) group.missing_reports += weight->num_uses() * passes_per_reduction_;
}

void FullySharded::BeginStep(int64_t passes_per_reduction) {
  passes_per_reduction_ = passes_per_reduction;
  for (Group& group : groups_) ResetReports(group);
}

void FullySharded::Report(std::size_t group) {
  if (--groups_[group].missing_reports == 0) StartReduce(groups_[group]);
}

void FullySharded::StartReduce(Group& group) {
  for (ShardedUnit* unit : group.units) unit->StartReduce();
  ResetReports(group);
  reducing_.push_back(&group);
  while (reducing_.size() > kReductionsUnderWay) {
    for (ShardedUnit* unit : reducing_.front()->units) unit->FinishReduce();
    reducing_.pop_front();
  }
}

void FullySharded::Unshard(pipeline::StageIndex stage) {
  ForEachUnit(sites_[StageAt(stage).first_site].forward, &ShardedUnit::StartUnshard);
}

void FullySharded::Reshard(pipeline::StageIndex stage) {
  ForEachUnit(StageAt(stage).groups, &ShardedUnit::Reshard);
}

void FullySharded::ReduceGradients(pipeline::StageIndex stage) {
  const Stage& here = StageAt(stage);
  for (auto group = here.groups.rbegin(); group != here.groups.rend(); ++group) {
    const bool lent = std::any_of(groups_[*group].units.begin(), groups_[*group].units.end(),
                                  [](const auto* unit) { return unit->GradientsAreLent(); });
    if (lent) StartReduce(groups_[*group]);
  }
}

void FullySharded::FinishStep() {
  for (Group* group : reducing_)
    for (ShardedUnit* unit : group->units) unit->FinishReduce();
  reducing_.clear();
}

int64_t FullySharded::num_unshards() const {
  int64_t count = 0;
  for (const auto& unit : units_) count += unit->num_unshards();
  return count;
}

}  // namespace hyperpp::parallel
