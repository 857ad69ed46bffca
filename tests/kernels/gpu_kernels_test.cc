// Every kernel on a GPU against the same kernel on the CPU, in fp32 and bf16.
#include <functional>
#include <vector>

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "hyperpp/kernels/attention.h"
#include "hyperpp/kernels/cross_entropy.h"
#include "hyperpp/kernels/embedding.h"
#include "hyperpp/kernels/linear.h"
#include "hyperpp/kernels/optimizer_step.h"
#include "hyperpp/kernels/rms_norm.h"
#include "hyperpp/kernels/rotary.h"
#include "hyperpp/kernels/swiglu.h"
#include "hyperpp/kernels/to_device.h"
#include "tests/support/gpu.h"

namespace hyperpp::kernels {
namespace {

using Tensors = std::vector<at::Tensor>;

class GpuKernelsTest : public testing::TestWithParam<at::ScalarType> {
 protected:
  void SetUp() override {
    HYPERPP_SKIP_WITHOUT_GPU();
    at::manual_seed(1);
    at::globalContext().setAllowBF16ReductionCuBLAS(false);
  }

  at::Tensor Draw(at::IntArrayRef sizes) const { return at::randn(sizes).to(GetParam()); }

  // fp32: sums in another order, no TF32. bf16: one rounding to 8 bits, of values that differ a
  // little.
  double Tolerance() const { return GetParam() == at::kFloat ? 2e-5 : 2e-2; }

