#include "hyperpp/launch/launcher.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <poll.h>
#include <unistd.h>

#include "hyperpp/core/error.h"
#include "hyperpp/core/log.h"
#include "hyperpp/launch/failure_report.h"
#include "hyperpp/launch/outcome.h"
#include "hyperpp/launch/rank_process.h"

namespace hyperpp::launch {
namespace {

using Clock = std::chrono::steady_clock;

/// How long the other ranks may run on after one has failed.
constexpr std::chrono::seconds kGrace{3};
/// A signal that follows another this closely is the same Ctrl-C, delivered twice.
constexpr std::chrono::seconds kSameStop{1};

[[noreturn]] void Fail(const char* what) {
  throw IoError(fmt::format("launcher: {}: {}", what, strerror(errno)));
}

/// Blocks the signals that the launcher waits for and reads them from a descriptor instead.
class SignalDescriptor {
 public:
  SignalDescriptor() {
    sigset_t waited;
    sigemptyset(&waited);
    for (int number : {SIGTERM, SIGINT, SIGCHLD}) sigaddset(&waited, number);
    signal(SIGCHLD, SIG_DFL);  // an ignored one, inherited, would lose how ranks ended
    sigprocmask(SIG_BLOCK, &waited, &before_);
    descriptor_ = signalfd(-1, &waited, SFD_CLOEXEC | SFD_NONBLOCK);
    if (descriptor_ < 0) Fail("signalfd");
  }
  SignalDescriptor(const SignalDescriptor&) = delete;
  ~SignalDescriptor() {
    close(descriptor_);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }

  int get() const { return descriptor_; }
  /// Next signal that came, 0 if there is none.
  int Take() const {
    signalfd_siginfo info{};
    return read(descriptor_, &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo)
                                                                : 0;
  }

 private:
  sigset_t before_{};
  int descriptor_ = -1;
};

/// A socket that listens on a free port of the loopback interface.
class LoopbackListener {
 public:
  LoopbackListener() : descriptor_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (descriptor_ < 0 || bind(descriptor_, generic, length) != 0 ||
        listen(descriptor_, SOMAXCONN) != 0 || getsockname(descriptor_, generic, &length) != 0) {
      Fail("no port on 127.0.0.1");
    }
    port_ = ntohs(address.sin_port);
  }
  LoopbackListener(const LoopbackListener&) = delete;
  ~LoopbackListener() { close(descriptor_); }

  int get() const { return descriptor_; }
  int port() const { return port_; }

 private:
  int descriptor_ = -1;
  int port_ = 0;
};

class Job {
 public:
  Job(const std::vector<std::string>& arguments, int num_ranks) {
    const LoopbackListener listener;
    for (int rank = 0; rank < num_ranks; ++rank) {
      ranks_.emplace_back(
          RankStart{arguments, rank, num_ranks, listener.port(), rank == 0 ? listener.get() : -1});
    }
  }

  /// Waits for the ranks; returns how they ended, in the order in which that was known.
  std::vector<RankOutcome> Run() {
    while (
        std::any_of(ranks_.begin(), ranks_.end(), [](auto& rank) { return !rank.has_ended(); })) {
      if (!WaitForEvent()) KillRanks();
      for (RankProcess& rank : ranks_) {
        rank.ReadReport();
        if (!rank.report().empty()) NoteFailure(rank);
      }
      for (int number = signals_.Take(); number != 0; number = signals_.Take()) {
        if (number != SIGCHLD) PassOn(number);
      }
      for (RankProcess& rank : ranks_) {
        if (rank.Reap() && rank.wait_status() != 0) NoteFailure(rank);
      }
    }
    std::vector<RankOutcome> outcomes;
    for (int rank : failures_) outcomes.push_back(OutcomeOf(ranks_[rank]));
    return outcomes;
  }

  bool was_killed_by_user() const { return was_killed_by_user_; }

 private:
  /// Sleeps until a signal, a report, or the deadline; false at the deadline.
  bool WaitForEvent() {
    std::vector<pollfd> waited{{signals_.get(), POLLIN, 0}};
    for (const RankProcess& rank : ranks_) {
      if (rank.report_descriptor() >= 0) waited.push_back({rank.report_descriptor(), POLLIN, 0});
    }
    int timeout = -1;
    if (deadline_) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(*deadline_ - Clock::now());
      timeout = std::max(0, static_cast<int>(left.count()) + 1);
    }
    return poll(waited.data(), waited.size(), timeout) != 0;
  }

  /// A rank has failed: the others get until the deadline.
  void NoteFailure(const RankProcess& rank) {
    if (std::find(failures_.begin(), failures_.end(), rank.rank()) != failures_.end()) return;
    failures_.push_back(rank.rank());
    if (!deadline_ && !was_killed_) deadline_ = Clock::now() + kGrace;
  }

  void PassOn(int number) {
    if (stop_signal_ != 0 && Clock::now() - stop_time_ < kSameStop) return;
    if (stop_signal_ != 0) {
      was_killed_by_user_ = true;
      KillRanks();
      return;
    }
    stop_signal_ = number;
    stop_time_ = Clock::now();
    for (const RankProcess& rank : ranks_) rank.Signal(number);
  }

  void KillRanks() {
    was_killed_ = true;
    deadline_.reset();
    for (const RankProcess& rank : ranks_) rank.Signal(SIGKILL);
  }

  RankOutcome OutcomeOf(const RankProcess& rank) const {
    RankOutcome outcome;
    outcome.rank = rank.rank();
    outcome.wait_status = rank.wait_status();
    outcome.report = UnpackReport(rank.report());
    if (WIFSIGNALED(rank.wait_status()) && !outcome.report) {
      const int number = WTERMSIG(rank.wait_status());
      outcome.was_killed = was_killed_ && number == SIGKILL && !IsFirstFailure(rank);
      outcome.was_stopped = stop_signal_ != 0 && number == stop_signal_;
    }
    return outcome;
  }

  /// The failure that made the launcher kill the others is not one of its kills.
  bool IsFirstFailure(const RankProcess& rank) const {
    return !was_killed_by_user_ && failures_.front() == rank.rank();
  }

  const SignalDescriptor signals_;  // before the ranks: they inherit the blocked signals
  std::vector<RankProcess> ranks_;
  std::vector<int> failures_;                  // ranks, in the order of their failure
  std::optional<Clock::time_point> deadline_;  // of the ranks that are left after a failure
  bool was_killed_ = false, was_killed_by_user_ = false;
  int stop_signal_ = 0;
  Clock::time_point stop_time_;
};

}  // namespace

int LaunchLocalRanks(const std::vector<std::string>& arguments, int num_ranks) {
  HYPERPP_CHECK_LE(1, num_ranks, "ranks of a job");
  Job job(arguments, num_ranks);
  const std::vector<RankOutcome> failures = job.Run();
  if (job.was_killed_by_user()) {
    Log().Error("the ranks were killed at the second signal");
    return static_cast<int>(ExitStatus::kMachine);
  }
  const JobOutcome outcome = JudgeJob(failures, num_ranks);
  if (!outcome.text.empty()) {
    PrintFailure(outcome.text, outcome.causing_rank.value_or(0),
                 outcome.causing_rank ? num_ranks : 1);
  }
  return outcome.exit_status;
}

}  // namespace hyperpp::launch
