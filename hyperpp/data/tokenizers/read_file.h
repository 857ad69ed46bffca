// Reads a tokenizer's file into memory.
#pragma once

#include <string>

namespace hyperpp::data {

/// Content of the file at `path`. Errors: IoError with the reason.
std::string ReadWholeFile(const std::string& path);

}  // namespace hyperpp::data
