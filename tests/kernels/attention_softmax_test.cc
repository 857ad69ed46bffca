#include "hyperpp/kernels/attention_softmax.h"

#include <limits>
#include <vector>

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "hyperpp/kernels/attention_dropout.h"
#include "hyperpp/kernels/attention_layout.h"
#include "tests/kernels/builds.h"

namespace hyperpp::kernels {
namespace {

constexpr int64_t kBlock = kAttentionBlock, kKeys = 48, kQueries = 32;
constexpr float kScaleLog2 = 0.7f;

struct Softmax {
  const char* build;
  const AttentionSoftmax* softmax;
  at::ScalarType element;
  double tolerance;
};

std::vector<Softmax> AllSoftmaxes() {
  std::vector<Softmax> all;
  for (const auto& [build, softmax] : HYPERPP_TEST_BUILDS(AttentionSoftmax, kAttentionSoftmaxFp32))
    all.push_back({build, softmax, at::kFloat, 3e-6});
  for (const auto& [build, softmax] : HYPERPP_TEST_BUILDS(AttentionSoftmax, kAttentionSoftmaxBf16))
    all.push_back({build, softmax, at::kBFloat16, 4e-3});
  return all;
}

// Paired rows as plain rows, the used part.
at::Tensor Unpaired(const at::Tensor& paired) {
  const at::Tensor rows =
      paired.scalar_type() == at::kFloat
          ? paired
          : paired.view({kBlock / 2, kBlock, 2}).transpose(1, 2).reshape({kBlock, kBlock});
  return rows.narrow(0, 0, kKeys).narrow(1, 0, kQueries).to(at::kDouble);
}

at::Tensor Used(const at::Tensor& x) {
  return x.narrow(0, 0, kKeys).narrow(1, 0, kQueries).to(at::kDouble);
}

// Query q sees keys [q / 3, q + 2); query 5 sees none.
struct Interval {
  std::vector<int32_t> begin, end;
  at::Tensor outside;  // [kKeys, kQueries]

  Interval() : begin(kBlock), end(kBlock) {
    outside = at::ones({kKeys, kQueries}, at::kBool);
    for (int64_t q = 0; q < kQueries; ++q) {
      begin[q] = static_cast<int32_t>(q / 3);
      end[q] = static_cast<int32_t>(q == 5 ? 0 : q + 2);
      for (int64_t k = begin[q]; k < end[q]; ++k) outside[k][q] = false;
    }
  }
};

// Dropout of a block; factors as attention_dropout.h says.
struct DroppedBlock {
  std::vector<uint32_t> low, high;
  std::vector<int32_t> positions;
  DropoutBlock block{};
  at::Tensor factors;  // [kKeys, kQueries] double

