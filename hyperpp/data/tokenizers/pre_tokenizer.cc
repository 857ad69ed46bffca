#include "hyperpp/data/tokenizers/pre_tokenizer.h"

#include <string>
#include <utility>

namespace hyperpp::data {

void PreTokenizer::AddSplit(SplitPattern pattern, SplitBehavior behavior, bool invert) {
  steps_.push_back({false, patterns_.size(), behavior, invert});
  patterns_.push_back(std::move(pattern));
}

void PreTokenizer::AddPrefixSpace() { steps_.push_back({true}); }

PreTokenizer::Pass::Pass(const PreTokenizer& chain) : chain_(chain) {
  for (const SplitPattern& pattern : chain.patterns_) scanners_.emplace_back(pattern);
}

void PreTokenizer::Pass::Run(size_t step_index, std::string_view text, const PieceSink& sink) {
  if (step_index == chain_.steps_.size()) return sink(text);
  const Step& step = chain_.steps_[step_index];
  if (step.is_prefix_space) {
    if (text.empty() || text.front() == ' ') return Run(step_index + 1, text, sink);
    std::string with_space(1, ' ');
    with_space += text;
    return Run(step_index + 1, with_space, sink);
  }
  SplitText(scanners_[step.pattern], text, step.behavior, step.invert,
            [&](std::string_view piece) { Run(step_index + 1, piece, sink); });
}

}  // namespace hyperpp::data
