#include "tests/support/rank_server.h"

#include <arpa/inet.h>
#include <csignal>
#include <cstdint>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace hyperpp::test {
namespace {

using Clock = std::chrono::steady_clock;

/// The test's end of its line to the server. GoogleTest gives tests no argument to carry it in.
int& ServerLine() {
  static int descriptor = -1;
  return descriptor;
}

void WriteAll(int descriptor, const void* data, std::size_t size) {
  const char* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = write(descriptor, bytes, size);
    if (written <= 0) throw std::runtime_error("the rank server has ended");
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
}

bool ReadAll(int descriptor, void* data, std::size_t size) {
  char* bytes = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = read(descriptor, bytes, size);
    if (got <= 0) return false;
    bytes += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

void WriteNumber(int descriptor, int64_t value) { WriteAll(descriptor, &value, sizeof value); }

int64_t ReadNumber(int descriptor) {
  int64_t value = -1;
  return ReadAll(descriptor, &value, sizeof value) ? value : -1;
}

void WriteText(int descriptor, const std::string& text) {
  WriteNumber(descriptor, static_cast<int64_t>(text.size()));
  WriteAll(descriptor, text.data(), text.size());
}

std::string ReadText(int descriptor) {
  const int64_t size = ReadNumber(descriptor);
  std::string text(size < 0 ? 0 : static_cast<std::size_t>(size), '\0');
  ReadAll(descriptor, text.data(), text.size());
  return text;
}

/// A socket that listens on a free port of the loopback interface.
int Listen(int* port) {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  if (bind(descriptor, reinterpret_cast<sockaddr*>(&address), length) != 0 ||
      listen(descriptor, 64) != 0 ||
      getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    throw std::runtime_error("cannot listen on 127.0.0.1");
  }
  *port = ntohs(address.sin_port);
  return descriptor;
}

struct RunningRank {
  pid_t pid = -1;
  int pipe = -1;  // -1 once the rank has closed its end
  RankResult result;
};

/// Reads what ranks write until all have ended; kills those that outlive `end`.
void Supervise(std::vector<RunningRank>& ranks, Clock::time_point end) {
  bool killed = false;
  for (;;) {
    std::vector<pollfd> waited;
    std::vector<RunningRank*> owners;
    for (RunningRank& rank : ranks) {
      if (rank.pipe < 0) continue;
      waited.push_back({rank.pipe, POLLIN, 0});
      owners.push_back(&rank);
    }
    if (waited.empty()) break;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    const int timeout = killed ? -1 : static_cast<int>(std::max<int64_t>(0, left.count()));
    if (poll(waited.data(), waited.size(), timeout) == 0) {
      for (RunningRank* rank : owners) {
        rank->result.timed_out = true;
        kill(rank->pid, SIGKILL);
      }
      killed = true;
      continue;
    }
    for (std::size_t i = 0; i < waited.size(); ++i) {
      if (waited[i].revents == 0) continue;
      char buffer[4096];
      const ssize_t got = read(waited[i].fd, buffer, sizeof buffer);
      if (got > 0) {
        owners[i]->result.records.append(buffer, static_cast<std::size_t>(got));
      } else {
        close(waited[i].fd);
        owners[i]->pipe = -1;
      }
    }
  }
  for (RunningRank& rank : ranks) waitpid(rank.pid, &rank.result.wait_status, 0);
}

/// Serves requests until the test process ends; returns in each rank.
RankTask Serve(int line) {
  const pid_t server = getpid();
  for (;;) {
    const std::string test = ReadText(line);
    if (test.empty()) _exit(0);
    RankTask task;
    task.test = test;
    task.call = static_cast<int>(ReadNumber(line));
    const int num_ranks = static_cast<int>(ReadNumber(line));
    const Clock::time_point end = Clock::now() + std::chrono::milliseconds(ReadNumber(line));

    task.identity.world_size = task.identity.local_world_size = num_ranks;
    const int listener = Listen(&task.identity.master_port);
    std::vector<RunningRank> ranks(num_ranks);
    for (int rank = 0; rank < num_ranks; ++rank) {
      int ends[2];
      if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe for a rank");
      ranks[rank].pipe = ends[0];
      ranks[rank].pid = fork();
      if (ranks[rank].pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != server) _exit(1);
        for (int other = 0; other <= rank; ++other) close(ranks[other].pipe);
        close(line);
        task.identity.rank = task.identity.local_rank = rank;
        task.identity.listen_descriptor = rank == 0 ? listener : -1;
        if (rank != 0) close(listener);
        task.result_descriptor = ends[1];
        return task;
      }
      close(ends[1]);
    }
    close(listener);
    Supervise(ranks, end);
    for (const RunningRank& rank : ranks) {
      WriteNumber(line, rank.result.wait_status);
      WriteNumber(line, rank.result.timed_out);
      WriteText(line, rank.result.records);
    }
  }
}

}  // namespace

std::optional<RankTask> RankServer::Start() {
  int line[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line) != 0) {
    throw std::runtime_error("no socket pair for the rank server");
  }
  const pid_t test = getpid();
  if (fork() == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != test) _exit(1);
    close(line[0]);
    return Serve(line[1]);
  }
  close(line[1]);
  ServerLine() = line[0];
  return std::nullopt;
}

std::vector<RankResult> RankServer::Run(const RankRequest& request) {
  const int line = ServerLine();
  WriteText(line, request.test);
  WriteNumber(line, request.call);
  WriteNumber(line, request.num_ranks);
  WriteNumber(line, request.time_limit.count());
  std::vector<RankResult> results(request.num_ranks);
  for (RankResult& result : results) {
    result.wait_status = static_cast<int>(ReadNumber(line));
    result.timed_out = ReadNumber(line) != 0;
    result.records = ReadText(line);
  }
  return results;
}

}  // namespace hyperpp::test
