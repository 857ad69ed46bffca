#include "hyperpp/plan/support.h"

#include <fmt/format.h>

namespace hyperpp::plan {

std::vector<std::pair<std::string, std::string>> Unsupported(const config::Config& config) {
  std::vector<std::pair<std::string, std::string>> found;
  const auto refuse_if = [&](bool used, const char* key, const std::string& value,
                             const char* advice) {
    if (used) found.emplace_back(key, fmt::format("{} is not supported yet; {}", value, advice));
  };
  const config::AcceleratorSection& accelerator = config.accelerator;
  const auto degree = [&](const char* key, int64_t size) {
    refuse_if(size > 1, key, fmt::format("{}", size), "use 1");
  };
  degree("accelerator.ep_size", accelerator.ep_size);

  using config::DType;
  refuse_if(config.precision.param_dtype == DType::kBFloat16, "precision.param_dtype", "bfloat16",
            "use float32");
  refuse_if(config.precision.reduce_dtype == DType::kBFloat16, "precision.reduce_dtype", "bfloat16",
            "use float32");
  return found;
}

}  // namespace hyperpp::plan
