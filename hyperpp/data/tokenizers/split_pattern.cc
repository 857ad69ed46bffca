#include "hyperpp/data/tokenizers/split_pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "hyperpp/core/error.h"
#include "hyperpp/data/tokenizers/unicode_versions.h"
#include "hyperpp/data/tokenizers/utf8.h"

namespace hyperpp::data {
namespace {

// Machine code begins with 32 KiB of the stack; only a text that needs more gets one of its own.
constexpr size_t kFirstStackBytes = size_t{1} << 18;
constexpr size_t kLargestStackBytes = size_t{1} << 26;

struct Free {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
  void operator()(pcre2_compile_context* context) const { pcre2_compile_context_free(context); }
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
  void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
  void operator()(pcre2_jit_stack* stack) const { pcre2_jit_stack_free(stack); }
};
template <typename T>
using Owned = std::unique_ptr<T, Free>;

std::string ReasonOf(int error) {
  PCRE2_UCHAR reason[160];
  pcre2_get_error_message(error, reason, sizeof(reason));
  return reinterpret_cast<const char*>(reason);
}

PCRE2_SPTR Units(const char* text) { return reinterpret_cast<PCRE2_SPTR>(text); }

}  // namespace

struct SplitPattern::Program {
  Owned<pcre2_code> code;
  bool is_machine_code = false;
};

SplitPattern::SplitPattern(const std::string& pcre2_pattern)
    : program_(std::make_unique<Program>()) {
  const Owned<pcre2_compile_context> context(pcre2_compile_context_create(nullptr));
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  int error = 0;
  PCRE2_SIZE offset = 0;
  program_->code.reset(pcre2_compile(
      Units(pcre2_pattern.data()), pcre2_pattern.size(),
      PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NO_AUTO_CAPTURE | PCRE2_NEVER_BACKSLASH_C,
      &error, &offset, context.get()));
  if (!program_->code) {
    throw InputError(fmt::format("split pattern {}: {} at byte {}; correct it", pcre2_pattern,
                                 ReasonOf(error), offset));
  }
  // Where executable memory is forbidden this fails, and matches are interpreted.
  program_->is_machine_code = pcre2_jit_compile(program_->code.get(), PCRE2_JIT_COMPLETE) == 0;
}

SplitPattern::~SplitPattern() = default;
SplitPattern::SplitPattern(SplitPattern&&) noexcept = default;
SplitPattern& SplitPattern::operator=(SplitPattern&&) noexcept = default;

struct SplitPattern::Scanner::State {
  const Program* program = nullptr;
  Owned<pcre2_match_data> data;
  Owned<pcre2_jit_stack> stack;
  Owned<pcre2_match_context> context;

  std::optional<std::string> copy;  // holds `subject` if the text needs stand-ins
  std::string_view subject;
  size_t at = 0;
  std::optional<size_t> last_end;  // of the match before

  int Search() {
    if (!program->is_machine_code) {
      return pcre2_match(program->code.get(), Units(subject.data()), subject.size(), at,
                         PCRE2_NO_UTF_CHECK, data.get(), context.get());
    }
    const int result = pcre2_jit_match(program->code.get(), Units(subject.data()), subject.size(),
                                       at, 0, data.get(), context.get());
    if (result != PCRE2_ERROR_JIT_STACKLIMIT || stack) return result;
    stack.reset(pcre2_jit_stack_create(kFirstStackBytes, kLargestStackBytes, nullptr));
    pcre2_jit_stack_assign(context.get(), nullptr, stack.get());
    return Search();
  }
};

SplitPattern::Scanner::Scanner(const SplitPattern& pattern) : state_(std::make_unique<State>()) {
  state_->program = pattern.program_.get();
  state_->data.reset(pcre2_match_data_create(1, nullptr));
  state_->context.reset(pcre2_match_context_create(nullptr));
}

SplitPattern::Scanner::~Scanner() = default;
SplitPattern::Scanner::Scanner(Scanner&&) noexcept = default;

void SplitPattern::Scanner::Start(std::string_view text) {
  state_->copy = WithStandIns(text);
  state_->subject = state_->copy ? std::string_view(*state_->copy) : text;
  state_->at = 0;
  state_->last_end.reset();
}

std::optional<SplitPattern::Match> SplitPattern::Scanner::Next() {
  State& state = *state_;
  while (state.at <= state.subject.size()) {
    const int result = state.Search();
    if (result == PCRE2_ERROR_NOMATCH) break;
    if (result < 0) {
      throw InputError(fmt::format(
          "split pattern: matching a text of {} bytes failed at byte {}: {}; split the text into "
          "smaller documents",
          state.subject.size(), state.at, ReasonOf(result)));
    }
    const PCRE2_SIZE* bounds = pcre2_get_ovector_pointer(state.data.get());
    const Match match{bounds[0], bounds[1]};
    const bool is_empty = match.begin == match.end;
    if (is_empty && state.last_end == match.end) {
      // The next search starts one character on.
      const std::string_view rest = state.subject.substr(state.at);
      state.at += rest.empty() ? 1 : Utf8Length(rest);
      continue;
    }
    state.at = match.end;
    state.last_end = match.end;
    return match;
  }
  state.at = state.subject.size() + 1;
  return std::nullopt;
}

}  // namespace hyperpp::data