  // Runs `kernel` on the host and on the GPU; it must give the same tensors.
  void ExpectSame(const Tensors& inputs, const std::function<Tensors(const Tensors&)>& kernel) {
    Tensors on_gpu;
    for (const at::Tensor& input : inputs)
      on_gpu.push_back(input.defined() ? input.to(at::kCUDA) : input);
    const Tensors expected = kernel(inputs), actual = kernel(on_gpu);
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_TRUE(actual[i].is_cuda()) << "result " << i;
      EXPECT_EQ(actual[i].scalar_type(), expected[i].scalar_type()) << "result " << i;
      const at::Tensor wide = expected[i].to(at::kDouble);
      const at::Tensor error = (actual[i].cpu().to(at::kDouble) - wide).abs().max();
      EXPECT_LE(error.item<double>(), Tolerance() * wide.abs().max().item<double>())
          << "result " << i;
    }
  }
};

TEST_P(GpuKernelsTest, RmsNorm) {
  ExpectSame({Draw({70, 96}), Draw({70, 96}), at::rand({96}), Draw({70, 96}), Draw({70, 96})},
             [](const Tensors& in) {
               const RmsNormResult norm = RmsNormForward(in[0], in[1], in[2], 1e-5);
               at::Tensor weight = at::zeros({96}, in[2].options());
               const at::Tensor grad =
                   RmsNormBackward(in[3], in[4], norm.sum_TH, norm.rstd_T, in[2], weight);
               return Tensors{norm.y_TH, norm.sum_TH, norm.rstd_T, grad, weight};
             });
}

TEST_P(GpuKernelsTest, RotaryWithHeadNorm) {
  const at::Tensor angle = at::rand({20, 8}) * 6;
  ExpectSame({Draw({50, 3, 16}), angle.cos(), angle.sin(), at::randint(20, {50}, at::kInt),
              at::rand({16}), Draw({50, 3, 16})},
             [](const Tensors& in) {
               const RotaryTables tables{in[1], in[2], in[3]};
               const HeadNorm norm{in[4], 1e-6};
               const RotaryResult result = RotaryForward(in[0], tables, norm);
               at::Tensor weight = at::zeros({16}, in[4].options());
               const at::Tensor grad =
                   RotaryBackward(in[5], in[0], result.rstd_TN, tables, norm, weight);
               return Tensors{result.out_TND, grad, weight};
             });
}

TEST_P(GpuKernelsTest, Swiglu) {
  ExpectSame({Draw({60, 64}), Draw({60, 64}), Draw({60, 64})}, [](const Tensors& in) {
    const auto [gate, up] = SwigluBackward(in[2], in[0], in[1]);
    return Tensors{SwigluForward(in[0], in[1]), gate, up};
  });
}

TEST_P(GpuKernelsTest, Linear) {
  ExpectSame({Draw({70, 48}), Draw({96, 48}), Draw({96}), Draw({70, 96})}, [](const Tensors& in) {
    at::Tensor weight = at::ones({96, 48}, in[0].options().dtype(at::kFloat));
    at::Tensor bias = at::ones({96}, weight.options());
    AccumulateLinearWeightGradient(in[3], in[0], weight);
    AccumulateBiasGradient(in[3], bias);
    return Tensors{LinearForward(in[0], in[1], in[2]), LinearForward(in[0], in[1], {}),
                   LinearInputGradient(in[3], in[1]), weight, bias};
  });
}

TEST_P(GpuKernelsTest, AttentionInGroupsWithGapsAndDropout) {
  const int64_t length = 130;
  const at::Tensor end = at::arange(1, length + 1, at::kInt).expand({2, -1}).contiguous();
  at::Tensor begin = (end - 40).clamp_min(0).to(at::kInt);
  begin.narrow(1, 50, 3).copy_(end.narrow(1, 50, 3));  // rows without keys
  for (const double probability : {0.0, 0.3}) {
    ExpectSame(
        {Draw({2, length, 4, 32}), Draw({2, length, 2, 32}), Draw({2, length, 2, 32}), begin, end,
         Draw({2, length, 4, 32}), at::arange(5, 7, at::kLong), at::arange(length, at::kInt)},
        [=](const Tensors& in) {
          const AttentionDropout dropout{probability, 77, in[6], in[7], in[7], 0};
          const AttentionOptions options{0.2, in[3], in[4], &dropout};
          const AttentionResult result = AttentionForward(in[0], in[1], in[2], options);
          const auto [q, k, v] = AttentionBackward(in[5], in[0], in[1], in[2], result, options);
          return Tensors{result.out_BSND, result.lse_BNS.exp(), q, k, v};
        });
  }
}

TEST_P(GpuKernelsTest, HeadLossOverChunksWithTokensThatHaveNoLabel) {
  at::Tensor labels = at::randint(301, {90}, at::kLong);
  labels.slice(0, 0, 90, 4).fill_(-100);
  ExpectSame({Draw({90, 32}), Draw({301, 32})}, [&](const Tensors& in) {
    at::Tensor weight = at::zeros({301, 32}, in[0].options().dtype(at::kFloat));
    const HeadLossResult head =
        HeadCrossEntropy(in[0], in[1], labels, 0.3, weight, {.chunk_tokens = 16});
    return Tensors{head.loss_sum, head.grad_x_TH, weight};
  });
}

TEST_P(GpuKernelsTest, EmbeddingWithRepeatedIds) {
  ExpectSame({at::randint(20, {200}, at::kLong), Draw({31, 24}), Draw({200, 24})},
             [](const Tensors& in) {
               at::Tensor gradient = at::ones({31, 24}, in[1].options().dtype(at::kFloat));
               AccumulateEmbeddingGradient(in[0], in[2], gradient);
               return Tensors{EmbeddingForward(in[0], in[1], at::kBFloat16), gradient};
             });
}

TEST_P(GpuKernelsTest, OptimizersAndTheirComputeCopies) {
  ExpectSame({at::randn({1000}), at::randn({1000})}, [](const Tensors& in) {
    at::Tensor adamw = in[0].clone(), avg = at::zeros_like(adamw), sq = at::zeros_like(adamw);
    at::Tensor sgd = in[0].clone(), momentum = at::zeros_like(sgd);
    at::Tensor copy = at::empty({1000}, in[0].options().dtype(at::kBFloat16));
    for (int64_t step = 1; step <= 3; ++step) {
      AdamW(adamw, in[1], avg, sq, copy, {0.01, 0.9, 0.95, 1e-8, 0.1, step, 0.5});
      Sgd(sgd, in[1], momentum, {}, {0.1, 0.9, 0.05, step, 0.5});
    }
    EXPECT_TRUE(copy.equal(adamw.to(at::kBFloat16)));
    CastInto(copy, sgd);
    EXPECT_TRUE(copy.equal(sgd.to(at::kBFloat16)));
    return Tensors{adamw, avg, sq, sgd, momentum};
  });
}

TEST_P(GpuKernelsTest, SumOfSquares) {
  const at::Tensor a = Draw({5001}), b = Draw({7});
  const double expected = kernels::SumOfSquares({a, b}).Value();
  const double actual = kernels::SumOfSquares({a.to(at::kCUDA), b.to(at::kCUDA)}).Value();
  EXPECT_NEAR(actual / expected, 1, 1e-12);
}

TEST_P(GpuKernelsTest, PinnedCopiesArriveWhole) {
  for (int repeat = 0; repeat < 50; ++repeat) {
    const at::Tensor host = Draw({10000});
    EXPECT_TRUE(ToDevice(host.clone(), at::kCUDA).cpu().equal(host));
  }
}

INSTANTIATE_TEST_SUITE_P(Dtypes, GpuKernelsTest, testing::Values(at::kFloat, at::kBFloat16));

}  // namespace
}  // namespace hyperpp::kernels
