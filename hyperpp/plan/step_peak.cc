#include "hyperpp/plan/step_peak.h"

#include <algorithm>
#include <set>

namespace hyperpp::plan {
namespace {

using pipeline::Action;
using pipeline::ActionType;

constexpr int64_t kBackwardSendsKept = 2;  // stage_transport.cc

class Walk {
 public:
  Walk(const std::map<pipeline::StageIndex, PassMemory>& passes, bool messages_overlap)
      : passes_(passes), sends_kept_(messages_overlap ? kBackwardSendsKept : 0) {}

  void Do(const Action& action) {
    const auto found = passes_.find(action.stage);
    if (found == passes_.end()) return;
    const PassMemory& pass = found->second;
    switch (action.type) {
      case ActionType::kReceiveForward:
      case ActionType::kReceiveBackward:
        now_.messages += pass.boundary;
        received_.insert(action);
        break;
      case ActionType::kForward:
        Consume({ActionType::kReceiveForward, action.stage, action.microbatch}, pass);
        now_.kept += pass.kept;
        Note(pass.forward);
        break;
      case ActionType::kBackward:
        Note(pass.backward);
        Consume({ActionType::kReceiveBackward, action.stage, action.microbatch}, pass);
        now_.kept -= pass.kept;
        break;
      case ActionType::kSendBackward:
        now_.messages += pass.boundary;
        Note(0);
        if (++sends_ > sends_kept_) now_.messages -= pass.boundary;
        sends_ = std::min(sends_, sends_kept_);
        break;
      default:
        break;
    }
  }

  const StepPeak& peak() const { return peak_; }

 private:
  void Consume(const Action& receive, const PassMemory& pass) {
    if (received_.erase(receive) > 0) now_.messages -= pass.boundary;
  }

  void Note(int64_t workspace) {
    now_.workspace = workspace;
    if (now_.TotalBytes() > peak_.TotalBytes()) peak_ = now_;
  }

  const std::map<pipeline::StageIndex, PassMemory>& passes_;
  const int64_t sends_kept_;
  int64_t sends_ = 0;
  std::set<Action> received_;
  StepPeak now_, peak_;
};

}  // namespace

StepPeak PeakOfStep(const pipeline::RankActions& actions,
                    const std::map<pipeline::StageIndex, PassMemory>& passes,
                    bool messages_overlap) {
  Walk walk(passes, messages_overlap);
  for (const Action& action : actions) walk.Do(action);
  return walk.peak();
}

}  // namespace hyperpp::plan
