#include "hyperpp/comm/arguments.h"

#include <numeric>

#include <fmt/ranges.h>

#include "hyperpp/core/error.h"

namespace hyperpp::comm {

void CheckDense(std::string_view operation, const at::Tensor& tensor) {
  HYPERPP_CHECK(tensor.defined(), "{} of an undefined tensor", operation);
  HYPERPP_CHECK(tensor.is_contiguous(), "{} of a tensor with sizes [{}] and strides [{}]",
                operation, fmt::join(tensor.sizes(), ", "), fmt::join(tensor.strides(), ", "));
}

void CheckParts(std::string_view operation, const at::Tensor& whole, const at::Tensor& part,
                int num_parts) {
  CheckDense(operation, whole);
  CheckDense(operation, part);
  HYPERPP_CHECK_EQ(whole.numel(), num_parts * part.numel(), "{} over {} ranks", operation,
                   num_parts);
  HYPERPP_CHECK(whole.scalar_type() == part.scalar_type(), "{} of {} and {}", operation,
                c10::toString(whole.scalar_type()), c10::toString(part.scalar_type()));
}

void CheckRows(std::string_view operation, const at::Tensor& tensor,
               const std::vector<int64_t>& counts, int num_ranks) {
  CheckDense(operation, tensor);
  HYPERPP_CHECK_LE(1, tensor.dim(), "{} splits dim 0", operation);
  HYPERPP_CHECK_EQ(counts.size(), static_cast<std::size_t>(num_ranks), "{}: one count per rank",
                   operation);
  for (int64_t count : counts) HYPERPP_CHECK_LE(0, count, "{}: rows for one rank", operation);
  HYPERPP_CHECK_EQ(std::accumulate(counts.begin(), counts.end(), int64_t{0}), tensor.size(0),
                   "{}: the counts are the rows of the tensor", operation);
}

void CheckSameRows(std::string_view operation, const at::Tensor& a, const at::Tensor& b) {
  HYPERPP_CHECK(a.sizes().slice(1) == b.sizes().slice(1) && a.scalar_type() == b.scalar_type(),
                "{} of rows [{}] {} and [{}] {}", operation, fmt::join(a.sizes().slice(1), ", "),
                c10::toString(a.scalar_type()), fmt::join(b.sizes().slice(1), ", "),
                c10::toString(b.scalar_type()));
}

void CheckPeer(std::string_view operation, int peer, int own, int num_ranks) {
  HYPERPP_CHECK(peer >= 0 && peer < num_ranks && peer != own, "{}: peer {} of rank {} of {}",
                operation, peer, own, num_ranks);
}

}  // namespace hyperpp::comm
