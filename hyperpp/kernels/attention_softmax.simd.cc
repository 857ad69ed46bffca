#include "hyperpp/kernels/attention_softmax.h"

#include "hyperpp/kernels/attention_layout.h"
#include "hyperpp/kernels/simd/fast_math.h"
#include "hyperpp/kernels/simd/transpose.h"
#include "hyperpp/kernels/simd/vector.h"

namespace hyperpp::kernels::HYPERPP_BUILD {
namespace {

constexpr int64_t kBlock = kAttentionBlock;

Ints LoadInts(const int32_t* from) {
  Ints values;
  __builtin_memcpy(&values, from, sizeof(values));
  return values;
}

// The queries of one vector, and which keys each may see.
template <bool kMasked>
struct Mask {
  Ints begin, end;

  Mask(const ScoreBlock& block, int64_t query) {
    if constexpr (kMasked) {
      begin = LoadInts(block.begin + query);
      end = LoadInts(block.end + query);
    }
  }
  Floats Apply(int64_t key, Floats values, Floats otherwise) const {
    if constexpr (!kMasked) return values;
    const Ints k = BroadcastInt(static_cast<int32_t>(key));
    return Select((k >= begin) & (k < end), values, otherwise);
  }
};

// Factors 0 or 1 / (1 - p) of one vector of queries; the hash of attention_dropout.h.
template <bool kDropout>
struct Dropout {
  Words low, high;
  const DropoutBlock* block;

