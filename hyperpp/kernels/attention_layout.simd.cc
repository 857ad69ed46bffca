#include "hyperpp/kernels/attention_layout.h"

#include "hyperpp/kernels/simd/transpose.h"
#include "hyperpp/kernels/simd/vector.h"

namespace hyperpp::kernels::HYPERPP_BUILD {
namespace {

constexpr int64_t kBlock = kAttentionBlock;
constexpr int64_t kRowsAhead = 8;  // rows of a head are too far apart for the CPU's own prefetch

template <typename T>
const T* Row(const HeadRows& rows, int64_t row) {
  return static_cast<const T*>(rows.data) + row * rows.stride;
}

template <typename T>
T* Row(const MutableHeadRows& rows, int64_t row) {
  return static_cast<T*>(rows.data) + row * rows.stride;
}

// Dims [d, d + kLanes) of one row, zeros outside the tensor.
template <typename T>
Floats LoadPadded(const HeadRows& from, int64_t row, int64_t d) {
  if (row >= from.num_rows || d >= from.head_dim) return Floats{};
  const T* data = Row<T>(from, row) + d;
  if (d + kLanes <= from.head_dim) return Load(data);
  return PartialSpan{from.head_dim - d}.Load(data);
}

template <typename T>
void StoreUnpadded(T* row, int64_t head_dim, int64_t d, Floats values) {
  if (d + kLanes <= head_dim)
    Store(row + d, values);
  else if (d < head_dim)
    PartialSpan{head_dim - d}.Store(row + d, values);
}

template <typename T, typename E>
void LoadRows(const HeadRows& from, int64_t num_tokens, int64_t padded_dim, void* to) {
  E* rows = static_cast<E*>(to);
  for (int64_t row = 0; row < num_tokens; ++row)
    for (int64_t d = 0; d < padded_dim; d += kLanes)
      Store(rows + row * padded_dim + d, LoadPadded<T>(from, row, d));
}

// The same where nothing is converted.
template <typename T>
void CopyRows(const HeadRows& from, int64_t num_tokens, int64_t padded_dim, void* to) {
  T* rows = static_cast<T*>(to);
  const int64_t head_dim = from.head_dim, num_rows = from.num_rows;
  for (int64_t row = 0; row < num_rows; ++row) {
    __builtin_prefetch(Row<T>(from, row) + kRowsAhead * from.stride);
    __builtin_memcpy(rows + row * padded_dim, Row<T>(from, row), head_dim * sizeof(T));
    __builtin_memset(rows + row * padded_dim + head_dim, 0, (padded_dim - head_dim) * sizeof(T));
  }
  __builtin_memset(rows + num_rows * padded_dim, 0,
                   (num_tokens - num_rows) * padded_dim * sizeof(T));
}

// bf16 values are exact in fp32, so pairing them is moving upper halves.
void LoadPairedRowsBf16(const HeadRows& from, int64_t num_tokens, int64_t padded_dim, void* to) {
  uint32_t* pairs = static_cast<uint32_t*>(to);
  for (int64_t row = 0; row < num_tokens; row += 2) {
    for (int64_t d = 0; d < padded_dim; d += kLanes) {
      const Words even = FloatsToBits(LoadPadded<Bfloat16>(from, row, d));
      const Words odd = FloatsToBits(LoadPadded<Bfloat16>(from, row + 1, d));
      StoreWords(pairs + row / 2 * padded_dim + d, (even >> 16) | odd);
    }
  }
}

// fp32: the transpose. bf16: two dims of one token are one word.
template <typename E>
void Columns(const void* rows, int64_t num_tokens, int64_t padded_dim, void* to) {
  const int64_t num_words = padded_dim * static_cast<int64_t>(sizeof(E)) / 4;
  uint32_t* columns = static_cast<uint32_t*>(to);
  TransposeWords(static_cast<const uint32_t*>(rows), num_words, num_tokens, num_words,
                 [&](int64_t word, int64_t token, Words words) {
                   StoreWords(columns + word * kBlock + token, words);
                 });
}

void TransposedBf16(const void* rows, int64_t num_tokens, int64_t padded_dim, void* to) {
  uint16_t* transposed = static_cast<uint16_t*>(to);
  TransposeWords(static_cast<const uint32_t*>(rows), padded_dim / 2, num_tokens, padded_dim / 2,
                 [&](int64_t word, int64_t token, Words words) {
                   const HalfWords even = __builtin_convertvector(words & 0xffffu, HalfWords);
                   const HalfWords odd = __builtin_convertvector(words >> 16, HalfWords);
                   uint16_t* pair = transposed + 2 * word * kBlock + token;
                   __builtin_memcpy(pair, &even, sizeof(even));
                   __builtin_memcpy(pair + kBlock, &odd, sizeof(odd));
                 });
}

template <typename T>
void StoreRows(const float* from, int64_t padded_dim, float factor, const MutableHeadRows& to) {
  for (int64_t row = 0; row < to.num_rows; ++row)
    for (int64_t d = 0; d < to.head_dim; d += kLanes)
      StoreUnpadded(Row<T>(to, row), to.head_dim, d, Load(from + row * padded_dim + d) * factor);
}

template <typename T>
void StoreColumns(const float* from, const float* factors, const MutableHeadRows& to) {
  for (int64_t row = 0; row < to.num_rows; row += kLanes) {
    for (int64_t d = 0; d < to.head_dim; d += kLanes) {
      Words tile[kLanes];
      for (int i = 0; i < kLanes; ++i) tile[i] = FloatsToBits(Load(from + (d + i) * kBlock + row));
      TransposeTile(tile);
      for (int64_t i = 0; i < kLanes && row + i < to.num_rows; ++i)
        StoreUnpadded(Row<T>(to, row + i), to.head_dim, d,
                      BitsToFloats(tile[i]) * factors[row + i]);
    }
  }
}

template <typename T>
void RowDots(const HeadRows& a, const HeadRows& b, float* out) {
  for (int64_t row = 0; row < a.num_rows; ++row) {
    Floats sum{};
    for (int64_t d = 0; d < a.head_dim; d += kLanes)
      sum += LoadPadded<T>(a, row, d) * LoadPadded<T>(b, row, d);
    out[row] = Sum(sum);
  }
}

}  // namespace

const AttentionLayout kAttentionLayoutFp32{
    &CopyRows<float>,  &CopyRows<float>,     &Columns<float>, &Columns<float>,
    &StoreRows<float>, &StoreColumns<float>, &RowDots<float>};

const AttentionLayout kAttentionLayoutBf16{
    &CopyRows<Bfloat16>,  &LoadPairedRowsBf16,     &Columns<Bfloat16>, &TransposedBf16,
    &StoreRows<Bfloat16>, &StoreColumns<Bfloat16>, &RowDots<Bfloat16>};

const AttentionLayout kAttentionLayoutBf16AsFp32{
    &LoadRows<Bfloat16, float>, &LoadRows<Bfloat16, float>, &Columns<float>,   &Columns<float>,
    &StoreRows<Bfloat16>,       &StoreColumns<Bfloat16>,    &RowDots<Bfloat16>};

}  // namespace hyperpp::kernels::HYPERPP_BUILD
