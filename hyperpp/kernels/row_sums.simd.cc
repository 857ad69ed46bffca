#include "hyperpp/kernels/row_sums.h"

#include "hyperpp/kernels/simd/vector.h"

namespace hyperpp::kernels::HYPERPP_BUILD {
namespace {

template <typename T>
void AddRow(const T* row, float* sum, int64_t size) {
  ForEachVector(size, [&](int64_t i, auto span) {
    span.Store(sum + i, span.Load(sum + i) + span.Load(row + i));
  });
}

// Blocks of rows are summed apart, so that rounding errors stay small over many rows.
template <typename T>
void AddColumns(const T* rows, int64_t row_stride, int64_t num_rows, float* sum, int64_t size) {
  constexpr int64_t kBlock = 64;
  ForEachVector(size, [&](int64_t i, auto span) {
    Floats total{};
    for (int64_t first = 0; first < num_rows; first += kBlock) {
      const int64_t last = first + kBlock < num_rows ? first + kBlock : num_rows;
      Floats block{};
      for (int64_t row = first; row < last; ++row) block += span.Load(rows + row * row_stride + i);
      total += block;
    }
    span.Store(sum + i, span.Load(sum + i) + total);
  });
}

void AddRowFp32(const float* row, float* sum, int64_t size) { AddRow(row, sum, size); }

void AddRowBf16(const uint16_t* row, float* sum, int64_t size) {
  AddRow(AsBfloat16(row), sum, size);
}

void AddColumnsFp32(const float* rows, int64_t row_stride, int64_t num_rows, float* sum,
                    int64_t size) {
  AddColumns(rows, row_stride, num_rows, sum, size);
}

void AddColumnsBf16(const uint16_t* rows, int64_t row_stride, int64_t num_rows, float* sum,
                    int64_t size) {
  AddColumns(AsBfloat16(rows), row_stride, num_rows, sum, size);
}

}  // namespace

const RowSums kRowSums{&AddRowFp32, &AddRowBf16, &AddColumnsFp32, &AddColumnsBf16};

}  // namespace hyperpp::kernels::HYPERPP_BUILD
