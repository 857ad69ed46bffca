#include "hyperpp/launch/own_launcher.h"

#include <cstdio>

#include <fmt/format.h>

namespace hyperpp::launch {

std::string PackHandles(pid_t launcher, const LauncherHandles& handles) {
  return fmt::format("{}:{}:{}", launcher, handles.report_descriptor, handles.listen_descriptor);
}

std::optional<LauncherHandles> UnpackHandles(const std::string& value, pid_t launcher) {
  LauncherHandles handles;
  int process = 0;
  const int num_read = std::sscanf(value.c_str(), "%d:%d:%d", &process, &handles.report_descriptor,
                                   &handles.listen_descriptor);
  if (num_read != 3 || process != launcher) return std::nullopt;
  return handles;
}

}  // namespace hyperpp::launch