  Dropout(const DropoutBlock* dropout, int64_t query) : block(dropout) {
    if constexpr (kDropout) {
      low = LoadWords(dropout->row_low + query);
      high = LoadWords(dropout->row_high + query);
    }
  }
  Floats Apply(int64_t key, Floats values) const {
    if constexpr (!kDropout) return values;
    const uint32_t position =
        key < block->num_keys ? static_cast<uint32_t>(block->key_positions[key]) : 0;
    Words x = low + position * 0x9e3779b1u;
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = ((x ^ (x >> 15)) + high) * 0x846ca68bu;
    x = x ^ (x >> 16);
    const Words threshold = Words{} + block->threshold;
    return (x >= threshold) ? values * block->kept_factor : Floats{};
  }
};

// The upper halves of the result hold the bf16 nearest to each value. NaNs of arithmetic stay NaNs.
Words RoundedBits(Floats values) {
  const Words bits = FloatsToBits(values);
  return bits + (((bits >> 16) & 1u) + 0x7fffu);
}

// Element [row][query] of a [num_keys][kBlock] matrix, rows as they are.
void StoreRow(float* to, int64_t row, int64_t query, Floats values) {
  Store(to + row * kBlock + query, values);
}
void StoreRow(Bfloat16* to, int64_t row, int64_t query, Floats values) {
  const HalfWords halves = __builtin_convertvector(RoundedBits(values) >> 16, HalfWords);
  __builtin_memcpy(to + row * kBlock + query, &halves, sizeof(halves));
}

// Rows `row` and row + 1 as paired rows.
void StorePair(float* to, int64_t row, int64_t query, Floats even, Floats odd) {
  StoreRow(to, row, query, even);
  StoreRow(to, row + 1, query, odd);
}
void StorePair(Bfloat16* to, int64_t row, int64_t query, Floats even, Floats odd) {
  StoreWords(reinterpret_cast<uint32_t*>(to) + row / 2 * kBlock + query,
             (RoundedBits(even) >> 16) | (RoundedBits(odd) & 0xffff0000u));
}

// Largest scaled score of each query; masked scores become -inf in memory.
template <bool kMasked>
Floats BlockMax(const ScoreBlock& block, int64_t query) {
  const Mask<kMasked> mask(block, query);
  const Floats lowest = Broadcast(-__builtin_inff());
  Floats even_max = lowest, odd_max = lowest;
  for (int64_t key = 0; key < block.num_keys; key += 2) {
    float* scores = block.scores + key * kBlock + query;
    Floats even = Load(scores), odd = Load(scores + kBlock);
    if constexpr (kMasked) {
      even = mask.Apply(key, even, lowest);
      odd = mask.Apply(key + 1, odd, lowest);
      Store(scores, even);
      Store(scores + kBlock, odd);
    }
    even_max = Max(even_max, even);
    odd_max = Max(odd_max, odd);
  }
  return Max(even_max, odd_max) * block.scale_log2;
}

template <typename E, bool kMasked, bool kDropout>
bool Step(const SoftmaxStep& step) {
  const ScoreBlock& block = step.block;
  E* probabilities = static_cast<E*>(step.probabilities);
  Ints changed{};
  for (int64_t query = 0; query < block.num_queries; query += kLanes) {
    const Floats old_max = Load(step.max + query);
    const Floats new_max = Max(old_max, BlockMax<kMasked>(block, query));
    // A query that has seen no key yet: any finite number keeps 2^(-inf - max) = 0.
    const Floats finite_max = Select(new_max == -__builtin_inff(), Floats{}, new_max);
    const Dropout<kDropout> dropout(block.dropout, query);
    Floats even_sum{}, odd_sum{};
    for (int64_t key = 0; key < block.num_keys; key += 2) {
      const float* scores = block.scores + key * kBlock + query;
      const Floats even = Exp2<E>(Load(scores) * block.scale_log2 - finite_max);
      const Floats odd = Exp2<E>(Load(scores + kBlock) * block.scale_log2 - finite_max);
      even_sum += even;
      odd_sum += odd;
      StorePair(probabilities, key, query, dropout.Apply(key, even), dropout.Apply(key + 1, odd));
    }
    const Floats correction = Exp2<float>(old_max - finite_max);
    changed |= correction != 1.0f;
    Store(step.correction + query, correction);
    Store(step.max + query, new_max);
    Store(step.sum + query, Load(step.sum + query) * correction + (even_sum + odd_sum));
  }
  int32_t any = 0;
  for (int i = 0; i < kLanes; ++i) any |= changed[i];
  return any != 0;
}

template <typename E, bool kMasked, bool kDropout>
void Gradient(const SoftmaxGradient& gradient) {
  const ScoreBlock& block = gradient.block;
  E* probabilities = static_cast<E*>(gradient.probabilities);
  E* grad_scores = static_cast<E*>(gradient.grad_scores);
  for (int64_t query = 0; query < block.num_queries; query += kLanes) {
    const Floats lse = Load(gradient.lse_log2 + query), delta = Load(gradient.delta + query);
    const Mask<kMasked> mask(block, query);
    const Dropout<kDropout> dropout(block.dropout, query);
    const auto one_key = [&](int64_t key) {
      const int64_t at = key * kBlock + query;
      const Floats p =
          mask.Apply(key, Exp2<E>(Load(block.scores + at) * block.scale_log2 - lse), Floats{});
      const Floats dp = dropout.Apply(key, Load(gradient.grad_probabilities + at));
      const Floats ds = mask.Apply(key, p * (dp - delta), Floats{});
      StoreRow(probabilities, key, query, dropout.Apply(key, p));
      StoreRow(grad_scores, key, query, ds);
      return ds;
    };
    for (int64_t key = 0; key < block.num_keys; key += 2) {
      const Floats even = one_key(key), odd = one_key(key + 1);
      if constexpr (sizeof(E) == 2)
        StorePair(static_cast<E*>(gradient.grad_scores_paired), key, query, even, odd);
    }
  }
}

template <typename E>
bool AnyStep(const SoftmaxStep& step) {
  const bool masked = step.block.begin != nullptr, dropout = step.block.dropout != nullptr;
  if (masked) return dropout ? Step<E, true, true>(step) : Step<E, true, false>(step);
  return dropout ? Step<E, false, true>(step) : Step<E, false, false>(step);
}

template <typename E>
void AnyGradient(const SoftmaxGradient& gradient) {
  const bool masked = gradient.block.begin != nullptr, dropout = gradient.block.dropout != nullptr;
  if (masked)
    dropout ? Gradient<E, true, true>(gradient) : Gradient<E, true, false>(gradient);
  else
    dropout ? Gradient<E, false, true>(gradient) : Gradient<E, false, false>(gradient);
}

void ScaleColumns(float* values, const float* factors, int64_t num_rows, int64_t num_queries) {
  for (int64_t row = 0; row < num_rows; ++row)
    for (int64_t query = 0; query < num_queries; query += kLanes) {
      float* at = values + row * kBlock + query;
      Store(at, Load(at) * Load(factors + query));
    }
}

}  // namespace

const AttentionSoftmax kAttentionSoftmaxFp32{&AnyStep<float>, &AnyGradient<float>, &ScaleColumns};
const AttentionSoftmax kAttentionSoftmaxBf16{&AnyStep<Bfloat16>, &AnyGradient<Bfloat16>,
                                             &ScaleColumns};

}  // namespace hyperpp::kernels::HYPERPP_BUILD
