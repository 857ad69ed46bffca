#include "hyperpp/launch/rank_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "hyperpp/core/error.h"
#include "hyperpp/launch/failure_report.h"
#include "hyperpp/launch/own_launcher.h"

namespace hyperpp::launch {
namespace {

/// This process's environment with the variables of the rank in place of those of any other
/// launcher.
std::vector<std::string> RankEnvironment(const RankStart& start, const LauncherHandles& handles) {
  constexpr std::array<std::string_view, 8> kReplaced = {
      "RANK=",        "WORLD_SIZE=",  "LOCAL_RANK=",   "LOCAL_WORLD_SIZE=",
      "MASTER_ADDR=", "MASTER_PORT=", "TORCHELASTIC_", "HYPERPP_LAUNCHER="};
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const bool is_replaced = std::any_of(kReplaced.begin(), kReplaced.end(),
                                         [&](auto name) { return text.starts_with(name); });
    if (!is_replaced) entries.emplace_back(text);
  }
  entries.push_back(fmt::format("RANK={}", start.rank));
  entries.push_back(fmt::format("LOCAL_RANK={}", start.rank));
  entries.push_back(fmt::format("WORLD_SIZE={}", start.num_ranks));
  entries.push_back(fmt::format("LOCAL_WORLD_SIZE={}", start.num_ranks));
  entries.push_back("MASTER_ADDR=127.0.0.1");
  entries.push_back(fmt::format("MASTER_PORT={}", start.master_port));
  entries.push_back(fmt::format("{}={}", kLauncherVariable, PackHandles(getpid(), handles)));
  return entries;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// What runs between fork and exec: calls that are safe there, and memory that is ready.
[[noreturn]] void BecomeRank(pid_t launcher, const LauncherHandles& handles, char* const* arguments,
                             char* const* environment, std::string_view failure_report) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launcher) _exit(1);  // it died before prctl took effect
  signal(SIGTTOU, SIG_IGN);             // a background process group may write to the terminal
  fcntl(handles.report_descriptor, F_SETFD, 0);
  if (handles.listen_descriptor >= 0) fcntl(handles.listen_descriptor, F_SETFD, 0);
  execve("/proc/self/exe", arguments, environment);
  if (write(handles.report_descriptor, failure_report.data(), failure_report.size()) < 0) _exit(1);
  _exit(static_cast<int>(ExitStatus::kMachine));
}

}  // namespace

RankProcess::RankProcess(const RankStart& start) : rank_(start.rank) {
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) {
    throw IoError(fmt::format("rank {}: no pipe: {}", rank_, strerror(errno)));
  }
  const LauncherHandles handles{pipe_ends[1], start.listen_descriptor};
  std::vector<std::string> argument_texts = start.arguments;
  std::vector<std::string> environment_texts = RankEnvironment(start, handles);
  const std::vector<char*> arguments = Pointers(argument_texts);
  const std::vector<char*> environment = Pointers(environment_texts);
  const std::string failure_report = PackReport(
      {static_cast<int>(ExitStatus::kMachine), false,
       fmt::format("rank {} could not be started: exec of /proc/self/exe failed", rank_)});
  const pid_t launcher = getpid();
  pid_ = fork();
  if (pid_ == 0) {
    BecomeRank(launcher, handles, arguments.data(), environment.data(), failure_report);
  }
  const int error = errno;
  close(pipe_ends[1]);
  report_descriptor_ = pipe_ends[0];
  fcntl(report_descriptor_, F_SETFL, O_NONBLOCK);
  if (pid_ < 0) {
    close(report_descriptor_);
    throw IoError(fmt::format("rank {}: no process: {}", rank_, strerror(error)));
  }
}

RankProcess::RankProcess(RankProcess&& other) noexcept
    : rank_(other.rank_),
      pid_(std::exchange(other.pid_, -1)),
      report_descriptor_(std::exchange(other.report_descriptor_, -1)),
      has_ended_(std::exchange(other.has_ended_, true)),
      wait_status_(other.wait_status_),
      report_(std::move(other.report_)) {}

RankProcess::~RankProcess() {
  if (!has_ended_ && pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  if (report_descriptor_ >= 0) close(report_descriptor_);
}

void RankProcess::Signal(int number) const {
  if (!has_ended_) kill(pid_, number);
}

void RankProcess::ReadReport() {
  char buffer[4096];
  while (report_descriptor_ >= 0) {
    const ssize_t got = read(report_descriptor_, buffer, sizeof buffer);
    if (got > 0) {
      report_.append(buffer, static_cast<std::size_t>(got));
      continue;
    }
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    close(report_descriptor_);
    report_descriptor_ = -1;
  }
}

bool RankProcess::Reap() {
  if (has_ended_ || waitpid(pid_, &wait_status_, WNOHANG) != pid_) return false;
  has_ended_ = true;
  ReadReport();
  return true;
}

}  // namespace hyperpp::launch
