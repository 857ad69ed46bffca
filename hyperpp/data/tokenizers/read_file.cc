#include "hyperpp/data/tokenizers/read_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "hyperpp/core/error.h"

namespace hyperpp::data {

std::string ReadWholeFile(const std::string& path) {
  const auto fail = [&] {
    throw IoError(fmt::format("{}: cannot read: {}", path, std::strerror(errno)));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (!file) fail();
  std::string content;
  char block[1 << 16];
  size_t taken = 0;
  while ((taken = std::fread(block, 1, sizeof(block), file.get())) > 0) {
    content.append(block, taken);
  }
  if (std::ferror(file.get())) fail();  // for example a folder
  return content;
}

}  // namespace hyperpp::data
