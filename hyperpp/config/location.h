// Where a key was written, so that a mistake found later can still name its line.
//
//     run.yaml, line 12: optimizer.lr     written in the file
//     --set optimizer.lr                  given on the command line
//     run.yaml: optimizer.lr              not written: the default
//     optimizer.lr                        a Config made in C++
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace hyperpp::config {

struct Location {
  std::string source = {};    // name of the file; empty if there is none
  int line = 0;               // from 1; 0: not on a line
  bool command_line = false;  // given with --set

  /// Returns the head of a message about the key `path`.
  std::string At(std::string_view path) const;
};

/// Locations of all keys that were written.
class KeyLocations {
 public:
  KeyLocations() = default;
  explicit KeyLocations(Location file) : file_(std::move(file)) {}
  void Set(const std::string& path, Location location) { keys_[path] = std::move(location); }
  /// Head of a message about `path`: its own place, else that of the section around it.
  std::string At(const std::string& path) const;

 private:
  Location file_;
  std::map<std::string, Location> keys_;
};

}  // namespace hyperpp::config
