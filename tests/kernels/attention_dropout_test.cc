#include "hyperpp/kernels/attention_dropout.h"

#include <cmath>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gmock/gmock.h>

#include "hyperpp/kernels/attention_composed.h"
#include "tests/kernels/attention_reference.h"

namespace hyperpp::kernels {
namespace {

AttentionDropout MakeDropout(double probability, int64_t batch, int64_t queries, int64_t keys) {
  AttentionDropout dropout;
  dropout.probability = probability;
  dropout.key = 0x1234567890abcdefu;
  dropout.sample_ids_B = at::arange(batch, at::kLong).add(17);
  dropout.query_positions_S = at::arange(queries, at::kInt).add(keys - queries).to(at::kInt);
  dropout.key_positions_L = at::arange(keys, at::kInt);
  dropout.first_head = 3;
  return dropout;
}

AttentionOptions Causal(int64_t batch, int64_t queries, int64_t keys) {
  AttentionOptions options;
  options.scale = 0.25;
  options.key_end_BS = at::arange(queries, at::kInt)
                           .add(keys - queries + 1)
                           .to(at::kInt)
                           .expand({batch, -1})
                           .contiguous();
  options.key_begin_BS = at::zeros_like(options.key_end_BS);
  return options;
}

// Fixed values: a change of the function changes what a seed means.
TEST(AttentionDropoutTest, FollowsTheDocumentedFunction) {
  EXPECT_EQ(DropoutRow(1, 2, 3, 4), 0x6c04b0f05c0493c1u);
  const uint32_t hash = 0xef1a075fu;
  EXPECT_TRUE(DropoutKeepsPosition(DropoutRow(1, 2, 3, 4), 5, hash));
  EXPECT_FALSE(DropoutKeepsPosition(DropoutRow(1, 2, 3, 4), 5, hash + 1));
  EXPECT_EQ(DropoutThreshold(0.25), 0x40000000u);
  EXPECT_EQ(DropoutThreshold(0.5), 0x80000000u);
}

TEST(AttentionDropoutTest, KeepsTheGivenShareIndependently) {
  for (double probability : {0.1, 0.5, 0.9}) {
    const at::Tensor kept =
        DropoutFactors(MakeDropout(probability, 2, 256, 256), 4).gt(0).to(at::kDouble);
    const double count = static_cast<double>(kept.numel()), share = 1 - probability;
    const double deviation = std::sqrt(share * probability / count);
    EXPECT_NEAR(kept.mean().item<double>(), share, 5 * deviation);
    // Neighbours along every dim agree as often as independent draws do.
    const at::Tensor centred = kept - share;
    for (int64_t dim = 0; dim < 4; ++dim) {
      const int64_t size = kept.size(dim);
      const at::Tensor products =
          centred.narrow(dim, 0, size - 1) * centred.narrow(dim, 1, size - 1);
      const double expected =
          share * probability / std::sqrt(static_cast<double>(products.numel()));
      EXPECT_LT(std::abs(products.mean().item<double>()), 5 * expected) << "dim " << dim;
    }
    // So do the means of rows and of columns.
    for (int64_t dim : {2, 3}) {
      const double variance = kept.mean(dim).var().item<double>() * 256 / (share * probability);
      EXPECT_NEAR(variance, 1, 0.2) << "dim " << dim;
    }
  }
}

TEST(AttentionDropoutTest, FactorsDependOnGlobalPlacesOnly) {
  const AttentionDropout whole = MakeDropout(0.3, 2, 40, 40);
  const at::Tensor factors = DropoutFactors(whole, 4);
  AttentionDropout part = whole;
  part.sample_ids_B = whole.sample_ids_B.narrow(0, 1, 1);
  part.query_positions_S = whole.query_positions_S.narrow(0, 10, 20);
  part.key_positions_L = whole.key_positions_L.narrow(0, 5, 30);
  part.first_head += 2;
  EXPECT_TRUE(DropoutFactors(part, 2).equal(
      factors.narrow(0, 1, 1).narrow(1, 2, 2).narrow(2, 10, 20).narrow(3, 5, 30)));
  EXPECT_EQ(DropoutKeep(whole, 18, 4, 7, 9), factors[1][1][7][9].item<float>() > 0);
}

TEST(AttentionDropoutTest, FactorsAreTheFunctionAtEveryPlace) {
  AttentionDropout dropout = MakeDropout(0.3, 2, 7, 9);
  dropout.key = 0xfedcba9876543210u;  // with the highest bit set
  const at::Tensor factors = DropoutFactors(dropout, 3);
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t n = 0; n < 3; ++n)
      for (int64_t s = 0; s < 7; ++s)
        for (int64_t l = 0; l < 9; ++l) {
          const bool kept = DropoutKeep(dropout, 17 + b, 3 + n, s + 2, l);
          EXPECT_FLOAT_EQ(factors[b][n][s][l].item<float>(), kept ? 1 / 0.7f : 0);
        }
}

TEST(AttentionDropoutTest, ForwardAndBackwardUseTheSameFactors) {
  at::set_num_threads(2);
  for (at::ScalarType dtype : {at::kFloat, at::kBFloat16}) {
    const AttentionCase shape{2, 130, 150, 4, 2, 32, dtype};
    const AttentionInputs inputs = DrawInputs(shape, 1);
    const AttentionDropout dropout = MakeDropout(0.2, 2, 130, 150);
    AttentionOptions options = Causal(2, 130, 150);
    options.dropout = &dropout;
    const ReferenceAttention expected = Reference(inputs, options, DropoutFactors(dropout, 4));
    const double tolerance = dtype == at::kFloat ? 5e-6 : 2e-2;
    const auto expect_reference = [&](const AttentionResult& forward,
                                      const AttentionGradients& gradients) {
      EXPECT_LT(RelativeError(forward.out_BSND, expected.out), tolerance);
      EXPECT_TRUE(at::allclose(forward.lse_BNS.to(at::kDouble), expected.lse, 1e-6, 4e-6));
      EXPECT_LT(RelativeError(gradients.q_BSND, expected.grad_q), tolerance);
      EXPECT_LT(RelativeError(gradients.k_BLMD, expected.grad_k), tolerance);
      EXPECT_LT(RelativeError(gradients.v_BLMD, expected.grad_v), tolerance);
    };
    const auto& [q, k, v, grad_out] = inputs;
    const AttentionResult own = AttentionForward(q, k, v, options);
    expect_reference(own, AttentionBackward(grad_out, q, k, v, own, options));
    const int64_t max_scores = 40 * 2 * 4 * 150;  // blocks of 40 queries
    const AttentionResult composed = ComposedAttentionForward(q, k, v, options, max_scores);
    expect_reference(composed,
                     ComposedAttentionBackward(grad_out, q, k, v, composed, options, max_scores));
  }
}

TEST(AttentionDropoutTest, ProbabilityZeroIsNoDropout) {
  const AttentionInputs inputs = DrawInputs({1, 70, 70, 2, 1, 16}, 2);
  AttentionOptions options = Causal(1, 70, 70);
  const AttentionResult without = AttentionForward(inputs.q, inputs.k, inputs.v, options);
  const AttentionDropout dropout = MakeDropout(0, 1, 70, 70);
  options.dropout = &dropout;
  EXPECT_TRUE(
      AttentionForward(inputs.q, inputs.k, inputs.v, options).out_BSND.equal(without.out_BSND));
}

}  // namespace
}  // namespace hyperpp::kernels
