#include "hyperpp/comm/failure_text.h"

#include <array>
#include <exception>

#include <fmt/ranges.h>

#include "hyperpp/comm/error_kind.h"
#include "hyperpp/core/error.h"

namespace hyperpp::comm {
namespace {

bool ContainsAny(std::string_view text, std::initializer_list<std::string_view> words) {
  for (std::string_view word : words) {
    if (text.find(word) != std::string_view::npos) return true;
  }
  return false;
}

/// First line, without the "[source file:line] " that Gloo puts in front.
std::string FirstLine(std::string text) {
  text = text.substr(0, text.find('\n'));
  if (text.starts_with('[')) {
    const std::size_t end = text.find("] ");
    if (end != std::string::npos) text = text.substr(end + 2);
  }
  while (text.ends_with('.') || text.ends_with(' ')) text.pop_back();
  return text;
}

std::string Seconds(std::chrono::milliseconds time) {
  return fmt::format("{:g} s", static_cast<double>(time.count()) / 1000);
}

}  // namespace

std::string DescribeRanks(const std::vector<int>& ranks) {
  constexpr std::size_t kMostListed = 16;
  if (ranks.size() == 1) return fmt::format("rank {}", ranks.front());
  if (ranks.size() <= kMostListed) return fmt::format("ranks {}", fmt::join(ranks, ","));
  return fmt::format("ranks {},{},{},...,{} ({} in all)", ranks[0], ranks[1], ranks[2],
                     ranks.back(), ranks.size());
}

std::string Operation::Describe() const {
  if (peer < 0) return fmt::format("{} over {}", name, DescribeRanks(ranks));
  return fmt::format("{} {} rank {}", name, name == "send" ? "to" : "from", peer);
}

FailureText::FailureText(const MeshLayout& layout, int rank, std::chrono::milliseconds timeout)
    : rank_label_(layout.Label(rank)), timeout_(timeout) {}

void FailureText::SetActivity(std::string activity) {
  const std::scoped_lock lock(mutex_);
  activity_ = std::move(activity);
}

bool FailureText::HasFailed() const {
  const std::scoped_lock lock(mutex_);
  return has_failed_;
}

std::string FailureText::Where(const Operation& operation) const {
  const std::scoped_lock lock(mutex_);
  return fmt::format("{}: {}{}{}", rank_label_, activity_, activity_.empty() ? "" : ", ",
                     operation.Describe());
}

void FailureText::ThrowCommError(const Operation& operation) const {
  std::string reason = "unknown failure";
  try {
    throw;
  } catch (const Error&) {
    throw;  // already ours: a failed check of the arguments
  } catch (const std::exception& error) {
    reason = FirstLine(ErrorText(error));
  }
  {
    const std::scoped_lock lock(mutex_);
    has_failed_ = true;
  }
  const std::string others =
      operation.peer >= 0 ? fmt::format("rank {}", operation.peer) : "one of these ranks";
  if (ContainsAny(reason,
                  {"losed by peer", "reset by peer", "Broken pipe", "Connection refused"})) {
    reason = fmt::format("connection closed by peer; {} has ended, see its own message", others);
  } else if (ContainsAny(reason, {"imed out", "imeout"})) {
    reason = fmt::format(
        "no answer within {}; {} is stopped, stuck or far behind, or "
        "accelerator.timeout_seconds is too short",
        Seconds(timeout_), others);
  }
  throw CommError(fmt::format("{}: {}", Where(operation), reason));
}

}  // namespace hyperpp::comm
