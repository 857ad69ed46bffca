#include "hyperpp/comm/rendezvous.h"

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include <c10/util/Logging.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "hyperpp/comm/error_kind.h"
#include "hyperpp/comm/failure_text.h"
#include "hyperpp/comm/listener_probe.h"
#include "hyperpp/comm/shared_cause.h"
#include "hyperpp/core/error.h"

namespace hyperpp::comm {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;
using StorePtr = c10::intrusive_ptr<c10d::Store>;

constexpr const char* kOpen = "open";

std::string Where(const RankIdentity& identity) {
  return fmt::format("rank {}: rendezvous at {}:{}", identity.rank, identity.master_address,
                     identity.master_port);
}

Milliseconds TimeLeft(Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<Milliseconds>(deadline - Clock::now());
  return std::max(left, Milliseconds(1));
}

StorePtr HostStore(const RankIdentity& identity, Milliseconds limit) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(identity.master_port);
  options.isServer = true;
  options.waitWorkers = false;
  options.timeout = limit;
  if (identity.listen_descriptor >= 0) options.masterListenFd = identity.listen_descriptor;
  try {
    return c10::make_intrusive<c10d::TCPStore>(identity.master_address, options);
  } catch (const std::exception& error) {
    const std::string text = ErrorText(error);
    if (text.find("EADDRINUSE") != std::string::npos) {
      throw CommError(
          fmt::format("{}: port {} is in use by another program or job; choose another "
                      "MASTER_PORT",
                      Where(identity), identity.master_port));
    }
    throw CommError(fmt::format("{}: cannot listen on port {}: {}", Where(identity),
                                identity.master_port, text.substr(0, text.find('\n'))));
  }
}

StorePtr FindStore(const RankIdentity& identity, Clock::time_point deadline, Milliseconds limit) {
  std::string reason = WaitForListener(identity.master_address, identity.master_port, deadline);
  if (reason.empty()) {
    c10d::TCPStoreOptions options;
    options.port = static_cast<std::uint16_t>(identity.master_port);
    options.waitWorkers = false;
    options.timeout = TimeLeft(deadline);
    try {
      return c10::make_intrusive<c10d::TCPStore>(identity.master_address, options);
    } catch (const std::exception&) {
      reason = "what listens there is no store, or has ended";
    }
  }
  throw CommError(
      fmt::format("{}: no store answers within {} s: {}; rank 0 has not started or has ended, or "
                  "MASTER_ADDR or "
                  "MASTER_PORT is wrong",
                  Where(identity), limit.count() / 1000.0, reason));
}

/// c10d writes warnings and stack frames to stderr about failures that reach the user as CommError.
/// A level that the user chose stays.
void QuietenLibtorchLog() {
  constexpr int kWarnings = 1, kNothing = 3;
  if (FLAGS_caffe2_log_level == kWarnings) FLAGS_caffe2_log_level = kNothing;
}

/// One rank's view of the meeting.
class Meeting {
 public:
  Meeting(const RankIdentity& identity, StorePtr store, Clock::time_point deadline,
          Milliseconds limit)
      : identity_(identity), store_(std::move(store)), deadline_(deadline), limit_(limit) {}

  void Join() {
    const std::string world_size = std::to_string(identity_.world_size);
    const std::string first_size = store_->compareSet("world_size", "", world_size);
    if (first_size != world_size) {
      Refuse(
          fmt::format("rank {} was started with world size {}, others with {}; start all ranks "
                      "with the same WORLD_SIZE",
                      identity_.rank, world_size, first_size));
    }
    if (store_->add(JoinKey(identity_.rank), 1) > 1) {
      Refuse(fmt::format("two processes joined as rank {} of {}; give each its own RANK",
                         identity_.rank, identity_.world_size));
    }
    if (store_->add("present", 1) == identity_.world_size) store_->compareSet("gate", "", kOpen);
  }

  /// Returns when the gate is open.
  void WaitAtGate() {
    try {
      store_->wait({"gate"}, TimeLeft(deadline_));
    } catch (const std::exception&) {
      ReportMissing();
    }
    const std::string gate = store_->get_to_str("gate");
    if (gate == kOpen) return;
    store_->add("left", 1);
    if (HostsStore()) LetOthersRead();
    if (gate.starts_with(kTimedOut)) throw Shared<CommError>(gate.substr(1), 0);
    throw Shared<ConfigError>(gate, 0);
  }

 private:
  static constexpr char kTimedOut = '!';

  static std::string JoinKey(int rank) { return fmt::format("join/{}", rank); }
  bool HostsStore() const { return identity_.rank == 0 && !identity_.store_is_hosted; }

  /// Closes the gate for all.
  [[noreturn]] void Refuse(const std::string& reason) {
    const std::string text = fmt::format("{}: {}", Where(identity_), reason);
    store_->compareSet("gate", "", text);
    throw ConfigError(text);
  }

  /// Says who is there and who is missing; on the host, to the others as well before it ends.
  [[noreturn]] void ReportMissing() {
    std::vector<int> joined, missing;
    try {
      for (int rank = 0; rank < identity_.world_size; ++rank) {
        (store_->check({JoinKey(rank)}) ? joined : missing).push_back(rank);
      }
    } catch (const std::exception&) {
      throw CommError(
          fmt::format("{}: the store was closed before all ranks had joined; see the "
                      "message of rank 0",
                      Where(identity_)));
    }
    const std::string text = fmt::format(
        "{}: {} of {} ranks joined ({}), {} did not within {} s; see why, or whether all were "
        "started with the same MASTER_ADDR and MASTER_PORT",
        Where(identity_), joined.size(), identity_.world_size, DescribeRanks(joined),
        DescribeRanks(missing), limit_.count() / 1000.0);
    store_->compareSet("gate", "", kTimedOut + text);
    store_->add("left", 1);
    if (HostsStore()) LetOthersRead();
    throw CommError(text);
  }

  /// Keeps the store until all that are present have read the closed gate, for a second at most.
  void LetOthersRead() {
    const Clock::time_point end = Clock::now() + std::chrono::seconds(1);
    while (store_->add("left", 0) < store_->add("present", 0) && Clock::now() < end) {
      std::this_thread::sleep_for(Milliseconds(10));
    }
  }

  const RankIdentity& identity_;
  const StorePtr store_;
  const Clock::time_point deadline_;
  const Milliseconds limit_;
};

}  // namespace

StorePtr Meet(const RankIdentity& identity, Milliseconds limit) {
  QuietenLibtorchLog();
  const Clock::time_point deadline = Clock::now() + limit;
  const bool hosts = identity.rank == 0 && !identity.store_is_hosted;
  StorePtr store = hosts ? HostStore(identity, limit) : FindStore(identity, deadline, limit);
  store =
      c10::make_intrusive<c10d::PrefixStore>(fmt::format("hyperpp/{}", identity.attempt), store);
  Meeting meeting(identity, store, deadline, limit);
  try {
    meeting.Join();
    meeting.WaitAtGate();
  } catch (const Error&) {
    throw;
  } catch (const std::exception&) {
    throw CommError(
        fmt::format("{}: the store was closed before all ranks had joined; see the "
                    "message of rank 0",
                    Where(identity)));
  }
  return store;
}

}  // namespace hyperpp::comm
