// Sums of rows into fp32, on raw memory, built per instruction set. bf16 is passed as uint16_t.
#pragma once

#include <cstdint>

#include "hyperpp/kernels/simd/builds.h"

namespace hyperpp::kernels {

struct RowSums {
  /// sum[i] += row[i]
  void (*add_row_fp32)(const float* row, float* sum, int64_t size);
  void (*add_row_bf16)(const uint16_t* row, float* sum, int64_t size);
  /// sum[i] += rows[0][i] + rows[1][i] + ...; rows `row_stride` elements apart.
  void (*add_columns_fp32)(const float* rows, int64_t row_stride, int64_t num_rows, float* sum,
                           int64_t size);
  void (*add_columns_bf16)(const uint16_t* rows, int64_t row_stride, int64_t num_rows, float* sum,
                           int64_t size);
};

HYPERPP_DECLARE_BUILDS(RowSums, kRowSums);

}  // namespace hyperpp::kernels
