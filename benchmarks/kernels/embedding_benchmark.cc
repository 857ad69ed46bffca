#include <ATen/ATen.h>

#include "hyperpp/kernels/embedding.h"

#include "benchmarks/kernels/compare.h"

namespace hyperpp::kernels {

void CompareEmbedding() {
  const at::Tensor ids_T = at::randint(32000, {2048}, at::kLong);
  const at::Tensor weight_VH = at::randn({32000, 512});
  const at::Tensor grad_TH = at::randn({2048, 512}).to(at::kBFloat16);
  const at::Tensor accumulator_VH = at::zeros({32000, 512});
  Compare(
      "embedding_forward/2048x512", 0, [=] { at::embedding(weight_VH, ids_T).to(at::kBFloat16); },
      [=] { EmbeddingForward(ids_T, weight_VH, at::kBFloat16); });
  Compare(
      "embedding_backward/2048x512", 0,
      [=] {
        at::Tensor(accumulator_VH)
            .add_(at::embedding_dense_backward(grad_TH, ids_T, 32000, -1, false));
      },
      [=] { AccumulateEmbeddingGradient(ids_T, grad_TH, accumulator_VH); });
}

}  // namespace hyperpp::kernels
