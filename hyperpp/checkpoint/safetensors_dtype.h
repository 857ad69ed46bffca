// Names of element types in safetensors headers.
// Source: huggingface/safetensors, safetensors/src/tensor.rs (Dtype). The types below one byte (F4,
// F6_E2M3, F6_E3M2) have no counterpart that training reads, and are refused as unknown.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <c10/core/ScalarType.h>

namespace hyperpp::checkpoint {

/// Returns the type called `name` in a header, or nothing if it is not known.
std::optional<at::ScalarType> DtypeFromName(std::string_view name);

/// Returns the name of `dtype` in a header. Errors: InternalError for a type without one.
std::string DtypeName(at::ScalarType dtype);

/// All names, for messages: "BOOL, U8, ...".
std::string KnownDtypeNames();

}  // namespace hyperpp::checkpoint
