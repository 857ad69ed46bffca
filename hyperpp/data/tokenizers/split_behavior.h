// What a Split pre-tokenizer does with the matches of its pattern.
//
// Matches and the text between them cover the text. For "the-final--countdown" and the pattern "-"
// the behaviours give, as in the `tokenizers` package:
//
//     Isolated            the - final - - countdown
//     Removed             the final countdown
//     Contiguous          the - final -- countdown
//     MergedWithPrevious  the- final- - countdown
//     MergedWithNext      the -final - -countdown
//
// Inverted, the text between counts as the matches.
#pragma once

#include <functional>
#include <string_view>

#include "hyperpp/data/tokenizers/split_pattern.h"

namespace hyperpp::data {

enum class SplitBehavior {
  kIsolated,
  kRemoved,
  kContiguous,
  kMergedWithPrevious,
  kMergedWithNext,
};

/// Receives one piece of text.
using PieceSink = std::function<void(std::string_view)>;

/// Cuts `text` at the matches that `scanner` finds and gives the pieces that are not empty to
/// `sink`, in order.
void SplitText(SplitPattern::Scanner& scanner, std::string_view text, SplitBehavior behavior,
               bool invert, const PieceSink& sink);

}  // namespace hyperpp::data
