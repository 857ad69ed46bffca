#include "hyperpp/models/spec/families.h"

#include "hyperpp/models/spec/families/llama.h"
#include "hyperpp/models/spec/families/qwen2.h"
#include "hyperpp/models/spec/families/qwen3.h"

namespace hyperpp::models {
namespace {

constexpr Family kFamilies[] = {
    {"llama", ReadLlama, DensePlacements},
    {"qwen2", ReadQwen2, DensePlacements},
    {"qwen3", ReadQwen3, DensePlacements},
};

}  // namespace

std::span<const Family> Families() { return kFamilies; }

const Family* FindFamily(std::string_view model_type) {
  for (const Family& family : kFamilies)
    if (family.model_type == model_type) return &family;
  return nullptr;
}

std::string ListFamilies() {
  std::string list;
  for (const Family& family : kFamilies) {
    if (!list.empty()) list += ", ";
    list += family.model_type;
  }
  return list;
}

}  // namespace hyperpp::models
