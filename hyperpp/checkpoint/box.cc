#include "hyperpp/checkpoint/box.h"

#include <algorithm>

#include <fmt/ranges.h>

namespace hyperpp::checkpoint {

int64_t NumElements(const Box& box) {
  int64_t n = 1;
  for (int64_t size : box.sizes) n *= size;
  return n;
}

std::optional<Box> Intersect(const Box& a, const Box& b) {
  Box common;
  for (size_t dim = 0; dim < a.offsets.size(); ++dim) {
    const int64_t begin = std::max(a.offsets[dim], b.offsets[dim]);
    const int64_t end = std::min(a.offsets[dim] + a.sizes[dim], b.offsets[dim] + b.sizes[dim]);
    if (end <= begin) return std::nullopt;
    common.offsets.push_back(begin);
    common.sizes.push_back(end - begin);
  }
  return common;
}

bool Fits(const Box& box, const std::vector<int64_t>& shape) {
  if (box.offsets.size() != shape.size() || box.sizes.size() != shape.size()) return false;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (box.offsets[dim] < 0 || box.sizes[dim] < 0 || box.offsets[dim] > shape[dim] ||
        box.sizes[dim] > shape[dim] - box.offsets[dim])
      return false;
  }
  return true;
}

at::Tensor Narrow(const at::Tensor& tensor, const Box& box, const std::vector<int64_t>& origin) {
  at::Tensor part = tensor;
  for (size_t dim = 0; dim < box.offsets.size(); ++dim)
    part = part.narrow(static_cast<int64_t>(dim), box.offsets[dim] - origin[dim], box.sizes[dim]);
  return part;
}

std::vector<Box> BoxesOfFlatRange(const std::vector<int64_t>& shape, int64_t first, int64_t count) {
  if (count == 0) return {};
  if (shape.empty()) return {Box{}};
  int64_t row = 1;  // elements of one index of dim 0
  for (std::size_t d = 1; d < shape.size(); ++d) row *= shape[d];
  const std::vector<int64_t> rest(shape.begin() + 1, shape.end());
  std::vector<Box> boxes;
  const auto append_part_of_row = [&](int64_t index, int64_t begin, int64_t size) {
    for (Box& inner : BoxesOfFlatRange(rest, begin, size)) {
      inner.offsets.insert(inner.offsets.begin(), index);
      inner.sizes.insert(inner.sizes.begin(), 1);
      boxes.push_back(std::move(inner));
    }
  };
  const int64_t end = first + count;
  for (int64_t at = first; at < end;) {
    const int64_t index = at / row, begin = at % row;
    const int64_t whole_rows = (end - at) / row;
    if (begin == 0 && whole_rows > 0) {
      Box box{std::vector<int64_t>(shape.size(), 0), shape};
      box.offsets[0] = index;
      box.sizes[0] = whole_rows;
      boxes.push_back(std::move(box));
      at += whole_rows * row;
    } else {
      const int64_t size = std::min(row - begin, end - at);
      append_part_of_row(index, begin, size);
      at += size;
    }
  }
  return boxes;
}

std::string DescribeTilingError(const std::vector<Box>& boxes, const std::vector<int64_t>& shape) {
  int64_t covered = 0;
  for (size_t i = 0; i < boxes.size(); ++i) {
    if (!Fits(boxes[i], shape))
      return fmt::format("the part {} lies outside the shape [{}]", ToText(boxes[i]),
                         fmt::join(shape, ", "));
    for (size_t j = 0; j < i; ++j) {
      if (Intersect(boxes[i], boxes[j]))
        return fmt::format("the parts {} and {} overlap", ToText(boxes[j]), ToText(boxes[i]));
    }
    covered += NumElements(boxes[i]);
  }
  // Parts that lie inside and do not overlap cover everything exactly if their sizes add up.
  const int64_t wanted = NumElements({std::vector<int64_t>(shape.size(), 0), shape});
  if (covered == wanted) return "";
  return fmt::format("{} of {} elements are there", covered, wanted);
}

std::string ToText(const Box& box) {
  std::string text;
  for (size_t dim = 0; dim < box.offsets.size(); ++dim)
    text += fmt::format("{}{}:{}", dim == 0 ? "" : ", ", box.offsets[dim],
                        box.offsets[dim] + box.sizes[dim]);
  return "[" + text + "]";
}

}  // namespace hyperpp::checkpoint
