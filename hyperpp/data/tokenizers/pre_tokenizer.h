// Cuts text into the pieces within which byte-pair merges work: words with their space, runs of
// digits, punctuation. A chain of splits, each of which cuts the pieces of the one before further;
// DeepSeek-V3 has three (digits, ideographs and kana, the rest).
#pragma once

#include <string_view>
#include <vector>

#include "hyperpp/data/tokenizers/split_behavior.h"
#include "hyperpp/data/tokenizers/split_pattern.h"

namespace hyperpp::data {

/// The pattern of GPT-2's encoder.py, in the syntax of oniguruma_pattern.h; ByteLevel's own.
inline constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

class PreTokenizer {
 public:
  /// Appends a split to the chain.
  void AddSplit(SplitPattern pattern, SplitBehavior behavior, bool invert);
  /// Appends the step that puts a space before each piece that does not begin with one.
  void AddPrefixSpace();

  /// Work space for one thread: scanners for the patterns of a chain.
  class Pass {
   public:
    /// REQUIRES: `chain` outlives this and does not change.
    explicit Pass(const PreTokenizer& chain);

    /// Gives the pieces of `text` (valid UTF-8) to `sink`; a piece lives only during its call.
    void Split(std::string_view text, const PieceSink& sink) { Run(0, text, sink); }

   private:
    void Run(size_t step, std::string_view text, const PieceSink& sink);

    const PreTokenizer& chain_;
    std::vector<SplitPattern::Scanner> scanners_;
  };

 private:
  struct Step {
    bool is_prefix_space = false;
    size_t pattern = 0;  // index into patterns_, for splits
    SplitBehavior behavior = SplitBehavior::kIsolated;
    bool invert = false;
  };

  std::vector<Step> steps_;
  std::vector<SplitPattern> patterns_;
};

}  // namespace hyperpp::data
