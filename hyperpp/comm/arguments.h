// Checks of what is handed to a collective. Gloo sends wrong bytes for a view and ends the process
// when sizes disagree, so every group checks first; a failed check is an InternalError of the
// caller.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <ATen/core/Tensor.h>

namespace hyperpp::comm {

/// Requires `tensor` to be defined, dense and contiguous.
void CheckDense(std::string_view operation, const at::Tensor& tensor);
/// Requires `whole` to hold `num_parts` times `part`, in the same dtype.
void CheckParts(std::string_view operation, const at::Tensor& whole, const at::Tensor& part,
                int num_parts);
/// Requires one count per rank, non-negative, that together are the rows of `tensor`.
void CheckRows(std::string_view operation, const at::Tensor& tensor,
               const std::vector<int64_t>& counts, int num_ranks);
/// Requires rows of `a` and `b` to have the same shape and dtype.
void CheckSameRows(std::string_view operation, const at::Tensor& a, const at::Tensor& b);
/// Requires `peer` to be another member of a group of `num_ranks`.
void CheckPeer(std::string_view operation, int peer, int own, int num_ranks);

}  // namespace hyperpp::comm
