// Which tokens of a sequence each context-parallel rank holds: pure arithmetic.
//
// Under a causal mask a token costs as much attention as there are tokens before it, so contiguous
// parts would leave the last rank with most of the work. Balanced, the sequence is cut into 2C
// chunks, and rank r of C holds chunks r and 2C - 1 - r, whose costs add up to the same for all:
//
//     chunk            0   1   2   3   4   5   6   7         C = 4
//     balanced         r0  r1  r2  r3  r3  r2  r1  r0
//     contiguous       r0  r0  r1  r1  r2  r2  r3  r3
//
// A rank keeps its chunks in the order of the sequence. Lengths are multiples of 2C (contiguous: of
// C); what is shorter is padded with tokens without labels, behind all others, to which nothing
// attends.
//
// Source: head-tail order as in Megatron-LM, get_batch_on_this_cp_rank (megatron/core/utils.py).
#pragma once

#include <cstdint>
#include <vector>

namespace hyperpp::parallel {

/// Tokens [begin, end) of a sequence.
struct TokenRange {
  int64_t begin = 0, end = 0;
  int64_t length() const { return end - begin; }
  bool operator==(const TokenRange&) const = default;
};

class SequenceCut {
 public:
  /// Everything on one rank.
  SequenceCut() : SequenceCut(1, false) {}
  SequenceCut(int degree, bool balanced);

  int degree() const { return degree_; }
  /// Lengths must be multiples of this.
  int64_t Multiple() const { return int64_t{degree_} * chunks_per_rank_; }

  /// The chunks of `rank` in the order in which it keeps them; together `length / degree` tokens.
  /// Errors: InternalError if `length` is no multiple of Multiple().
  std::vector<TokenRange> ChunksOf(int rank, int64_t length) const;
  /// Place in the sequence of each token of `rank`.
  std::vector<int32_t> IndicesOf(int rank, int64_t length) const;

 private:
  int degree_;
  int chunks_per_rank_;
};

}  // namespace hyperpp::parallel
