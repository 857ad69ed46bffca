// Lines for people. A Log writes to standard output (what happens) and standard error (what is
// wrong), each line whole, so that lines of several ranks do not mix.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

namespace hyperpp {

/// Writer of one process's lines. Ranks other than 0 say only warnings and errors, with their rank.
class Log {
 public:
  Log() = default;
  Log(int rank, int world_size) : rank_(rank), world_size_(world_size) {}

  template <typename... Args>
  void Info(fmt::format_string<Args...> text, Args&&... args) const {
    if (rank_ == 0) WriteLine(1, fmt::format(text, std::forward<Args>(args)...));
  }
  template <typename... Args>
  void Warning(fmt::format_string<Args...> text, Args&&... args) const {
    WriteLine(2, Prefix() + "warning: " + fmt::format(text, std::forward<Args>(args)...));
  }
  template <typename... Args>
  void Error(fmt::format_string<Args...> text, Args&&... args) const {
    WriteLine(2, Prefix() + "error: " + fmt::format(text, std::forward<Args>(args)...));
  }

  int rank() const { return rank_; }

 private:
  static void WriteLine(int file_descriptor, std::string line);
  std::string Prefix() const;

  int rank_ = 0;
  int world_size_ = 1;
};

}  // namespace hyperpp
