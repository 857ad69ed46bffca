#include "hyperpp/config/kinds.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hyperpp/config/nearest.h"
#include "hyperpp/config/scalar.h"

namespace hyperpp::config {
namespace {

std::string WithArticle(const std::string& noun) {
  return (std::string("aeiou").find(noun[0]) == std::string::npos ? "a " : "an ") + noun;
}

// The complaint about a value that is no number of the wanted kind.
Complaint NotANumber(const Value& value, const std::string& kind, const std::string& range) {
  if (value.kind == Value::Kind::kScalar && value.quoted && ParseNumber(value.text)) {
    return fmt::format("{} is text; give {} without quotes", value.Show(), WithArticle(range));
  }
  return fmt::format("{} is not {}; give {}", value.Show(), WithArticle(kind), WithArticle(range));
}

bool IsPlainScalar(const Value& value) {
  return value.kind == Value::Kind::kScalar && !value.quoted;
}

// A layer count of a split; 0 and less are empty stages.
const Integer kLayerCount{.minimum = 1};

}  // namespace

std::string Integer::Describe() const {
  if (maximum >= kMaxCount) return fmt::format("integer >= {}", minimum);
  return fmt::format("integer from {} to {}", minimum, maximum);
}

Complaint Integer::Read(const Value& value, int64_t& out) const {
  const auto integer = IsPlainScalar(value) ? ParseInteger(value.text) : std::nullopt;
  if (!integer) return NotANumber(value, "integer", Describe());
  if (*integer > maximum && maximum >= kMaxCount) {
    return fmt::format("{} is out of range; give at most {}", *integer, maximum);
  }
  if (*integer < minimum || *integer > maximum) {
    return fmt::format("{} is out of range; give {}", *integer, WithArticle(Describe()));
  }
  out = *integer;
  return std::nullopt;
}

Complaint AutoDegree::Read(const Value& value, int64_t& out) const {
  int64_t degree = 0;
  Complaint complaint = Integer{.minimum = -1}.Read(value, degree);
  if (!complaint && degree == 0) complaint = "0 is out of range";
  if (complaint) return complaint->substr(0, complaint->find(';')) + "; give -1 or an integer >= 1";
  out = degree;
  return std::nullopt;
}

std::string Number::Describe() const {
  std::string text = fmt::format("number {} {}", above_minimum ? ">" : ">=", minimum);
  if (maximum < std::numeric_limits<double>::infinity()) {
    text += fmt::format(" and {} {}", below_maximum ? "<" : "<=", maximum);
  }
  return text;
}

Complaint Number::Read(const Value& value, double& out) const {
  const auto number = IsPlainScalar(value) ? ParseNumber(value.text) : std::nullopt;
  if (!number) return NotANumber(value, "number", Describe());
  if (*number < minimum || *number > maximum || (above_minimum && *number == minimum) ||
      (below_maximum && *number == maximum)) {
    return fmt::format("{} is out of range; give {}", value.text, WithArticle(Describe()));
  }
  out = *number;
  return std::nullopt;
}

Complaint Boolean::Read(const Value& value, bool& out) const {
  const auto boolean = IsPlainScalar(value) ? ParseBoolean(value.text) : std::nullopt;
  if (!boolean) return fmt::format("{} is neither true nor false; give one of them", value.Show());
  out = *boolean;
  return std::nullopt;
}

Complaint Text::Read(const Value& value, std::string& out) const {
  if (value.kind != Value::Kind::kScalar || value.text.empty()) {
    return fmt::format("{} is no {}; give one", value.Show(), what);
  }
  out = value.text;
  return std::nullopt;
}

std::string DescribeWords(const std::vector<std::string_view>& words) {
  return fmt::format("{}", fmt::join(words, " | "));
}

Complaint ReadWord(const Value& value, const std::vector<std::string_view>& words, size_t& index) {
  if (value.kind == Value::Kind::kScalar) {
    const auto found = std::find(words.begin(), words.end(), value.text);
    if (found != words.end()) {
      index = found - words.begin();
      return std::nullopt;
    }
  }
  const auto nearest = NearestWord(value.text, words);
  return fmt::format("{} is not among the choices; give {}{}", value.Show(), DescribeWords(words),
                     nearest ? fmt::format(" (did you mean {}?)", *nearest) : "");
}

Complaint Betas::Read(const Value& value, Type& out) const {
  const Number rate{.maximum = 1, .below_maximum = true};
  std::vector<double> rates;
  if (Complaint complaint = ListOf{rate}.Read(value, rates)) return complaint;
  if (rates.size() != out.size()) {
    return fmt::format("has {} items; give a {}", rates.size(), Describe());
  }
  out = {rates[0], rates[1]};
  return std::nullopt;
}

Complaint FreeMap::Read(const Value& value, Json& out) const {
  if (value.kind != Value::Kind::kMap) {
    return fmt::format("{} is not a map; give keys and values as in config.json", value.Show());
  }
  out = ToJson(value);
  return std::nullopt;
}

Complaint LayerSplit::Read(const Value& value, PipelineSection& out) const {
  if (value.kind != Value::Kind::kList) {
    return fmt::format("{} is not a list; give {}", value.Show(), Describe());
  }
  const auto is_list = [](const Value& item) { return item.kind == Value::Kind::kList; };
  const auto num_rows = std::count_if(value.items.begin(), value.items.end(), is_list);
  if (num_rows != 0 && num_rows != static_cast<int64_t>(value.items.size())) {
    return fmt::format("mixes {} rows and {} numbers; give {}", num_rows,
                       value.items.size() - num_rows, Describe());
  }
  std::vector<std::vector<int64_t>> rows;
  if (num_rows > 0) {
    if (Complaint complaint = ListOf<ListOf<Integer>>{ListOf{kLayerCount}}.Read(value, rows))
      return complaint;
  } else if (!value.items.empty()) {
    if (Complaint complaint = ListOf{kLayerCount}.Read(value, rows.emplace_back())) {
      return complaint;
    }
  }
  for (const auto& row : rows) {
    if (row.size() != rows[0].size()) {
      return fmt::format("rows have {} and {} entries; give one entry per pipeline rank in each",
                         rows[0].size(), row.size());
    }
  }
  out.split = std::move(rows);
  out.split_is_2d = num_rows > 0;
  return std::nullopt;
}

Json LayerSplit::Write(const PipelineSection& in) const {
  if (in.split.empty()) return Json::array();
  return in.split_is_2d ? Json(in.split) : Json(in.split[0]);
}

Complaint ResumeFrom::Read(const Value& value, CheckpointSection& out) const {
  if (value.kind != Value::Kind::kScalar || value.text.empty() ||
      (!value.quoted && ParseBoolean(value.text))) {
    return fmt::format("{} says not where to resume from; give {}", value.Show(), Describe());
  }
  out.resume_directory.clear();
  if (value.text == "none") {
    out.resume = ResumeMode::kNone;
  } else if (value.text == "auto") {
    out.resume = ResumeMode::kAuto;
  } else {
    out.resume = ResumeMode::kDirectory;
    out.resume_directory = value.text;
  }
  return std::nullopt;
}

Json ResumeFrom::Write(const CheckpointSection& in) const {
  if (in.resume == ResumeMode::kDirectory) return in.resume_directory;
  return in.resume == ResumeMode::kAuto ? "auto" : "none";
}

namespace {

Complaint ReadDataSource(const Value& value, DataSource& out) {
  const Text path{"file or prefix"};
  if (value.kind != Value::Kind::kMap) return path.Read(value, out.path);
  for (size_t i = 0; i < value.keys.size(); ++i) {
    const std::string& key = value.keys[i];
    Complaint complaint;
    if (key == "path") {
      complaint = path.Read(value.items[i], out.path);
    } else if (key == "weight") {
      complaint = Number{.above_minimum = true}.Read(value.items[i], out.weight);
    } else {
      complaint = "unknown key; the keys of a source are path and weight";
    }
    if (complaint) return key + ": " + *complaint;
  }
  if (out.path.empty()) return "a source has no path; give {path: ..., weight: ...}";
  return std::nullopt;
}

}  // namespace

Complaint DataPaths::Read(const Value& value, Type& out) const {
  Type sources;
  if (value.kind != Value::Kind::kList) {
    if (Complaint complaint = Text{"file or prefix"}.Read(value, sources.emplace_back().path)) {
      return complaint;
    }
  }
  for (const Value& item : value.items) {
    if (Complaint complaint = ReadDataSource(item, sources.emplace_back())) return complaint;
  }
  if (sources.empty()) return "is an empty list; give " + Describe();
  out = std::move(sources);
  return std::nullopt;
}

Json DataPaths::Write(const Type& in) const {
  if (in.empty()) return nullptr;
  if (in.size() == 1 && in[0].weight == 1) return in[0].path;
  Json list = Json::array();
  for (const DataSource& source : in) {
    list.push_back({{"path", source.path}, {"weight", source.weight}});
  }
  return list;
}

}  // namespace hyperpp::config
