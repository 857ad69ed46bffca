// Finds the matches of a split pattern, in order: the regular expression that cuts text into the
// pieces which byte-pair merges never cross. PCRE2, compiled to machine code.
//
// The pattern sees text as the `tokenizers` package's Oniguruma does: see oniguruma_pattern.h for
// the syntax and unicode_versions.h for code points that one of the two does not know yet.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace hyperpp::data {

class SplitPattern {
 public:
  /// Compiles a PCRE2 pattern. Errors: InputError with PCRE2's reason and the place.
  explicit SplitPattern(const std::string& pcre2_pattern);
  ~SplitPattern();
  SplitPattern(SplitPattern&&) noexcept;
  SplitPattern& operator=(SplitPattern&&) noexcept;

  struct Match {
    size_t begin = 0;
    size_t end = 0;
  };

  /// Passes over texts, one after the other. A pattern serves any number of scanners at once.
  class Scanner {
   public:
    /// REQUIRES: `pattern` outlives this.
    explicit Scanner(const SplitPattern& pattern);
    ~Scanner();
    Scanner(Scanner&&) noexcept;

    /// Begins a pass. REQUIRES: `text` is valid UTF-8 and lives as long as the pass.
    void Start(std::string_view text);

    /// Next match, or nothing. An empty match right after a match is passed over.
    /// Errors: InputError if the text needs more than PCRE2's limits.
    std::optional<Match> Next();

   private:
    struct State;
    std::unique_ptr<State> state_;
  };

 private:
  struct Program;
  std::unique_ptr<Program> program_;
};

}  // namespace hyperpp::data
