// Kinds of values: how a key's value is read, checked, written and described.
//
// Every kind has the same four members, which config/section_table.h binds to a struct member:
//
//     using Type        what the member is
//     Describe()        what users may write: "integer >= 1", "adamw | sgd"
//     Read(value, out)  fills `out`, or returns the complaint "<fact>; <what to do>"
//     Write(in)         the value as JSON; null for one that is not set
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "hyperpp/config/config.h"
#include "hyperpp/config/document.h"

namespace hyperpp::config {

using Json = nlohmann::json;
/// Why a value was refused; empty if it was taken.
using Complaint = std::optional<std::string>;

/// A whole number. Counts fit 32 bits, so that products of two never overflow.
struct Integer {
  using Type = int64_t;
  static constexpr int64_t kMaxCount = std::numeric_limits<int32_t>::max();

  int64_t minimum = 0;
  int64_t maximum = kMaxCount;

  std::string Describe() const;
  Complaint Read(const Value& value, int64_t& out) const;
  Json Write(int64_t in) const { return in; }
};

/// A degree of the mesh: at least 1, or -1 for "what is left of the world".
struct AutoDegree {
  using Type = int64_t;
  std::string Describe() const { return "-1 | " + Integer{.minimum = 1}.Describe(); }
  Complaint Read(const Value& value, int64_t& out) const;
  Json Write(int64_t in) const { return in; }
};

/// A finite number from `minimum` to `maximum`, each either part of the range or not.
struct Number {
  using Type = double;

  double minimum = 0;
  double maximum = std::numeric_limits<double>::infinity();
  bool above_minimum = false;  // the minimum itself is refused
  bool below_maximum = false;

  std::string Describe() const;
  Complaint Read(const Value& value, double& out) const;
  Json Write(double in) const { return in; }
};

struct Boolean {
  using Type = bool;
  std::string Describe() const { return "true | false"; }
  Complaint Read(const Value& value, bool& out) const;
  Json Write(bool in) const { return in; }
};

/// Text that is not empty; an empty member is "not set".
struct Text {
  using Type = std::string;
  std::string what = "text";

  std::string Describe() const { return what; }
  Complaint Read(const Value& value, std::string& out) const;
  Json Write(const std::string& in) const { return in.empty() ? Json() : Json(in); }
};

/// Reads one of `words`; returns its index, or a complaint with the nearest word.
Complaint ReadWord(const Value& value, const std::vector<std::string_view>& words, size_t& index);
/// "gpipe | 1f1b | interleaved1f1b"
std::string DescribeWords(const std::vector<std::string_view>& words);

/// One of a list of words, the spellings of an enum.
template <typename Enum>
struct Choice {
  using Type = Enum;
  std::vector<std::pair<std::string_view, Enum>> choices;

  std::vector<std::string_view> Words() const {
    std::vector<std::string_view> words;
    for (const auto& [word, unused] : choices) words.push_back(word);
    return words;
  }
  std::string Describe() const { return DescribeWords(Words()); }
  Complaint Read(const Value& value, Enum& out) const {
    size_t index = 0;
    Complaint complaint = ReadWord(value, Words(), index);
    if (!complaint) out = choices[index].second;
    return complaint;
  }
  Json Write(Enum in) const {
    for (const auto& [word, choice] : choices) {
      if (choice == in) return word;
    }
    return nullptr;  // never given in a file: the default that depends on the rest
  }
};
template <typename Enum>
Choice(std::vector<std::pair<std::string_view, Enum>>) -> Choice<Enum>;

/// A value of `Kind` or nothing, for which `word` stands in the file ("auto", "all"); without a
/// word, only leaving the key out gives nothing.
template <typename Kind>
struct Optional {
  using Type = std::optional<typename Kind::Type>;
  Kind kind;
  std::string word = "";

  std::string Describe() const {
    return word.empty() ? kind.Describe() : word + " | " + kind.Describe();
  }
  Complaint Read(const Value& value, Type& out) const {
    if (!word.empty() && value.kind == Value::Kind::kScalar && value.text == word) {
      out.reset();
      return std::nullopt;
    }
    typename Kind::Type read{};
    Complaint complaint = kind.Read(value, read);
    if (complaint && !word.empty()) *complaint += ", or " + word;
    if (!complaint) out = std::move(read);
    return complaint;
  }
  Json Write(const Type& in) const {
    if (in) return kind.Write(*in);
    return word.empty() ? Json() : Json(word);
  }
};
template <typename Kind>
Optional(Kind, std::string) -> Optional<Kind>;
template <typename Kind>
Optional(Kind) -> Optional<Kind>;

/// A list whose items are all of `Kind`.
template <typename Kind>
struct ListOf {
  using Type = std::vector<typename Kind::Type>;
  Kind kind;
  bool allow_empty = false;

  std::string Describe() const { return "list of " + kind.Describe(); }
  Complaint Read(const Value& value, Type& out) const {
    if (value.kind != Value::Kind::kList || (value.items.empty() && !allow_empty)) {
      return value.Show() + (value.items.empty() ? " without items" : "") + " is no " + Describe() +
             "; give a list [...] of them";
    }
    Type read;
    for (const Value& item : value.items) {
      typename Kind::Type element{};
      if (Complaint complaint = kind.Read(item, element)) return complaint;
      read.push_back(std::move(element));
    }
    out = std::move(read);
    return std::nullopt;
  }
  Json Write(const Type& in) const {
    Json list = Json::array();
    for (const auto& element : in) list.push_back(kind.Write(element));
    return list;
  }
};
template <typename Kind>
ListOf(Kind, bool) -> ListOf<Kind>;
template <typename Kind>
ListOf(Kind) -> ListOf<Kind>;

/// The two decay rates of AdamW.
struct Betas {
  using Type = std::array<double, 2>;
  std::string Describe() const { return "list of two numbers >= 0 and < 1"; }
  Complaint Read(const Value& value, Type& out) const;
  Json Write(const Type& in) const { return Json(in); }
};

/// A map that is passed on as it is: keys of config.json.
struct FreeMap {
  using Type = Json;
  std::string Describe() const { return "map"; }
  Complaint Read(const Value& value, Json& out) const;
  Json Write(const Json& in) const { return in; }
};

/// Layers per rank, or rows of them per virtual chunk; fills `split` and `split_is_2d`.
struct LayerSplit {
  using Type = PipelineSection;
  std::string Describe() const { return "[] | list of integers > 0 | list of such lists"; }
  Complaint Read(const Value& value, PipelineSection& out) const;
  Json Write(const PipelineSection& in) const;
};

/// none, auto or a folder; fills `resume` and `resume_directory`.
struct ResumeFrom {
  using Type = CheckpointSection;
  std::string Describe() const { return "none | auto | folder"; }
  Complaint Read(const Value& value, CheckpointSection& out) const;
  Json Write(const CheckpointSection& in) const;
};

/// One file, or a list of files with weights.
struct DataPaths {
  using Type = std::vector<DataSource>;
  std::string Describe() const { return "file or prefix | list of {path, weight}"; }
  Complaint Read(const Value& value, Type& out) const;
  Json Write(const Type& in) const;
};

}  // namespace hyperpp::config