  DroppedBlock() : low(kBlock), high(kBlock), positions(kKeys) {
    factors = at::empty({kKeys, kQueries}, at::kDouble);
    const uint32_t threshold = DropoutThreshold(0.3);
    for (int64_t k = 0; k < kKeys; ++k) positions[k] = static_cast<int32_t>(1000 - 3 * k);
    for (int64_t q = 0; q < kQueries; ++q) {
      const uint64_t row = DropoutRow(5, 6, 7, q);
      low[q] = static_cast<uint32_t>(row);
      high[q] = static_cast<uint32_t>(row >> 32);
      for (int64_t k = 0; k < kKeys; ++k)
        factors[k][q] = DropoutKeepsPosition(row, positions[k], threshold) ? 1 / 0.7 : 0.0;
    }
    block = {low.data(), high.data(), positions.data(), kKeys, threshold, 1 / 0.7f};
  }
};

TEST(AttentionSoftmaxTest, StepsOfTheOnlineSoftmaxAddUp) {
  const Interval interval;
  const DroppedBlock dropped;
  for (const Softmax& s : AllSoftmaxes()) {
    at::manual_seed(1);
    const at::Tensor first = at::randn({kBlock, kBlock}) * 4,
                     second = at::randn({kBlock, kBlock}) * 4;
    std::vector<float> max(kBlock, -std::numeric_limits<float>::infinity()), sum(kBlock);
    std::vector<float> correction(kBlock);
    const auto step = [&](const at::Tensor& scores, bool masked) {
      at::Tensor copy = scores.clone(), paired = at::zeros({kBlock, kBlock}, s.element);
      s.softmax->step({{copy.mutable_data_ptr<float>(), kScaleLog2, kKeys, kQueries,
                        masked ? interval.begin.data() : nullptr,
                        masked ? interval.end.data() : nullptr, &dropped.block},
                       max.data(),
                       sum.data(),
                       correction.data(),
                       paired.mutable_data_ptr()});
      return Unpaired(paired);
    };
    const at::Tensor p_1 = step(first, true);
    EXPECT_EQ(sum[5], 0) << s.build;
    const at::Tensor p_2 = step(second, false);

    const auto vector = [](const std::vector<float>& values) {
      return at::tensor(values).narrow(0, 0, kQueries).to(at::kDouble);
    };
    const at::Tensor x_1 =
        (Used(first) * kScaleLog2)
            .masked_fill(interval.outside, -std::numeric_limits<double>::infinity());
    const at::Tensor x_2 = Used(second) * kScaleLog2;
    const at::Tensor all = at::cat({x_1, x_2});
    const at::Tensor largest = all.amax(0);
    const auto close = [&](const at::Tensor& a, const at::Tensor& b) {
      return at::allclose(a, b, s.tolerance, 1e-6);
    };
    EXPECT_TRUE(close(vector(max), largest)) << s.build;
    EXPECT_TRUE(close(vector(sum), (all - largest).exp2().sum(0))) << s.build;
    EXPECT_TRUE(close(p_2, (x_2 - largest).exp2() * dropped.factors)) << s.build;
    EXPECT_TRUE(close(p_1 * vector(correction), (x_1 - largest).exp2() * dropped.factors))
        << s.build;
  }
}

TEST(AttentionSoftmaxTest, TellsWhetherTheMaximumMoved) {
  for (const Softmax& s : AllSoftmaxes()) {
    at::Tensor scores = at::ones({kBlock, kBlock}), paired = at::zeros({kBlock, kBlock}, s.element);
    std::vector<float> max(kBlock, 2), sum(kBlock, 1), correction(kBlock);
    const SoftmaxStep step{
        {scores.mutable_data_ptr<float>(), 1, kKeys, kQueries, nullptr, nullptr, nullptr},
        max.data(),
        sum.data(),
        correction.data(),
        paired.mutable_data_ptr()};
    EXPECT_FALSE(s.softmax->step(step)) << s.build;
    scores.fill_(1)[kKeys - 1][kQueries - 1] = 3;
    EXPECT_TRUE(s.softmax->step(step)) << s.build;
  }
}

TEST(AttentionSoftmaxTest, GradientFollowsTheFormula) {
  const Interval interval;
  const DroppedBlock dropped;
  for (const Softmax& s : AllSoftmaxes()) {
    at::manual_seed(2);
    const at::Tensor scores = at::randn({kBlock, kBlock}), grad = at::randn({kBlock, kBlock});
    const at::Tensor lse = at::rand({kBlock}) + 2, delta = at::randn({kBlock});
    const at::Tensor p = (Used(scores) * kScaleLog2 - lse.narrow(0, 0, kQueries))
                             .exp2()
                             .masked_fill(interval.outside, 0);
    const at::Tensor ds =
        p * (Used(grad) * dropped.factors - delta.narrow(0, 0, kQueries).to(at::kDouble));
    const at::Tensor scores_in = scores.clone(), grad_in = grad.clone();
    const at::Tensor p_out = at::zeros({kBlock, kBlock}, s.element);
    const at::Tensor ds_out = at::zeros_like(p_out), ds_paired = at::zeros_like(p_out);
    s.softmax->gradient({{scores_in.mutable_data_ptr<float>(), kScaleLog2, kKeys, kQueries,
                          interval.begin.data(), interval.end.data(), &dropped.block},
                         grad_in.mutable_data_ptr<float>(),
                         lse.const_data_ptr<float>(),
                         delta.const_data_ptr<float>(),
                         p_out.mutable_data_ptr(),
                         ds_out.mutable_data_ptr(),
                         ds_paired.mutable_data_ptr()});
    EXPECT_TRUE(at::allclose(Used(p_out), p * dropped.factors, s.tolerance, 1e-6)) << s.build;
    EXPECT_TRUE(at::allclose(Used(ds_out), ds, s.tolerance, 1e-6)) << s.build;
    if (s.element == at::kBFloat16) {
      EXPECT_TRUE(Unpaired(ds_paired).equal(Used(ds_out))) << s.build;
    }
  }
}

TEST(AttentionSoftmaxTest, ColumnsAreScaled) {
  for (const Softmax& s : AllSoftmaxes()) {
    at::Tensor values = at::randn({20, kBlock});
    const at::Tensor factors = at::rand({kBlock});
    const at::Tensor expected = (values * factors).narrow(1, 0, kQueries);
    s.softmax->scale_columns(values.mutable_data_ptr<float>(), factors.const_data_ptr<float>(), 20,
                             kQueries);
    EXPECT_TRUE(values.narrow(1, 0, kQueries).equal(expected)) << s.build;
  }
}

}  // namespace
}  // namespace hyperpp::kernels
