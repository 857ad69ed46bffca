#include "hyperpp/core/log.h"

#include <unistd.h>

namespace hyperpp {

void Log::WriteLine(int file_descriptor, std::string line) {
  line += '\n';
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = write(file_descriptor, rest.data(), rest.size());
    if (written <= 0) return;  // nobody reads: a closed terminal must not end the run
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string Log::Prefix() const {
  return world_size_ == 1 ? "hyperpp: " : fmt::format("hyperpp: rank {}: ", rank_);
}

}  // namespace hyperpp
