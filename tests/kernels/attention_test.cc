#include "hyperpp/kernels/attention.h"

#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gmock/gmock.h>

#include "hyperpp/core/error.h"
#include "hyperpp/kernels/attention_composed.h"
#include "hyperpp/kernels/attention_dropout.h"
#include "tests/kernels/attention_reference.h"

namespace hyperpp::kernels {
namespace {

enum class MaskKind { kFull, kCausal, kWindow, kDocuments, kGaps };

// Intervals of keys; query i stands at key i + keys - queries.
AttentionOptions MaskOf(MaskKind kind, const AttentionCase& shape) {
  AttentionOptions options;
  options.scale = 0.3;
  const int64_t offset = shape.keys - shape.queries;
  const at::Tensor position = at::arange(shape.queries, at::kInt).add(offset).clamp_min(0);
  at::Tensor begin = at::zeros_like(position), end = position.add(1).to(at::kInt);
  switch (kind) {
    case MaskKind::kFull:
      end = at::full_like(position, shape.keys);
      break;
    case MaskKind::kCausal:
      break;
    case MaskKind::kWindow:
      begin = position.sub(69).clamp_min(0).to(at::kInt);
      break;
    case MaskKind::kDocuments:  // restart every 50 keys
      begin = position.div(50, "floor").mul(50).to(at::kInt);
      break;
    case MaskKind::kGaps:  // one row in three is empty, and so is a stretch of rows
      begin = at::where(position.remainder(3).eq(1).logical_or(position.gt(130)), end, begin);
      break;
  }
  options.key_begin_BS = begin.expand({shape.batch, -1}).contiguous();
  options.key_end_BS = end.expand({shape.batch, -1}).contiguous();
  if (shape.batch > 1) options.key_end_BS[1].clamp_max_(shape.keys / 2);
  return options;
}

struct Tolerance {
  double forward, backward;
};

// fp32: a few hundred sums of rounding 6e-8. bf16: probabilities and results rounded to 2^-9.
Tolerance ToleranceOf(at::ScalarType dtype) {
  return dtype == at::kFloat ? Tolerance{2e-6, 5e-6} : Tolerance{1e-2, 2e-2};
}

void ExpectMatches(const AttentionResult& forward, const AttentionGradients& gradients,
                   const ReferenceAttention& expected, const Tolerance& tolerance) {
  EXPECT_LT(RelativeError(forward.out_BSND, expected.out), tolerance.forward);
  EXPECT_TRUE(at::allclose(forward.lse_BNS.to(at::kDouble), expected.lse, 1e-6, 4e-6));
  EXPECT_LT(RelativeError(gradients.q_BSND, expected.grad_q), tolerance.backward);
  EXPECT_LT(RelativeError(gradients.k_BLMD, expected.grad_k), tolerance.backward);
  EXPECT_LT(RelativeError(gradients.v_BLMD, expected.grad_v), tolerance.backward);
}

class AttentionTest : public testing::TestWithParam<std::tuple<AttentionCase, MaskKind>> {};

TEST_P(AttentionTest, MatchesDoublePrecisionForwardAndBackward) {
  at::set_num_threads(1);
  const auto [shape, kind] = GetParam();
  const AttentionInputs inputs = DrawInputs(shape, 1);
  const AttentionOptions options = MaskOf(kind, shape);
  const ReferenceAttention expected = Reference(inputs, options);
  const AttentionResult forward = AttentionForward(inputs.q, inputs.k, inputs.v, options);
  EXPECT_TRUE(forward.out_BSND.is_contiguous());
  EXPECT_EQ(forward.out_BSND.scalar_type(), shape.dtype);
  const AttentionGradients gradients =
      AttentionBackward(inputs.grad_out, inputs.q, inputs.k, inputs.v, forward, options);
  ExpectMatches(forward, gradients, expected, ToleranceOf(shape.dtype));
}

TEST_P(AttentionTest, ComposedOperationsMatchDoublePrecision) {
  at::set_num_threads(1);
  const auto [shape, kind] = GetParam();
  const AttentionInputs inputs = DrawInputs(shape, 2);
  const AttentionOptions options = MaskOf(kind, shape);
  const ReferenceAttention expected = Reference(inputs, options);
  for (const int64_t max_scores : {int64_t{0}, 7 * shape.batch * shape.heads * shape.keys}) {
    const AttentionResult forward =
        ComposedAttentionForward(inputs.q, inputs.k, inputs.v, options, max_scores);
    EXPECT_TRUE(forward.lse_BNS.is_contiguous());
    const AttentionGradients gradients = ComposedAttentionBackward(
        inputs.grad_out, inputs.q, inputs.k, inputs.v, forward, options, max_scores);
    ExpectMatches(forward, gradients, expected, ToleranceOf(shape.dtype));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, AttentionTest,
    testing::Combine(testing::Values(AttentionCase{2, 300, 300, 4, 2, 64},
                                     AttentionCase{2, 300, 300, 4, 2, 64, at::kBFloat16},
                                     AttentionCase{1, 65, 65, 3, 3, 10},
                                     AttentionCase{1, 65, 65, 3, 3, 10, at::kBFloat16},
                                     AttentionCase{2, 1, 300, 4, 1, 12},
                                     AttentionCase{2, 1, 300, 4, 1, 12, at::kBFloat16},
                                     AttentionCase{1, 7, 71, 2, 1, 80, at::kBFloat16},
                                     AttentionCase{1, 150, 7, 2, 2, 16},
                                     AttentionCase{1, 1, 1, 1, 1, 7, at::kBFloat16},
                                     AttentionCase{1, 130, 200, 2, 1, 128}),
                     testing::Values(MaskKind::kFull, MaskKind::kCausal, MaskKind::kWindow,
                                     MaskKind::kDocuments, MaskKind::kGaps)));

TEST(AttentionEdgeTest, EmptyIntervalsGiveZeroAndNoGradient) {
  for (at::ScalarType dtype : {at::kFloat, at::kBFloat16}) {
    const AttentionCase shape{1, 70, 70, 2, 1, 16, dtype};
    const AttentionInputs inputs = DrawInputs(shape, 3);
    AttentionOptions options = MaskOf(MaskKind::kCausal, shape);
    options.key_end_BS.zero_();
    const AttentionResult forward = AttentionForward(inputs.q, inputs.k, inputs.v, options);
    EXPECT_EQ(forward.out_BSND.abs().max().item<float>(), 0);
    EXPECT_TRUE(forward.lse_BNS.isneginf().all().item<bool>());
    const AttentionGradients gradients =
        AttentionBackward(inputs.grad_out, inputs.q, inputs.k, inputs.v, forward, options);
    for (const at::Tensor& gradient : {gradients.q_BSND, gradients.k_BLMD, gradients.v_BLMD})
      EXPECT_EQ(gradient.abs().max().item<float>(), 0);
  }
}

TEST(AttentionEdgeTest, LargeScoresNeitherOverflowNorLosePrecision) {
  const AttentionCase shape{1, 100, 100, 1, 1, 16};
  AttentionInputs inputs = DrawInputs(shape, 4);
  inputs.q = inputs.q * 60;
  const AttentionOptions options = MaskOf(MaskKind::kCausal, shape);
  const AttentionResult forward = AttentionForward(inputs.q, inputs.k, inputs.v, options);
  const ReferenceAttention expected = Reference(inputs, options);
  EXPECT_LT(RelativeError(forward.out_BSND, expected.out), 1e-4);  // scores up to 300 round to 3e-5
}

TEST(AttentionEdgeTest, NotANumberReachesTheOutput) {
  for (at::ScalarType dtype : {at::kFloat, at::kBFloat16}) {
    const AttentionCase shape{1, 70, 70, 1, 1, 16, dtype};
    AttentionInputs inputs = DrawInputs(shape, 5);
    inputs.k[0][3][0][2].fill_(std::numeric_limits<float>::quiet_NaN());
    const AttentionOptions options = MaskOf(MaskKind::kCausal, shape);
    const AttentionResult forward = AttentionForward(inputs.q, inputs.k, inputs.v, options);
    EXPECT_FALSE(forward.out_BSND[0][2].isnan().any().item<bool>());
    EXPECT_TRUE(forward.out_BSND[0][69].isnan().all().item<bool>());
    const AttentionGradients gradients =
        AttentionBackward(inputs.grad_out, inputs.q, inputs.k, inputs.v, forward, options);
    EXPECT_TRUE(gradients.q_BSND[0][69].isnan().any().item<bool>());
  }
}

// As context parallelism does: pieces of the keys are attended to one by one, the results are
// combined by their lse, and each piece's backward pass sees the combined result.
TEST(AttentionEdgeTest, PiecesOfTheKeysCombineToTheWhole) {
  const AttentionCase shape{1, 150, 150, 2, 1, 32};
  const AttentionInputs inputs = DrawInputs(shape, 6);
  const AttentionOptions options = MaskOf(MaskKind::kCausal, shape);
  const ReferenceAttention expected = Reference(inputs, options);
  std::vector<at::Tensor> outs, lses;
  std::vector<AttentionOptions> pieces;
  for (int64_t piece = 0; piece < 2; ++piece) {
    pieces.push_back(options);
    pieces[piece].key_end_BS = (options.key_end_BS - 75 * piece).clamp(0, 75);
    const AttentionResult part =
        AttentionForward(inputs.q, inputs.k.narrow(1, 75 * piece, 75),
                         inputs.v.narrow(1, 75 * piece, 75), pieces[piece]);
    outs.push_back(part.out_BSND);
    lses.push_back(part.lse_BNS);
  }
  AttentionResult whole{{}, at::logaddexp(lses[0], lses[1])};
  const auto weight = [&](int64_t piece) {
    return (lses[piece] - whole.lse_BNS).exp().transpose(1, 2).unsqueeze(-1);
  };
  whole.out_BSND = outs[0] * weight(0) + outs[1] * weight(1);
  EXPECT_LT(RelativeError(whole.out_BSND, expected.out), 2e-6);
  at::Tensor grad_q = at::zeros_like(whole.out_BSND);
  for (int64_t piece = 0; piece < 2; ++piece) {
    const AttentionGradients gradients =
        AttentionBackward(inputs.grad_out, inputs.q, inputs.k.narrow(1, 75 * piece, 75),
                          inputs.v.narrow(1, 75 * piece, 75), whole, pieces[piece]);
    grad_q += gradients.q_BSND;
    EXPECT_LT(RelativeError(gradients.k_BLMD, expected.grad_k.narrow(1, 75 * piece, 75)), 5e-6);
  }
  EXPECT_LT(RelativeError(grad_q, expected.grad_q), 5e-6);
}

TEST(AttentionEdgeTest, ThreadsDoNotChangeABitWithAHeadForEachThread) {
  for (at::ScalarType dtype : {at::kFloat, at::kBFloat16}) {
    const AttentionCase shape{1, 200, 200, 4, 2, 32, dtype};
    const AttentionInputs inputs = DrawInputs(shape, 7);
    const AttentionOptions options = MaskOf(MaskKind::kDocuments, shape);
    std::vector<std::vector<at::Tensor>> results;
    for (int threads : {1, 2, 2}) {
      at::set_num_threads(threads);
      const AttentionResult forward = AttentionForward(inputs.q, inputs.k, inputs.v, options);
      const AttentionGradients gradients =
          AttentionBackward(inputs.grad_out, inputs.q, inputs.k, inputs.v, forward, options);
      results.push_back({forward.out_BSND, forward.lse_BNS, gradients.q_BSND, gradients.k_BLMD,
                         gradients.v_BLMD});
    }
    for (size_t i = 0; i < results[0].size(); ++i) {
      EXPECT_TRUE(results[0][i].equal(results[1][i])) << i;
      EXPECT_TRUE(results[1][i].equal(results[2][i])) << i;
    }
  }
}

TEST(AttentionEdgeTest, ThreadsThatShareAHeadRepeatBitByBit) {
  const AttentionCase shape{1, 200, 200, 2, 1, 32};
  const AttentionInputs inputs = DrawInputs(shape, 8);
  const AttentionOptions options = MaskOf(MaskKind::kCausal, shape);
  const ReferenceAttention expected = Reference(inputs, options);
  at::set_num_threads(3);
  const AttentionResult forward = AttentionForward(inputs.q, inputs.k, inputs.v, options);
  std::vector<AttentionGradients> runs;
  for (int i = 0; i < 3; ++i)
    runs.push_back(
        AttentionBackward(inputs.grad_out, inputs.q, inputs.k, inputs.v, forward, options));
  ExpectMatches(forward, runs[0], expected, ToleranceOf(shape.dtype));
  for (const AttentionGradients& run : runs) {
    EXPECT_TRUE(run.q_BSND.equal(runs[0].q_BSND));
    EXPECT_TRUE(run.k_BLMD.equal(runs[0].k_BLMD));
    EXPECT_TRUE(run.v_BLMD.equal(runs[0].v_BLMD));
  }
}

TEST(AttentionEdgeTest, WrongShapesAreRefused) {
  const AttentionCase shape{1, 8, 8, 2, 1, 16};
  const AttentionInputs inputs = DrawInputs(shape, 9);
  AttentionOptions options = MaskOf(MaskKind::kCausal, shape);
  EXPECT_THROW(AttentionForward(inputs.q.to(at::kDouble), inputs.k, inputs.v, options),
               InternalError);
  EXPECT_THROW(AttentionForward(inputs.q, inputs.k.narrow(1, 0, 7), inputs.v, options),
               InternalError);
  options.key_begin_BS = options.key_begin_BS.narrow(1, 0, 7);
  EXPECT_THROW(AttentionForward(inputs.q, inputs.k, inputs.v, options), InternalError);
}

}  // namespace
}  // namespace hyperpp::kernels
