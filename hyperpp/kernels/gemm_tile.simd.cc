#include "hyperpp/kernels/gemm_tile.h"

#include "hyperpp/kernels/simd/transpose.h"
#include "hyperpp/kernels/simd/vector.h"

// The compilers must unroll loops over registers before they allocate registers.
#define HYPERPP_UNROLL _Pragma("GCC unroll 16")

namespace hyperpp::kernels::HYPERPP_BUILD {
namespace {

__mmask16 FirstLanes(int64_t count) {
  return count >= 16 ? 0xffff : static_cast<__mmask16>((1u << (count < 0 ? 0 : count)) - 1);
}

// Packs up to 16 lanes of a panel of `width` words whose pairs lie side by side in memory.
void PackTransposed(const GemmOperand& operand, int64_t count, int64_t inner, int64_t width,
                    __mmask16 lanes, uint32_t* panel) {
  const int64_t num_pairs = (inner + 1) / 2;
  for (int64_t first = 0; first < num_pairs; first += 16) {
    const int64_t elements = inner - 2 * first;
    const __mmask32 present =
        elements >= 32 ? 0xffffffffu : static_cast<__mmask32>((1u << elements) - 1);
    Words tile[kLanes];
    HYPERPP_UNROLL
    for (int i = 0; i < kLanes; ++i) {
      const uint16_t* from = operand.data + i * operand.outer_stride + 2 * first;
      tile[i] =
          i < count ? __builtin_bit_cast(Words, _mm512_maskz_loadu_epi16(present, from)) : Words{};
    }
    TransposeTile(tile);
    const int64_t pairs = num_pairs - first;
    HYPERPP_UNROLL
    for (int i = 0; i < kLanes; ++i) {
      if (i >= pairs) break;
      _mm512_mask_storeu_epi32(panel + (first + i) * width, lanes,
                               __builtin_bit_cast(__m512i, tile[i]));
    }
  }
}

// The same where neighbours along the result lie side by side: interleaves two rows.
void PackInterleaved(const GemmOperand& operand, int64_t count, int64_t inner, int64_t width,
                     __mmask16 lanes, uint32_t* panel) {
  const __mmask16 present = FirstLanes(count);
  const auto load = [&](int64_t k) {
    const __m256i row = _mm256_maskz_loadu_epi16(present, operand.data + k * operand.inner_stride);
    // The unmasked one makes GCC 12 warn; a plain conversion it makes in two halves.
    return __builtin_bit_cast(Words, _mm512_maskz_cvtepu16_epi32(0xffff, row));
  };
  for (int64_t k = 0; k < inner; k += 2, panel += width) {
    const Words second = k + 1 < inner ? load(k + 1) << 16 : Words{};
    _mm512_mask_storeu_epi32(panel, lanes, __builtin_bit_cast(__m512i, load(k) | second));
  }
}

template <int64_t width>
void Pack(const GemmOperand& operand, int64_t count, int64_t inner, uint32_t* panel) {
  for (int64_t lane = 0; lane < width; lane += 16) {
    const GemmOperand part{operand.data + lane * operand.outer_stride, operand.outer_stride,
                           operand.inner_stride};
    const auto pack = operand.inner_stride == 1 ? &PackTransposed : &PackInterleaved;
    pack(part, count - lane, inner, width, FirstLanes(width - lane), panel + lane);
  }
}

void StoreRow(const GemmTileOutput& output, int64_t row, int64_t column, Floats values) {
  const __mmask16 lanes = FirstLanes(output.columns - column);
  const int64_t offset = row * output.row_stride + column;
  if (output.kind == GemmOutput::kBf16) {
    _mm256_mask_storeu_epi16(static_cast<uint16_t*>(output.c) + offset, lanes,
                             __builtin_bit_cast(__m256i, RoundToBfloat16(values)));
    return;
  }
  float* c = static_cast<float*>(output.c) + offset;
  if (output.kind == GemmOutput::kFp32Accumulate) values += _mm512_maskz_loadu_ps(lanes, c);
  _mm512_mask_storeu_ps(c, lanes, values);
}

// The instruction is written out: clang 16 crashes on its intrinsic.
inline __m512 AddProducts(__m512 sum, __m512i a, __m512i b) {
  __asm__("vdpbf16ps %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
  return sum;
}

template <int rows>
void MultiplyRows(const uint32_t* a, const uint32_t* b, int64_t pairs,
                  const GemmTileOutput& output) {
  __m512 sums[rows][2];
  HYPERPP_UNROLL
  for (int i = 0; i < rows; ++i) sums[i][0] = sums[i][1] = _mm512_setzero_ps();
  for (int64_t pair = 0; pair < pairs; ++pair, a += kTileRows, b += kTileColumns) {
    const __m512i b0 = _mm512_loadu_si512(b), b1 = _mm512_loadu_si512(b + 16);
    HYPERPP_UNROLL
    for (int i = 0; i < rows; ++i) {
      const __m512i a_i = _mm512_set1_epi32(static_cast<int>(a[i]));
      sums[i][0] = AddProducts(sums[i][0], a_i, b0);
      sums[i][1] = AddProducts(sums[i][1], a_i, b1);
    }
  }
  HYPERPP_UNROLL
  for (int i = 0; i < rows; ++i) {
    if (i >= output.rows) break;
    StoreRow(output, i, 0, sums[i][0]);
    if (output.columns > 16) StoreRow(output, i, 16, sums[i][1]);
  }
}

void Multiply(const uint32_t* a, const uint32_t* b, int64_t pairs, const GemmTileOutput& output) {
  if (output.kind == GemmOutput::kFp32Accumulate) {
    // Old values arrive while the products are summed.
    for (int64_t i = 0; i < output.rows; ++i) {
      const float* row = static_cast<const float*>(output.c) + i * output.row_stride;
      __builtin_prefetch(row, 1);
      if (output.columns > 16) __builtin_prefetch(row + 16, 1);
    }
  }
  if (output.rows <= 4) return MultiplyRows<4>(a, b, pairs, output);
  if (output.rows <= 8) return MultiplyRows<8>(a, b, pairs, output);
  MultiplyRows<kTileRows>(a, b, pairs, output);
}

}  // namespace

const GemmTile kGemmTile{&Pack<kTileRows>, &Pack<kTileColumns>, &Multiply};

}  // namespace hyperpp::kernels::HYPERPP_BUILD
