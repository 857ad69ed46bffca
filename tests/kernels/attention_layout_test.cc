#include "hyperpp/kernels/attention_layout.h"

#include <tuple>
#include <vector>

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "tests/kernels/builds.h"

namespace hyperpp::kernels {
namespace {

constexpr int64_t kRows = 37, kTokens = 48, kDim = 44, kPadded = 64;

// [kRows, kDim] inside wider rows.
at::Tensor Draw(at::ScalarType dtype) {
  at::manual_seed(1);
  return at::randn({kRows, kDim + 9}).to(dtype).narrow(1, 5, kDim);
}

HeadRows RowsOf(const at::Tensor& x) { return {x.const_data_ptr(), x.stride(0), kRows, kDim}; }

// What load_rows should write.
at::Tensor Padded(const at::Tensor& x, at::ScalarType element) {
  at::Tensor padded = at::zeros({kTokens, kPadded}, element);
  padded.narrow(0, 0, kRows).narrow(1, 0, kDim).copy_(x);
  return padded;
}

struct Layout {
  const char* build;
  const AttentionLayout* layout;
  at::ScalarType tensor, element;
};

std::vector<Layout> AllLayouts() {
  std::vector<Layout> all;
  for (const auto& [build, layout] : HYPERPP_TEST_BUILDS(AttentionLayout, kAttentionLayoutFp32))
    all.push_back({build, layout, at::kFloat, at::kFloat});
  for (const auto& [build, layout] : HYPERPP_TEST_BUILDS(AttentionLayout, kAttentionLayoutBf16))
    all.push_back({build, layout, at::kBFloat16, at::kBFloat16});
  for (const auto& [build, layout] :
       HYPERPP_TEST_BUILDS(AttentionLayout, kAttentionLayoutBf16AsFp32))
    all.push_back({build, layout, at::kBFloat16, at::kFloat});
  return all;
}

TEST(AttentionLayoutTest, RowsArePaddedWithZeros) {
  for (const Layout& l : AllLayouts()) {
    const at::Tensor x = Draw(l.tensor);
    at::Tensor rows = at::full({kTokens, kPadded}, 7, l.element);
    l.layout->load_rows(RowsOf(x), kTokens, kPadded, rows.mutable_data_ptr());
    EXPECT_TRUE(rows.equal(Padded(x, l.element))) << l.build;
  }
}

TEST(AttentionLayoutTest, PairedRowsStandSideBySideInBf16) {
  for (const Layout& l : AllLayouts()) {
    const at::Tensor x = Draw(l.tensor), padded = Padded(x, l.element);
    at::Tensor paired = at::full({kTokens, kPadded}, 7, l.element);
    l.layout->load_paired_rows(RowsOf(x), kTokens, kPadded, paired.mutable_data_ptr());
    const at::Tensor expected =
        l.element == at::kFloat ? padded : padded.view({kTokens / 2, 2, kPadded}).transpose(1, 2);
    EXPECT_TRUE(paired.view(expected.sizes()).equal(expected)) << l.build;
  }
}

TEST(AttentionLayoutTest, ColumnsAndTransposedFollowTheHead) {
  for (const Layout& l : AllLayouts()) {
    const at::Tensor padded = Padded(Draw(l.tensor), l.element);
    at::Tensor transposed = at::full({kPadded, kAttentionBlock}, 7, l.element);
    l.layout->transposed(padded.const_data_ptr(), kTokens, kPadded, transposed.mutable_data_ptr());
    EXPECT_TRUE(transposed.narrow(1, 0, kTokens).equal(padded.t())) << l.build;
    at::Tensor columns = at::full({kPadded, kAttentionBlock}, 7, l.element);
    l.layout->columns(padded.const_data_ptr(), kTokens, kPadded, columns.mutable_data_ptr());
    if (l.element == at::kBFloat16)  // [dim / 2][token][2]
      columns = columns.view({kPadded / 2, kAttentionBlock, 2})
                    .transpose(1, 2)
                    .reshape({kPadded, kAttentionBlock});
    EXPECT_TRUE(columns.narrow(1, 0, kTokens).equal(padded.t())) << l.build;
  }
}

TEST(AttentionLayoutTest, StoresScaleAndLeaveNeighboursAlone) {
  for (const Layout& l : AllLayouts()) {
    const at::Tensor rows = at::randn({kTokens, kPadded});
    const at::Tensor columns = at::randn({kPadded, kAttentionBlock});
    const at::Tensor factors = at::rand({kAttentionBlock});
    const at::Tensor whole = at::full({kRows + 1, kDim + 9}, 7, l.tensor);
    const at::Tensor target = whole.narrow(0, 0, kRows).narrow(1, 5, kDim);
    const MutableHeadRows to{target.mutable_data_ptr(), target.stride(0), kRows, kDim};
    const auto inside = [](const at::Tensor& x) {
      return x.narrow(0, 0, kRows).narrow(1, 0, kDim);
    };
    l.layout->store_rows(rows.const_data_ptr<float>(), kPadded, 0.5f, to);
    EXPECT_TRUE(target.equal(inside(rows * 0.5f).to(l.tensor))) << l.build;
    l.layout->store_columns(columns.const_data_ptr<float>(), factors.const_data_ptr<float>(), to);
    EXPECT_TRUE(target.equal(inside((columns * factors).t()).to(l.tensor))) << l.build;
    target.fill_(7);
    EXPECT_TRUE(whole.eq(7).all().item<bool>()) << l.build;
  }
}

TEST(AttentionLayoutTest, RowDotsSumOverTheHeadDim) {
  for (const Layout& l : AllLayouts()) {
    const at::Tensor a = Draw(l.tensor), b = a.flip(0).contiguous();
    at::Tensor dots = at::empty({kRows});
    l.layout->row_dots(RowsOf(a), RowsOf(b), dots.mutable_data_ptr<float>());
    const at::Tensor expected = (a.to(at::kDouble) * b.to(at::kDouble)).sum(1);
    EXPECT_TRUE(at::allclose(dots.to(at::kDouble), expected, 1e-5, 1e-5)) << l.build;
  }
}

}  // namespace
}  // namespace hyperpp::kernels
