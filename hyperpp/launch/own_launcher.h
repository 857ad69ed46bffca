// What hyperpp's launcher hands to the ranks that it starts, beside torchrun's variables:
// descriptors, in one variable together with the launcher's process number, so that a program which
// merely inherited the variable does not take foreign descriptors for its own.
//
//     HYPERPP_LAUNCHER=4711:5:6     launcher 4711, report pipe 5, listening socket 6 (-1: none)
#pragma once

#include <optional>
#include <string>
#include <sys/types.h>

namespace hyperpp::launch {

inline constexpr const char* kLauncherVariable = "HYPERPP_LAUNCHER";

struct LauncherHandles {
  int report_descriptor = -1;
  int listen_descriptor = -1;
};

/// Writes the value of the variable.
std::string PackHandles(pid_t launcher, const LauncherHandles& handles);
/// Reads it back; nothing if it is malformed or from another launcher than `launcher`.
std::optional<LauncherHandles> UnpackHandles(const std::string& value, pid_t launcher);

}  // namespace hyperpp::launch
