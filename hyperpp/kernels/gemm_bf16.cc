#include "hyperpp/kernels/gemm_bf16.h"

#include <algorithm>
#include <memory>

#include <ATen/Parallel.h>

#include "hyperpp/core/error.h"
#include "hyperpp/core/round_up.h"
#include "hyperpp/kernels/cpu_features.h"
#include "hyperpp/kernels/parallel_for.h"

namespace hyperpp::kernels {
namespace {

// Inner elements per block. With 1024, a panel of B takes 64 KiB and one of A 24 KiB.
constexpr int64_t kInnerBlock = 1024;
// Panels of the larger side that are packed at a time: about 200 to 256 KiB.
constexpr int64_t kPiecePanels = 8;

// How many of the `threads` divide the rows: the split with the least packing in total.
int64_t RowParts(int64_t threads, int64_t rows, int64_t columns) {
  int64_t best = 1, least = INT64_MAX;
  for (int64_t parts = 1; parts <= threads; ++parts) {
    if (threads % parts != 0) continue;
    const int64_t work_rows = CeilDivide(CeilDivide(rows, kTileRows), parts) * kTileRows;
    const int64_t work_columns =
        CeilDivide(CeilDivide(columns, kTileColumns), threads / parts) * kTileColumns;
    // Packing a word costs about as much as multiplying it with 8 others.
    const int64_t cost = work_rows * work_columns + 8 * (work_rows + work_columns);
    if (cost < least) {
      least = cost;
      best = parts;
    }
  }
  return best;
}

// One thread's rectangle of the result, in panels.
struct Rectangle {
  int64_t first_row, num_row_panels, first_column, num_column_panels;
};

#if defined(__x86_64__)

class RectangleProduct {
 public:
  RectangleProduct(const Bf16Product& product, const Rectangle& rectangle)
      : product_(product), rectangle_(rectangle) {}

  void Run() {
    const int64_t inner_block = product_.kind == GemmOutput::kBf16 ? product_.inner : kInnerBlock;
    const int64_t pairs = CeilDivide(std::min(inner_block, product_.inner), 2);
    const bool rows_are_larger =
        rectangle_.num_row_panels * kTileRows >= rectangle_.num_column_panels * kTileColumns;
    row_room_ = rows_are_larger ? std::min(kPiecePanels, rectangle_.num_row_panels)
                                : rectangle_.num_row_panels;
    column_room_ = rows_are_larger ? rectangle_.num_column_panels
                                   : std::min(kPiecePanels, rectangle_.num_column_panels);
    a_panel_words_ = pairs * kTileRows;
    b_panel_words_ = pairs * kTileColumns;
    a_panels_.reset(new uint32_t[row_room_ * a_panel_words_]);
    b_panels_.reset(new uint32_t[column_room_ * b_panel_words_]);
    for (int64_t first = 0; first < product_.inner; first += inner_block) {
      inner_first_ = first;
      inner_size_ = std::min(inner_block, product_.inner - first);
      rows_are_larger ? WalkRows() : WalkColumns();
    }
  }

 private:
  void WalkRows() {
    PackColumns(0, rectangle_.num_column_panels);
    for (int64_t first = 0; first < rectangle_.num_row_panels; first += row_room_) {
      const int64_t count = std::min(row_room_, rectangle_.num_row_panels - first);
      PackRows(first, count);
      Multiply(first, count, 0, rectangle_.num_column_panels);
    }
  }

  void WalkColumns() {
    PackRows(0, rectangle_.num_row_panels);
    for (int64_t first = 0; first < rectangle_.num_column_panels; first += column_room_) {
      const int64_t count = std::min(column_room_, rectangle_.num_column_panels - first);
      PackColumns(first, count);
      Multiply(0, rectangle_.num_row_panels, first, count);
    }
  }

