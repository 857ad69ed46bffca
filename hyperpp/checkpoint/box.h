// A box is the part of a tensor that one rank holds: where it starts and how large it is, in every
// dimension. Checkpoints are collections of boxes, and loading is the intersection of two of them:
//
//     saved by 2 ranks (rows)      wanted by rank 1 of 3        read
//     +---------+ rows 0-2         +---------+
//     |  rank 0 |                  |         | rows 0-1
//     +---------+ rows 3-5         +=========+ rows 2-3         row 2 of rank 0's box,
//     |  rank 1 |                  |         | rows 4-5         row 3 of rank 1's
//     +---------+                  +---------+
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

namespace hyperpp::checkpoint {

struct Box {
  std::vector<int64_t> offsets;
  std::vector<int64_t> sizes;
};

/// Number of elements; 1 for a box without dimensions.
int64_t NumElements(const Box& box);

/// The common part of two boxes of the same tensor, or nothing if they have no element in common.
std::optional<Box> Intersect(const Box& a, const Box& b);

/// True if `box` lies inside a tensor of `shape` and has as many dimensions.
bool Fits(const Box& box, const std::vector<int64_t>& shape);

/// The part of `tensor` that `box` describes, where the tensor's first element is at `origin`.
at::Tensor Narrow(const at::Tensor& tensor, const Box& box, const std::vector<int64_t>& origin);

/// The boxes that elements [first, first + count) of a tensor of `shape`, flattened row-major, are
/// made of, in order: rows in part at both ends, whole rows between them. Each box is contiguous.
std::vector<Box> BoxesOfFlatRange(const std::vector<int64_t>& shape, int64_t first, int64_t count);

/// Says what is wrong if `boxes` do not cover a tensor of `shape` exactly once; "" if they do.
std::string DescribeTilingError(const std::vector<Box>& boxes, const std::vector<int64_t>& shape);

/// "[0:4, 8:16]"
std::string ToText(const Box& box);

}  // namespace hyperpp::checkpoint
