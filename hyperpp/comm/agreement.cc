#include "hyperpp/comm/agreement.h"

#include <exception>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "hyperpp/comm/error_kind.h"
#include "hyperpp/comm/failure_text.h"
#include "hyperpp/comm/gather_strings.h"
#include "hyperpp/comm/shared_cause.h"
#include "hyperpp/core/error.h"

namespace hyperpp::comm {
namespace {

using Values = std::map<std::string, std::string>;

/// The own error of a rank: to throw again here, and packed as [kind, text] for the others.
struct OwnError {
  std::exception_ptr error;
  std::string packed;
};

OwnError Run(const std::function<void()>& function) {
  try {
    function();
    return {};
  } catch (const std::exception& error) {
    return {std::current_exception(),
            PackStrings({std::string(ErrorKind(error)), ErrorText(error)})};
  }
}

std::string PackValues(const Values& values) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : values) {
    parts.push_back(key);
    parts.push_back(value);
  }
  return PackStrings(parts);
}

Values UnpackValues(const std::string& packed) {
  const std::vector<std::string> parts = UnpackStrings(packed);
  Values values;
  for (std::size_t i = 0; i + 1 < parts.size(); i += 2) values[parts[i]] = parts[i + 1];
  return values;
}

std::string ValueOf(const Values& values, const std::string& key) {
  const auto found = values.find(key);
  return found == values.end() ? "(absent)" : found->second;
}

/// "pipeline.schedule is 1f1b on rank 0, gpipe on ranks 1,3"; empty if all ranks agree.
std::string DescribeDifference(const std::string& key, const std::vector<Values>& of_rank,
                               const std::vector<int>& ranks) {
  const std::string reference = ValueOf(of_rank.front(), key);
  std::map<std::string, std::vector<int>> others;
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    const std::string value = ValueOf(of_rank[i], key);
    if (value != reference) others[value].push_back(ranks[i]);
  }
  if (others.empty()) return "";
  std::string text = fmt::format("{} is {} on rank {}", key, reference, ranks.front());
  for (const auto& [value, where] : others) {
    text += fmt::format(", {} on {}", value, DescribeRanks(where));
  }
  return text;
}

}  // namespace

void AgreeOver(Group& group, const std::function<void()>& function) {
  const OwnError own = Run(function);
  std::vector<std::string> errors;
  try {
    errors = GatherStrings(group, own.packed);
  } catch (const CommError&) {
    // Others are gone as well; what this rank found itself says more than that.
    if (own.error) std::rethrow_exception(own.error);
    throw;
  }
  for (int i = 0; i < group.size(); ++i) {
    if (errors[i].empty()) continue;
    const bool is_own = i == group.rank();
    if (own.error && (is_own || own.packed != errors[i])) std::rethrow_exception(own.error);
    const std::vector<std::string> kind_and_text = UnpackStrings(errors[i]);
    ThrowShared(kind_and_text.at(0), kind_and_text.at(1), group.ranks()[i]);
  }
}

void CheckSameOver(Group& group, const Values& values) {
  const std::vector<std::string> packed = GatherStrings(group, PackValues(values));
  std::vector<Values> of_rank;
  std::set<std::string> keys;
  for (const std::string& text : packed) {
    of_rank.push_back(UnpackValues(text));
    for (const auto& [key, value] : of_rank.back()) keys.insert(key);
  }
  std::string differences;
  for (const std::string& key : keys) {
    const std::string difference = DescribeDifference(key, of_rank, group.ranks());
    if (difference.empty()) continue;
    differences += (differences.empty() ? "" : "; ") + difference;
  }
  if (differences.empty()) return;
  throw Shared<ConfigError>(
      fmt::format("the ranks have different configurations: {}; start all of them with the same",
                  differences),
      group.ranks().front());
}

}  // namespace hyperpp::comm
