#include "hyperpp/kernels/matrix_product.h"

#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "hyperpp/core/error.h"
#include "hyperpp/kernels/gemm_bf16.h"

namespace hyperpp::kernels {
namespace {

struct Shape {
  int64_t rows, inner, columns;
};

// Edges of tiles (12 x 32), of packing (pairs, 16 words) and of inner blocks (1024).
const std::vector<Shape> kShapes = {{1, 1, 1},    {1, 64, 33},   {13, 31, 1},   {12, 32, 32},
                                    {37, 97, 65}, {5, 2050, 40}, {130, 33, 97}, {64, 1025, 513}};

std::vector<ProductMethod> Methods() {
  const at::Tensor bf16 = at::zeros({1, 1}, at::kBFloat16);
  std::vector<ProductMethod> methods = {ProductMethod::kConverted, ChooseProductMethod(bf16)};
  if (CanMultiplyBf16()) methods.push_back(ProductMethod::kAvx512Bf16);
  return methods;
}

// Random values; transposed: the same shape with the first dim of unit stride.
at::Tensor Random(int64_t rows, int64_t columns, bool transposed, at::ScalarType dtype) {
  return transposed ? at::randn({columns, rows}).to(dtype).t()
                    : at::randn({rows, columns}).to(dtype);
}

double RelativeError(const at::Tensor& value, const at::Tensor& expected) {
  return ((value.to(at::kDouble) - expected).abs().max() / expected.abs().max()).item<double>();
}

TEST(MatrixProductTest, AgreesWithDoublePrecisionInEveryLayout) {
  for (const Shape& shape : kShapes) {
    for (int layout = 0; layout < 4; ++layout) {
      const at::Tensor a = Random(shape.rows, shape.inner, layout & 1, at::kBFloat16);
      const at::Tensor b = Random(shape.inner, shape.columns, layout & 2, at::kBFloat16);
      const at::Tensor expected = at::mm(a.to(at::kDouble), b.to(at::kDouble));
      for (ProductMethod method : Methods()) {
        for (int threads : {1, 3}) {
          at::set_num_threads(threads);
          at::Tensor out = at::full({shape.rows, shape.columns}, std::nan(""), at::kFloat);
          MultiplyIntoFp32(out, a, b, false, method);
          EXPECT_LT(RelativeError(out, expected), 2e-6)
              << shape.rows << " " << shape.inner << " " << shape.columns << " layout " << layout
              << " method " << static_cast<int>(method);
          MultiplyIntoFp32(out, a, b, true, method);
          EXPECT_LT(RelativeError(out, 2 * expected), 2e-6);
        }
      }
    }
  }
}

TEST(MatrixProductTest, TakesStridedOperandsAndResults) {
  for (ProductMethod method : Methods()) {
    const at::Tensor a = at::randn({20, 90}).to(at::kBFloat16).narrow(1, 7, 41);
    const at::Tensor b = at::randn({41, 120}).to(at::kBFloat16).narrow(1, 3, 50);
    const at::Tensor gaps = at::randn({41, 100}).to(at::kBFloat16).slice(1, 0, 100, 2);
    const at::Tensor whole = at::ones({20, 64});
    MultiplyIntoFp32(whole.narrow(1, 5, 50), a, b, false, method);
    EXPECT_LT(RelativeError(whole.narrow(1, 5, 50), at::mm(a.to(at::kDouble), b.to(at::kDouble))),
              2e-6);
    EXPECT_TRUE(at::equal(whole.narrow(1, 0, 5), at::ones({20, 5})));
    EXPECT_TRUE(at::equal(whole.narrow(1, 55, 9), at::ones({20, 9})));
    MultiplyIntoFp32(whole.narrow(1, 5, 50), a, gaps, false, method);
    EXPECT_LT(
        RelativeError(whole.narrow(1, 5, 50), at::mm(a.to(at::kDouble), gaps.to(at::kDouble))),
        2e-6);
  }
}

TEST(MatrixProductTest, OwnProductIsTheSameAtAnyNumberOfThreads) {
  if (!CanMultiplyBf16()) GTEST_SKIP() << "this CPU has no AVX512_BF16";
  const at::Tensor a = Random(100, 1500, true, at::kBFloat16);
  const at::Tensor b = Random(1500, 300, false, at::kBFloat16);
  std::vector<at::Tensor> results;
  for (int threads : {1, 2, 3, 4}) {
    at::set_num_threads(threads);
    results.push_back(at::zeros({100, 300}));
    MultiplyIntoFp32(results.back(), a, b, true, ProductMethod::kAvx512Bf16);
    EXPECT_TRUE(at::equal(results.back(), results.front()));
  }
}

TEST(MatrixProductTest, RoundsBfloat16ResultsOnce) {
  for (const Shape& shape : kShapes) {
    const at::Tensor a = Random(shape.rows, shape.inner, false, at::kBFloat16);
    const at::Tensor b = Random(shape.inner, shape.columns, true, at::kBFloat16);
    const at::Tensor out = Multiply(a, b);
    ASSERT_EQ(out.scalar_type(), at::kBFloat16);
    const at::Tensor expected = at::mm(a.to(at::kDouble), b.to(at::kDouble));
    // Half a unit in the last of 8 bits, and the fp32 sum's own error where values cancel.
    const at::Tensor bound = expected.abs() / 256 + expected.abs().max() * 2e-6;
    EXPECT_TRUE(((out.to(at::kDouble) - expected).abs() <= bound).all().item<bool>());
  }
}

TEST(MatrixProductTest, Fp32ProductsAreFp32) {
  for (const Shape& shape : kShapes) {
    const at::Tensor a = Random(shape.rows, shape.inner, true, at::kFloat);
    const at::Tensor b = Random(shape.inner, shape.columns, false, at::kFloat);
    const at::Tensor expected = at::mm(a.to(at::kDouble), b.to(at::kDouble));
    at::Tensor out = at::empty({shape.rows, shape.columns});
    MultiplyIntoFp32(out, a, b, false);
    EXPECT_LT(RelativeError(out, expected), 2e-6);
    EXPECT_LT(RelativeError(Multiply(a, b), expected), 2e-6);
  }
}

TEST(MatrixProductTest, EmptyInnerDimGivesZeros) {
  const at::Tensor a = at::empty({3, 0}, at::kBFloat16), b = at::empty({0, 4}, at::kBFloat16);
  at::Tensor out = at::ones({3, 4});
  MultiplyIntoFp32(out, a, b, true);
  EXPECT_TRUE(at::equal(out, at::ones({3, 4})));
  MultiplyIntoFp32(out, a, b, false);
  EXPECT_TRUE(at::equal(out, at::zeros({3, 4})));
  EXPECT_EQ(Multiply(at::empty({0, 5}, at::kBFloat16), at::empty({5, 2}, at::kBFloat16)).size(0),
            0);
}

TEST(MatrixProductTest, RefusesShapesThatDoNotFit) {
  at::Tensor out = at::zeros({2, 2});
  EXPECT_THROW(MultiplyIntoFp32(out, at::zeros({2, 3}), at::zeros({4, 2}), false), InternalError);
  EXPECT_THROW(MultiplyIntoFp32(out, at::zeros({3, 3}), at::zeros({3, 2}), false), InternalError);
}

}  // namespace
}  // namespace hyperpp::kernels
