#include "tests/models/spec/reference.h"

#include <fstream>

namespace hyperpp::models {

nlohmann::json ReadReference(const std::string& name) {
  std::ifstream stream(std::string(HYPERPP_REFERENCE_DIR) + "/" + name);
  return nlohmann::json::parse(stream);
}

}  // namespace hyperpp::models
