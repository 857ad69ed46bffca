#include "hyperpp/config/problems.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hyperpp::config {

std::string Problems::Text() const { return fmt::format("{}", fmt::join(lines_, "\n")); }

}  // namespace hyperpp::config
