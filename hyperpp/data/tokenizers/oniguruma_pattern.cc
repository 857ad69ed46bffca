#include "hyperpp/data/tokenizers/oniguruma_pattern.h"

#include <cctype>
#include <optional>
#include <vector>

#include "hyperpp/core/error.h"
#include "hyperpp/data/tokenizers/oniguruma_classes.h"
#include "hyperpp/data/tokenizers/utf8.h"

namespace hyperpp::data {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsHexDigit(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

class Translator {
 public:
  explicit Translator(std::string_view pattern) : pattern_(pattern) {}

  std::string Run() {
    if (Starts("(?i)")) {  // holds for the whole pattern, so it needs no group
      out_ += "(?i)";
      at_ = 4;
    }
    while (at_ < pattern_.size()) Next();
    return std::move(out_);
  }

 private:
  bool Starts(std::string_view text) const { return pattern_.substr(at_, text.size()) == text; }

  [[noreturn]] void Refuse(std::string_view what) const {
    throw InputError(fmt::format(
        "split pattern, byte {}: {} is not supported; use sets, groups, look-around and "
        "quantifiers without it",
        at_, what));
  }

  void Next() {
    const char c = pattern_[at_];
    if (c == '(') return OpenGroup();
    if (c == ')') return CloseGroup();
    if (c == '{') return Interval();
    if (c == '*' || c == '+' || c == '?' || c == '|' || c == '^' || c == '$') {
      out_ += c;
      ++at_;
      return;
    }
    atom_ = out_.size();
    if (c == '[') {
      Set();
    } else if (c == '\\') {
      Escape(false);
    } else {
      Literal();
    }
  }

  void Literal() {
    const size_t length = Utf8Length(pattern_.substr(at_));
    if (length == 0) Refuse("a byte that is not UTF-8");
    out_ += pattern_.substr(at_, length);
    at_ += length;
  }

  void OpenGroup() {
    groups_.push_back(out_.size());
    if (!Starts("(?")) {
      out_ += "(?:";  // captures are of no use here
      at_ += 1;
      return;
    }
    for (const std::string_view head : {"(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?i:"}) {
      if (!Starts(head)) continue;
      out_ += head;
      at_ += head.size();
      return;
    }
    if (Starts("(?m:")) {
      out_ += "(?s:";
      at_ += 4;
      return;
    }
    const size_t end = pattern_.find('>', at_);
    if (!Starts("(?<") || end == std::string_view::npos) {
      Refuse(fmt::format("the group {}", pattern_.substr(at_, 4)));
    }
    out_ += "(?:";
    at_ = end + 1;
  }

  void CloseGroup() {
    if (groups_.empty()) Refuse("a ) without (");
    atom_ = groups_.back();
    groups_.pop_back();
    out_ += ')';
    ++at_;
  }

  // {n}, {n,}, {,m}, {n,m}; any other { is itself.
  void Interval() {
    size_t end = at_ + 1;
    const size_t low = end;
    while (end < pattern_.size() && IsDigit(pattern_[end])) ++end;
    const std::string_view minimum = pattern_.substr(low, end - low);
    std::string_view rest;
    if (end < pattern_.size() && pattern_[end] == ',') {
      const size_t comma = end++;
      while (end < pattern_.size() && IsDigit(pattern_[end])) ++end;
      rest = pattern_.substr(comma, end - comma);
    }
    const bool has_bound = !minimum.empty() || rest.size() > 1;
    if (!has_bound || end >= pattern_.size() || pattern_[end] != '}') {
      atom_ = out_.size();
      out_ += "\\{";
      ++at_;
      return;
    }
    out_ += fmt::format("{{{}{}}}", minimum.empty() ? "0" : minimum, rest);
    at_ = end + 1;
    const bool applies_again = Starts("+") || (rest.empty() && Starts("?"));
    if (applies_again) {
      out_.insert(atom_, "(?:");
      out_ += ')';
    }
  }

  void Set() {
    out_ += '[';
    ++at_;
    if (Starts("^")) {
      out_ += '^';
      ++at_;
    }
    if (Starts("]")) {
      out_ += "\\]";
      ++at_;
    }
    SetItems();
    out_ += ']';
  }

  // Members up to and including the closing bracket; nested sets are members, too.
  void SetItems() {
    while (true) {
      if (at_ >= pattern_.size()) Refuse("a [ without ]");
      if (Starts("]")) {
        ++at_;
        return;
      }
      if (Starts("&&")) Refuse("&& (intersection of sets)");
      if (Starts("[:")) Refuse("a POSIX bracket");
      if (Starts("[^")) Refuse("a negated set inside a set");
      if (Starts("[")) {
        ++at_;
        SetItems();
      } else if (Starts("\\")) {
        Escape(true);
      } else {
        Literal();
      }
    }
  }

  void EmitClass(bool in_set, std::string_view members, bool negated) {
    if (in_set) {
      out_ += members;
    } else {
      out_ += fmt::format("[{}{}]", negated ? "^" : "", members);
    }
  }

  void Escape(bool in_set) {
    if (at_ + 1 >= pattern_.size()) Refuse("a backslash at the end");
    const char c = pattern_[at_ + 1];
    if (static_cast<unsigned char>(c) >= 0x80) {
      ++at_;
      return Literal();
    }
    if (!std::isalnum(static_cast<unsigned char>(c))) {
      out_ += '\\';
      out_ += c;
      at_ += 2;
      return;
    }
    if (c == 'p' || c == 'P') return Property(in_set);
    if (c == 'x' || c == 'u') return CodePoint();
    at_ += 2;
    switch (c) {
      case 's':
        return EmitClass(in_set, kWhitespace, false);
      case 'S':
        return EmitClass(in_set, in_set ? kNoWhitespace : kWhitespace, true);
      case 'd':
        return EmitClass(in_set, R"(\p{Nd})", false);
      case 'D':
        return EmitClass(in_set, R"(\P{Nd})", false);
      case 'w':
        return EmitClass(in_set, in_set ? kWord : kWordOutsideSets, false);
      case 'W':
        if (in_set) break;
        return EmitClass(in_set, kWordOutsideSets, true);
      case 'n':
      case 'r':
      case 't':
      case 'f':
      case 'a':
      case 'e':
        out_ += '\\';
        out_ += c;
        return;
      case 'v':
        out_ += "\\x{b}";
        return;
      case 'A':
      case 'z':
      case 'Z':
        if (in_set) break;
        out_ += '\\';
        out_ += c;
        return;
      default:
        break;
    }
    at_ -= 2;
    Refuse(fmt::format("\\{}{}", c, in_set ? " in a set" : ""));
  }

  // \p{Name}, \p{^Name}, \P{Name}
  void Property(bool in_set) {
    const size_t end = pattern_.find('}', at_);
    if (at_ + 2 >= pattern_.size() || pattern_[at_ + 2] != '{' || end == std::string_view::npos) {
      Refuse("\\p without {name}");
    }
    std::string_view name = pattern_.substr(at_ + 3, end - at_ - 3);
    bool negated = pattern_[at_ + 1] == 'P';
    if (!name.empty() && name[0] == '^') {
      negated = !negated;
      name.remove_prefix(1);
    }
    const bool is_script = Contains(kScripts, name);
    if (!is_script && !Contains(kCategories, name)) Refuse(fmt::format("\\p{{{}}}", name));
    const std::string property =
        fmt::format("\\{}{{{}{}}}", negated ? 'P' : 'p', is_script ? "sc:" : "", name);
    EmitClass(in_set, property, false);
    at_ = end + 1;
  }

  // \xHH below 80, \x{H...}, \uHHHH
  void CodePoint() {
    const bool braces =
        pattern_[at_ + 1] == 'x' && at_ + 2 < pattern_.size() && pattern_[at_ + 2] == '{';
    const size_t limit = braces ? 8 : pattern_[at_ + 1] == 'x' ? 2 : 4;
    const size_t first = at_ + (braces ? 3 : 2);
    size_t end = first;
    while (end < pattern_.size() && end - first < limit && IsHexDigit(pattern_[end])) ++end;
    const std::string digits(pattern_.substr(first, end - first));
    const bool closed = !braces || (end < pattern_.size() && pattern_[end] == '}');
    if (digits.empty() || !closed) Refuse("this code point");
    const unsigned long value = std::stoul(digits, nullptr, 16);
    if (value > 0x10FFFF || (!braces && limit == 2 && value >= 0x80)) Refuse("this code point");
    out_ += fmt::format("\\x{{{:x}}}", value);
    at_ = end + (braces ? 1 : 0);
  }

  std::string_view pattern_;
  size_t at_ = 0;
  std::string out_;
  size_t atom_ = 0;             // where the atom that a quantifier would repeat begins in out_
  std::vector<size_t> groups_;  // where the open groups begin in out_
};

}  // namespace

std::string TranslateOnigurumaPattern(std::string_view pattern) {
  return Translator(pattern).Run();
}

std::string QuoteForPcre2(std::string_view literal) {
  std::string quoted;
  for (const char c : literal) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && std::isalnum(byte) == 0 && byte != 0) quoted += '\\';
    quoted += c;
  }
  return quoted;
}

}  // namespace hyperpp::data
