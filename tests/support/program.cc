#include "tests/support/program.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace hyperpp::test {
namespace {

/// A file in memory to which several processes append: their writes do not overwrite each other.
int MakeOutput(const char* name) {
  const int descriptor = memfd_create(name, MFD_CLOEXEC);
  if (descriptor < 0 || fcntl(descriptor, F_SETFL, O_APPEND) != 0) {
    throw std::runtime_error("no file in memory for the output of a program");
  }
  return descriptor;
}

std::string ReadFile(int descriptor) {
  struct stat status {};
  fstat(descriptor, &status);
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  const ssize_t got = pread(descriptor, text.data(), text.size(), 0);
  text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return text;
}

std::vector<std::string> MergedEnvironment(const std::vector<std::string>& changes) {
  std::map<std::string, std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    entries[text.substr(0, text.find('='))] = text;
  }
  for (const std::string& change : changes) {
    const std::string name = change.substr(0, change.find('='));
    if (name.size() == change.size()) {
      entries.erase(name);
    } else {
      entries[name] = change;
    }
  }
  std::vector<std::string> merged;
  for (const auto& [name, entry] : entries) merged.push_back(entry);
  return merged;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Parent and state of a process, from /proc.
bool ReadStat(pid_t pid, char* state, pid_t* parent) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  if (!std::getline(file, text)) return false;
  file.close();
  const std::size_t after_name = text.rfind(')');
  if (after_name == std::string::npos) return false;
  *state = text.at(after_name + 2);
  *parent = std::stoi(text.substr(after_name + 4));
  return true;
}

}  // namespace

Program::Program(const std::vector<std::string>& arguments,
                 const std::vector<std::string>& environment, const std::string& directory)
    : out_(MakeOutput("stdout")), err_(MakeOutput("stderr")) {
  std::vector<std::string> argument_texts = arguments;
  std::vector<std::string> environment_texts = MergedEnvironment(environment);
  const std::vector<char*> argv = Pointers(argument_texts), envp = Pointers(environment_texts);
  const pid_t test = getpid();
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("cannot fork");
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != test || (!directory.empty() && chdir(directory.c_str()) != 0)) _exit(127);
    dup2(out_, STDOUT_FILENO);
    dup2(err_, STDERR_FILENO);
    execve(argv[0], argv.data(), envp.data());
    _exit(127);
  }
}

Program::~Program() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close(out_);
  close(err_);
}

void Program::Signal(int number) const { kill(pid_, number); }

std::string Program::Out() const { return ReadFile(out_); }
std::string Program::Err() const { return ReadFile(err_); }

ProgramResult Program::Wait(std::chrono::milliseconds limit) {
  ProgramResult result;
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  pollfd waited{handle, POLLIN, 0};
  if (poll(&waited, 1, static_cast<int>(limit.count())) == 0) {
    result.timed_out = true;
    kill(pid_, SIGKILL);
  }
  close(handle);
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  if (WIFEXITED(status)) result.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  result.out = Out();
  result.err = Err();
  return result;
}

std::string BuiltProgram(const std::string& name) {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / name).string();
}

ProgramResult RunProgram(const std::vector<std::string>& arguments,
                         const std::vector<std::string>& environment,
                         std::chrono::milliseconds limit) {
  return Program(arguments, environment).Wait(limit);
}

std::vector<pid_t> LiveDescendants(pid_t pid) {
  std::map<pid_t, std::vector<pid_t>> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (!std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; }))
      continue;
    char state = 'Z';
    pid_t parent = 0;
    if (ReadStat(std::stoi(name), &state, &parent) && state != 'Z') {
      children[parent].push_back(std::stoi(name));
    }
  }
  std::vector<pid_t> found = children[pid];
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::vector<pid_t> below = children[found[i]];
    found.insert(found.end(), below.begin(), below.end());
  }
  return found;
}

bool IsAlive(pid_t pid) {
  char state = 'Z';
  pid_t parent = 0;
  return ReadStat(pid, &state, &parent) && state != 'Z';
}

void SleepMilliseconds(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

}  // namespace hyperpp::test
