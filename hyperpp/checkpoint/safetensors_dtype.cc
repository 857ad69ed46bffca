#include "hyperpp/checkpoint/safetensors_dtype.h"

#include <array>
#include <utility>

#include "hyperpp/core/error.h"

namespace hyperpp::checkpoint {

namespace {

constexpr std::array<std::pair<std::string_view, at::ScalarType>, 17> kDtypes = {{
    {"BOOL", at::kBool},
    {"U8", at::kByte},
    {"I8", at::kChar},
    {"U16", at::kUInt16},
    {"I16", at::kShort},
    {"U32", at::kUInt32},
    {"I32", at::kInt},
    {"U64", at::kUInt64},
    {"I64", at::kLong},
    {"F8_E4M3", at::kFloat8_e4m3fn},
    {"F8_E5M2", at::kFloat8_e5m2},
    {"F8_E8M0", at::kFloat8_e8m0fnu},
    {"F16", at::kHalf},
    {"BF16", at::kBFloat16},
    {"F32", at::kFloat},
    {"F64", at::kDouble},
    {"C64", at::kComplexFloat},
}};

}  // namespace

std::optional<at::ScalarType> DtypeFromName(std::string_view name) {
  for (const auto& [known, dtype] : kDtypes)
    if (known == name) return dtype;
  return std::nullopt;
}

std::string DtypeName(at::ScalarType dtype) {
  for (const auto& [name, known] : kDtypes)
    if (known == dtype) return std::string(name);
  throw InternalError(fmt::format("no safetensors name for dtype {}", c10::toString(dtype)));
}

std::string KnownDtypeNames() {
  std::string names;
  for (const auto& [name, dtype] : kDtypes)
    names += (names.empty() ? "" : ", ") + std::string(name);
  return names;
}

}  // namespace hyperpp::checkpoint
