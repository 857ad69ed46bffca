// How much memory this process has used.
#pragma once

#include <cstdint>

namespace hyperpp::trainer {

/// Largest resident set of this process so far, in bytes.
int64_t PeakMemoryBytes();

}  // namespace hyperpp::trainer
