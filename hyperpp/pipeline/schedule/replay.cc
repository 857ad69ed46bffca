#include "hyperpp/pipeline/schedule/replay.h"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hyperpp/pipeline/schedule/dependencies.h"

namespace hyperpp::pipeline {
namespace {

class Replay {
 public:
  explicit Replay(const Schedule& schedule)
      : schedule_(schedule),
        has_messages_(schedule.HasCommunication()),
        position_(schedule.ranks.size(), 0) {}

  // Goes on until no rank can.
  void Run() {
    bool progress = true;
    while (progress) {
      progress = false;
      for (int rank = 0; rank < schedule_.shape.num_ranks; ++rank) {
        while (Advance(rank)) progress = true;
      }
    }
  }

  std::optional<Deadlock> Circle() const {
    int rank = 0;
    while (rank < schedule_.shape.num_ranks && Head(rank) == nullptr) ++rank;
    if (rank == schedule_.shape.num_ranks) return {};
    // Following whom each rank waits for must come back to a rank that was seen.
    std::vector<int> seen;
    while (std::find(seen.begin(), seen.end(), rank) == seen.end()) {
      seen.push_back(rank);
      rank = schedule_.shape.RankOf(AwaitedBy(*Head(rank))->stage);
    }
    seen.erase(seen.begin(), std::find(seen.begin(), seen.end(), rank));
    std::vector<std::string> waits;
    for (const int waiting : seen) {
      const Action awaited = *AwaitedBy(*Head(waiting));
      waits.push_back(fmt::format("rank {} waits at {} for {} of rank {}", waiting,
                                  FormatAction(*Head(waiting)), FormatAction(awaited),
                                  schedule_.shape.RankOf(awaited.stage)));
    }
    return Deadlock{
        rank, static_cast<int>(position_[static_cast<size_t>(rank)]),
        fmt::format("deadlock: {}; change the order on one of them", fmt::join(waits, ", "))};
  }

 private:
  const Action* Head(int rank) const {
    const RankActions& actions = schedule_.ranks[static_cast<size_t>(rank)];
    const size_t position = position_[static_cast<size_t>(rank)];
    return position < actions.size() ? &actions[position] : nullptr;
  }

  // What another rank must do first, or together with it; nothing if the action can run.
  std::optional<Action> AwaitedBy(const Action& action) const {
    if (IsCommunication(action.type)) {
      const Action partner = PartnerOf(action);
      const Action* head = Head(schedule_.shape.RankOf(partner.stage));
      if (head != nullptr && *head == partner) return {};
      return partner;
    }
    if (has_messages_ || !IsCompute(action.type)) return {};
    const auto producer = ProducerOf(action, schedule_.shape);
    if (producer && done_.contains(*producer)) return {};
    return producer;
  }

  bool Advance(int rank) {
    const Action* action = Head(rank);
    if (action == nullptr || AwaitedBy(*action)) return false;
    if (IsCommunication(action->type)) {
      ++position_[static_cast<size_t>(schedule_.shape.RankOf(PartnerOf(*action).stage))];
    }
    ++position_[static_cast<size_t>(rank)];
    done_.insert(*action);
    return true;
  }

  const Schedule& schedule_;
  const bool has_messages_;
  std::vector<size_t> position_;  // of each rank's next action
  std::set<Action> done_;
};

}  // namespace

std::optional<Deadlock> FindDeadlock(const Schedule& schedule) {
  Replay replay(schedule);
  replay.Run();
  return replay.Circle();
}

}  // namespace hyperpp::pipeline
