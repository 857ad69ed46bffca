#include "hyperpp/comm/world.h"

#include <algorithm>
#include <csignal>
#include <utility>

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include "hyperpp/comm/agreement.h"
#include "hyperpp/comm/backend_group.h"
#include "hyperpp/comm/failure_text.h"
#include "hyperpp/comm/gather_strings.h"
#include "hyperpp/comm/gloo_backend.h"
#include "hyperpp/comm/local_address.h"
#include "hyperpp/comm/nccl_backend.h"
#include "hyperpp/comm/rendezvous.h"
#include "hyperpp/comm/single_rank_group.h"
#include "hyperpp/core/error.h"

namespace hyperpp::comm {
namespace {

/// Names the communicator along `axes`: axes of degree 1 make no difference, nor does their order.
std::string GroupName(const MeshLayout& layout, const std::vector<Axis>& axes,
                      const std::string& purpose) {
  std::string name;
  for (Axis axis : kAxes) {
    const bool listed = std::find(axes.begin(), axes.end(), axis) != axes.end();
    if (listed && layout.Degree(axis) > 1) name += fmt::format("{} ", AxisName(axis));
  }
  return name + purpose;
}

int PlaceOf(int rank, const std::vector<int>& ranks) {
  return static_cast<int>(std::find(ranks.begin(), ranks.end(), rank) - ranks.begin());
}

/// A job of one rank: no socket, no thread.
class LoneWorld final : public World {
 public:
  LoneWorld(RankIdentity identity, MeshLayout layout)
      : identity_(std::move(identity)), layout_(layout), group_(MakeSingleRankGroup(0)) {}

  const RankIdentity& identity() const override { return identity_; }
  const MeshLayout& layout() const override { return layout_; }
  Group& Along(const std::vector<Axis>&) override { return *group_; }
  Group& Along(const std::vector<Axis>&, const std::string&) override { return *group_; }
  Group& Control() override { return *group_; }
  void CheckSame(const std::map<std::string, std::string>&) override {}
  void Agree(const std::function<void()>& function) override { function(); }
  void SetActivity(std::string) override {}

 private:
  const RankIdentity identity_;
  const MeshLayout layout_;
  const std::unique_ptr<Group> group_;
};

/// Gloo writes to its sockets without asking for EPIPE: a write to a peer that is gone would end
/// this process by SIGPIPE instead of throwing. A handler that the program has set stays.
void IgnoreBrokenPipes() {
  struct sigaction current {};
  sigaction(SIGPIPE, nullptr, &current);
  if (current.sa_handler == SIG_DFL) signal(SIGPIPE, SIG_IGN);
}

class JobWorld final : public World {
 public:
  JobWorld(RankIdentity identity, MeshLayout layout, const WorldOptions& options)
      : identity_(std::move(identity)),
        layout_(layout),
        options_(options),
        failure_(layout_, identity_.rank, options.timeout),
        store_(Meet(identity_, options.rendezvous_timeout)),
        gloo_(LocalAddress(identity_), options.timeout) {
    IgnoreBrokenPipes();
    store_->setTimeout(options.timeout);
    std::vector<int> all(identity_.world_size);
    for (int rank = 0; rank < identity_.world_size; ++rank) all[rank] = rank;
    control_ = Connect("control", all, /*on_host=*/true);
    WaitUntilAllAreConnected();
  }

  const RankIdentity& identity() const override { return identity_; }
  const MeshLayout& layout() const override { return layout_; }
  Group& Control() override { return *control_; }
  Group& Along(const std::vector<Axis>& axes) override { return Along(axes, ""); }

  Group& Along(const std::vector<Axis>& axes, const std::string& purpose) override {
    const std::string name = GroupName(layout_, axes, purpose);
    std::unique_ptr<Group>& group = groups_[name];
    if (!group) {
      std::vector<int> ranks = layout_.GroupOf(identity_.rank, axes);
      if (ranks.size() == 1) {
        group = MakeSingleRankGroup(identity_.rank);
      } else {
        CheckAllAskFor(name);
        group = Connect(name, std::move(ranks), !options_.use_nccl);
        WaitUntilAllAreConnected();
      }
    }
    return *group;
  }

  void CheckSame(const std::map<std::string, std::string>& values) override {
    CheckSameOver(*control_, values);
  }
  void Agree(const std::function<void()>& function) override { AgreeOver(*control_, function); }
  void SetActivity(std::string activity) override { failure_.SetActivity(std::move(activity)); }

 private:
  std::unique_ptr<Group> Connect(const std::string& name, std::vector<int> ranks, bool on_host) {
    const int place = PlaceOf(identity_.rank, ranks);
    const int size = static_cast<int>(ranks.size());
    const auto part = c10::make_intrusive<c10d::PrefixStore>(
        fmt::format("group/{}/{}", name, ranks.front()), store_);
    BackendPtr backend = failure_.Guard(Operation{"connect", ranks}, [&] {
      return on_host ? gloo_.Connect(part, place, size)
                     : ConnectNccl(part, place, size, options_.timeout);
    });
    return MakeBackendGroup(std::move(backend), std::move(ranks), place, failure_);
  }

  /// Ranks that make groups in different orders would wait for each other without end, and so would
  /// ranks that make one with a peer that is gone.
  void CheckAllAskFor(const std::string& name) {
    const std::vector<std::string> names = GatherStrings(*control_, name);
    for (int rank = 0; rank < size(); ++rank) {
      HYPERPP_CHECK(names[rank] == name, "rank {} makes the group '{}', rank {} the group '{}'",
                    this->rank(), name, rank, names[rank]);
    }
  }

  /// A rank that is done early and ends would break the set-up of one that is still connecting.
  void WaitUntilAllAreConnected() { GatherStrings(*control_, ""); }

  const RankIdentity identity_;
  const MeshLayout layout_;
  const WorldOptions options_;
  FailureText failure_;  // outlives the groups below
  c10::intrusive_ptr<c10d::Store> store_;
  GlooBackends gloo_;
  std::unique_ptr<Group> control_;
  std::map<std::string, std::unique_ptr<Group>> groups_;
};

/// "pp 2 x tp 2", or "1".
std::string DescribeDegrees(const MeshLayout& layout) {
  std::string text;
  for (Axis axis : kAxes) {
    if (layout.Degree(axis) == 1) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : " x ", AxisName(axis), layout.Degree(axis));
  }
  return text.empty() ? "all axes of degree 1" : text;
}

}  // namespace

std::unique_ptr<World> World::Join(const RankIdentity& identity, const MeshLayout& layout,
                                   const WorldOptions& options) {
  if (identity.world_size != layout.WorldSize()) {
    throw ConfigError(fmt::format(
        "rank {}: the job has {} ranks (WORLD_SIZE), but the layout needs {} ({}); start {} ranks, "
        "or change the sizes under accelerator",
        identity.rank, identity.world_size, layout.WorldSize(), DescribeDegrees(layout),
        layout.WorldSize()));
  }
  if (identity.rank < 0 || identity.rank >= identity.world_size) {
    throw ConfigError(fmt::format("RANK: {} is not a rank of a world of {} ranks (0 to {})",
                                  identity.rank, identity.world_size, identity.world_size - 1));
  }
  if (options.use_nccl && !HasNccl()) {
    throw ConfigError(
        "accelerator.backend: this build has no NCCL; use gloo, or build against a CUDA libtorch");
  }
  if (identity.world_size == 1) return std::make_unique<LoneWorld>(identity, layout);
  return std::make_unique<JobWorld>(identity, layout, options);
}

}  // namespace hyperpp::comm
