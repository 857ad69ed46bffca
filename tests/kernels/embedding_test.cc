#include "hyperpp/kernels/embedding.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "hyperpp/core/error.h"

namespace hyperpp::kernels {
namespace {

TEST(EmbeddingTest, ForwardCopiesRowsInEveryDtype) {
  for (at::ScalarType from : {at::kFloat, at::kBFloat16}) {
    for (at::ScalarType to : {at::kFloat, at::kBFloat16}) {
      const at::Tensor weight_VH = at::randn({50, 37}).to(from);
      const at::Tensor ids_T = at::randint(50, {1000}, at::kLong);
      const at::Tensor out_TH = EmbeddingForward(ids_T, weight_VH, to);
      EXPECT_TRUE(at::equal(out_TH, weight_VH.index_select(0, ids_T).to(to)));
    }
  }
}

TEST(EmbeddingTest, BackwardAddsEveryTokenToItsRow) {
  for (at::ScalarType dtype : {at::kFloat, at::kBFloat16}) {
    at::Tensor repeated;
    for (int threads : {1, 2, 3}) {
      at::set_num_threads(threads);
      at::manual_seed(3);
      const at::Tensor ids_T = at::randint(20, {3000}, at::kLong);
      const at::Tensor grad_TH = at::randn({3000, 61}).to(dtype).narrow(1, 4, 50);
      at::Tensor accumulator_VH = at::ones({23, 50});
      AccumulateEmbeddingGradient(ids_T, grad_TH, accumulator_VH);
      const at::Tensor expected =
          at::ones({23, 50}, at::kDouble).index_add(0, ids_T, grad_TH.to(at::kDouble));
      EXPECT_LT((accumulator_VH - expected).abs().max().item<double>(), 1e-4);
      EXPECT_TRUE(at::equal(accumulator_VH.narrow(0, 20, 3), at::ones({3, 50})));
      if (repeated.defined()) EXPECT_TRUE(at::equal(accumulator_VH, repeated));
      repeated = accumulator_VH;
    }
  }
}

TEST(EmbeddingTest, OneTokenIdForAllTokens) {
  at::set_num_threads(2);
  const at::Tensor ids_T = at::full({500}, 4, at::kLong);
  at::Tensor accumulator_VH = at::zeros({6, 200});
  AccumulateEmbeddingGradient(ids_T, at::ones({500, 200}), accumulator_VH);
  EXPECT_TRUE(at::equal(accumulator_VH[4], at::full({200}, 500.f)));
  EXPECT_EQ(accumulator_VH.sum().item<float>(), 500 * 200);
}

TEST(EmbeddingTest, IdsOutsideTheTableAreRefused) {
  for (int64_t id : {-1, 6}) {
    at::Tensor accumulator_VH = at::zeros({6, 4});
    const at::Tensor ids_T = at::full({3}, id, at::kLong);
    EXPECT_THROW(EmbeddingForward(ids_T, accumulator_VH, at::kFloat), InputError);
    EXPECT_THROW(AccumulateEmbeddingGradient(ids_T, at::ones({3, 4}), accumulator_VH), InputError);
  }
}

TEST(EmbeddingTest, PartsOfTheTableAddUpToTheWhole) {
  const at::Tensor weight_VH = at::randn({12, 7});
  const at::Tensor ids_T = at::tensor({0, 3, 4, 7, 8, 11, 4, 4}, at::kLong);  // borders of 3 parts
  const at::Tensor grad_TH = at::randn({8, 7});
  at::Tensor sum_TH = at::zeros({8, 7}), accumulator_VH = at::zeros({12, 7});
  for (int64_t first : {0, 4, 8}) {
    const VocabularyPart part{first, 12};
    sum_TH += EmbeddingForward(ids_T, weight_VH.narrow(0, first, 4), at::kFloat, part);
    AccumulateEmbeddingGradient(ids_T, grad_TH, accumulator_VH.narrow(0, first, 4), part);
  }
  EXPECT_TRUE(at::equal(sum_TH, weight_VH.index_select(0, ids_T)));
  EXPECT_TRUE(at::allclose(accumulator_VH, at::zeros({12, 7}).index_add(0, ids_T, grad_TH)));
}

TEST(EmbeddingTest, IdsOutsideTheWholeTableAreRefusedByEveryPart) {
  for (int64_t id : {-1, 12}) {
    for (int64_t first : {0, 8}) {
      at::Tensor accumulator_VH = at::zeros({4, 4});
      const at::Tensor ids_T = at::full({3}, id, at::kLong);
      const VocabularyPart part{first, 12};
      EXPECT_THROW(EmbeddingForward(ids_T, accumulator_VH, at::kFloat, part), InputError);
      EXPECT_THROW(AccumulateEmbeddingGradient(ids_T, at::ones({3, 4}), accumulator_VH, part),
                   InputError);
    }
  }
}

}  // namespace
}  // namespace hyperpp::kernels