  int64_t Row(int64_t panel) const { return rectangle_.first_row + panel * kTileRows; }
  int64_t Column(int64_t panel) const { return rectangle_.first_column + panel * kTileColumns; }

  static GemmOperand At(const GemmOperand& operand, int64_t outer, int64_t inner) {
    return {operand.data + outer * operand.outer_stride + inner * operand.inner_stride,
            operand.outer_stride, operand.inner_stride};
  }

  void PackRows(int64_t first, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t row = Row(first + i);
      tile_.pack_rows(At(product_.a, row, inner_first_), std::min(kTileRows, product_.rows - row),
                      inner_size_, a_panels_.get() + i * a_panel_words_);
    }
  }

  void PackColumns(int64_t first, int64_t count) {
    for (int64_t j = 0; j < count; ++j) {
      const int64_t column = Column(first + j);
      tile_.pack_columns(At(product_.b, column, inner_first_),
                         std::min(kTileColumns, product_.columns - column), inner_size_,
                         b_panels_.get() + j * b_panel_words_);
    }
  }

  // Makes the tiles of packed rows and columns; `first_*` name the panels that were packed first.
  void Multiply(int64_t first_row, int64_t num_rows, int64_t first_column, int64_t num_columns) {
    const int64_t element_bytes = product_.kind == GemmOutput::kBf16 ? 2 : 4;
    const GemmOutput kind = inner_first_ > 0 ? GemmOutput::kFp32Accumulate : product_.kind;
    for (int64_t j = 0; j < num_columns; ++j) {
      const int64_t column = Column(first_column + j);
      for (int64_t i = 0; i < num_rows; ++i) {
        const int64_t row = Row(first_row + i);
        char* c =
            static_cast<char*>(product_.c) + (row * product_.c_row_stride + column) * element_bytes;
        tile_.multiply(a_panels_.get() + i * a_panel_words_, b_panels_.get() + j * b_panel_words_,
                       CeilDivide(inner_size_, 2),
                       {kind, c, product_.c_row_stride, std::min(kTileRows, product_.rows - row),
                        std::min(kTileColumns, product_.columns - column)});
      }
    }
  }

  const GemmTile& tile_ = avx512::kGemmTile;
  const Bf16Product& product_;
  const Rectangle rectangle_;
  int64_t row_room_ = 0, column_room_ = 0, a_panel_words_ = 0, b_panel_words_ = 0;
  int64_t inner_first_ = 0, inner_size_ = 0;
  std::unique_ptr<uint32_t[]> a_panels_, b_panels_;
};

#endif

}  // namespace

bool CanMultiplyBf16() { return Cpu().avx512_bf16; }

void MultiplyBf16(const Bf16Product& product) {
  HYPERPP_CHECK(CanMultiplyBf16(), "bf16 product without AVX512_BF16");
#if defined(__x86_64__)
  const int64_t row_panels = CeilDivide(product.rows, kTileRows);
  const int64_t column_panels = CeilDivide(product.columns, kTileColumns);
  const int64_t threads = std::max<int64_t>(1, at::get_num_threads());
  const int64_t row_parts = RowParts(threads, product.rows, product.columns);
  const int64_t column_parts = threads / row_parts;
  ParallelFor(0, threads, 1, [&](int64_t first, int64_t last) {
    for (int64_t part = first; part < last; ++part) {
      const int64_t i = part / column_parts, j = part % column_parts;
      const int64_t row_begin = row_panels * i / row_parts;
      const int64_t row_end = row_panels * (i + 1) / row_parts;
      const int64_t column_begin = column_panels * j / column_parts;
      const int64_t column_end = column_panels * (j + 1) / column_parts;
      if (row_begin == row_end || column_begin == column_end) continue;
      RectangleProduct(product, {row_begin * kTileRows, row_end - row_begin,
                                 column_begin * kTileColumns, column_end - column_begin})
          .Run();
    }
  });
#endif
}

}  // namespace hyperpp::kernels
