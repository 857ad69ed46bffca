#include "hyperpp/data/tokenizers/split_behavior.h"

#include <cstddef>

namespace hyperpp::data {
namespace {

struct Part {
  size_t begin = 0;
  size_t end = 0;
  bool is_match = false;
};

// Joins neighbouring parts as the behaviour asks, and hands on what can grow no more.
class Joiner {
 public:
  Joiner(std::string_view text, SplitBehavior behavior, bool invert, const PieceSink& sink)
      : text_(text), behavior_(behavior), invert_(invert), sink_(sink) {}

  void Add(Part part) {
    if (invert_) part.is_match = !part.is_match;
    if (behavior_ == SplitBehavior::kIsolated) return Emit(part);
    if (behavior_ == SplitBehavior::kRemoved) {
      if (!part.is_match) Emit(part);
      return;
    }
    if (has_pending_ && Joins(part)) {
      pending_.end = part.end;
    } else {
      if (has_pending_) Emit(pending_);
      pending_ = part;
      has_pending_ = true;
    }
    previous_is_match_ = part.is_match;
  }

  void Finish() {
    if (has_pending_) Emit(pending_);
  }

 private:
  bool Joins(const Part& part) const {
    switch (behavior_) {
      case SplitBehavior::kContiguous:
        return part.is_match == previous_is_match_;
      case SplitBehavior::kMergedWithPrevious:
        return part.is_match && !previous_is_match_;
      default:
        return !part.is_match && previous_is_match_;
    }
  }

  void Emit(const Part& part) {
    if (part.begin != part.end) sink_(text_.substr(part.begin, part.end - part.begin));
  }

  std::string_view text_;
  SplitBehavior behavior_;
  bool invert_;
  const PieceSink& sink_;
  Part pending_;
  bool has_pending_ = false;
  bool previous_is_match_ = false;
};

}  // namespace

void SplitText(SplitPattern::Scanner& scanner, std::string_view text, SplitBehavior behavior,
               bool invert, const PieceSink& sink) {
  Joiner joiner(text, behavior, invert, sink);
  size_t at = 0;
  scanner.Start(text);
  while (const auto match = scanner.Next()) {
    if (at != match->begin) joiner.Add({at, match->begin, false});
    joiner.Add({match->begin, match->end, true});
    at = match->end;
  }
  if (at != text.size()) joiner.Add({at, text.size(), false});
  joiner.Finish();
}

}  // namespace hyperpp::data
