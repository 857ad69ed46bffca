#include "hyperpp/pipeline/schedule/simulator.h"

#include <algorithm>
#include <map>
#include <optional>

#include "hyperpp/core/error.h"
#include "hyperpp/pipeline/schedule/dependencies.h"

namespace hyperpp::pipeline {
namespace {

class Simulation {
 public:
  Simulation(const Schedule& schedule, const ActionDurations& durations, Transfer transfer)
      : schedule_(schedule),
        shape_(schedule.shape),
        durations_(durations),
        transfer_(transfer),
        has_messages_(schedule.HasCommunication()),
        position_(schedule.ranks.size(), 0),
        now_(schedule.ranks.size(), 0.0),
        timeline_{.name = schedule.name,
                  .shape = shape_,
                  .ranks = std::vector<std::vector<TimedAction>>(schedule.ranks.size())} {}

  Timeline Run() {
    bool progress = true;
    while (progress) {
      progress = false;
      for (size_t rank = 0; rank < schedule_.ranks.size(); ++rank) {
        while (Advance(rank)) progress = true;
      }
    }
    for (size_t rank = 0; rank < schedule_.ranks.size(); ++rank) {
      HYPERPP_CHECK_EQ(position_[rank], schedule_.ranks[rank].size(),
                       "rank {} of schedule {} cannot go on; validate schedules first", rank,
                       schedule_.name);
    }
    return std::move(timeline_);
  }

 private:
  const Action* Head(size_t rank) const {
    const RankActions& actions = schedule_.ranks[rank];
    return position_[rank] < actions.size() ? &actions[position_[rank]] : nullptr;
  }

  // Runs the next action of `rank`, if all that it waits for has a time.
  bool Advance(size_t rank) {
    const Action* action = Head(rank);
    if (action == nullptr) return false;
    if (transfer_ == Transfer::kBlocking && IsCommunication(action->type)) {
      return Rendezvous(rank, *action);
    }
    double start = now_[rank];
    if (IsCompute(action->type)) {
      const auto arrival = ArrivalFor(*action);
      if (!arrival) return false;
      start = std::max(start, *arrival);
    }
    Finish(rank, start, start + DurationOf(*action));
    return true;
  }

  // Both ranks stand at the message: it ends for both at once.
  bool Rendezvous(size_t rank, const Action& action) {
    const Action partner = PartnerOf(action);
    const auto other = static_cast<size_t>(shape_.RankOf(partner.stage));
    const Action* head = Head(other);
    if (head == nullptr || *head != partner) return false;
    const double end = std::max(now_[rank], now_[other]) + durations_.latency;
    Finish(rank, now_[rank], end);
    Finish(other, now_[other], end);
    return true;
  }

  // When the input of a compute action is on its rank; nothing if that is not known yet.
  std::optional<double> ArrivalFor(const Action& compute) const {
    const auto producer = ProducerOf(compute, shape_);
    if (!producer) return 0.0;
    const auto receive = ReceiveFor(compute, shape_);
    if (!receive) return EndOf(*producer);
    if (transfer_ == Transfer::kBlocking) return EndOf(*receive);
    const auto sent = EndOf(has_messages_ ? PartnerOf(*receive) : *producer);
    if (!sent) return {};
    return *sent + durations_.latency;
  }

  std::optional<double> EndOf(const Action& action) const {
    const auto found = end_of_.find(action);
    if (found == end_of_.end()) return {};
    return found->second;
  }

  double DurationOf(const Action& action) const {
    const auto stage = static_cast<size_t>(action.stage.value);
    if (action.type == ActionType::kForward) return durations_.forward[stage];
    if (action.type == ActionType::kBackward) return durations_.backward[stage];
    return 0;
  }

  void Finish(size_t rank, double start, double end) {
    const Action& action = *Head(rank);
    timeline_.ranks[rank].push_back({action, start, end});
    end_of_[action] = end;
    now_[rank] = end;
    ++position_[rank];
  }

  const Schedule& schedule_;
  const ScheduleShape& shape_;
  const ActionDurations& durations_;
  const Transfer transfer_;
  const bool has_messages_;
  std::vector<size_t> position_;  // of each rank's next action
  std::vector<double> now_;       // end of each rank's last action
  std::map<Action, double> end_of_;
  Timeline timeline_;
};

}  // namespace

ActionDurations UniformDurations(const ScheduleShape& shape, double forward, double backward,
                                 double latency) {
  const auto num_stages = static_cast<size_t>(shape.NumStages());
  return {std::vector<double>(num_stages, forward), std::vector<double>(num_stages, backward),
          latency};
}

Timeline Simulate(const Schedule& schedule, const ActionDurations& durations, Transfer transfer) {
  const auto num_stages = static_cast<size_t>(schedule.shape.NumStages());
  HYPERPP_CHECK_EQ(durations.forward.size(), num_stages, "one forward duration per stage");
  HYPERPP_CHECK_EQ(durations.backward.size(), num_stages, "one backward duration per stage");
  return Simulation(schedule, durations, transfer).Run();
}

}  // namespace hyperpp::pipeline
