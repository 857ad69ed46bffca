#include "hyperpp/kernels/embedding_composed.h"

#include <ATen/ops/embedding.h>

namespace hyperpp::kernels {
namespace {

// Each token's row, 0 for tokens of other parts, which `outside_T` marks.
struct LocalRows {
  at::Tensor rows_T, outside_T;  // outside_T is undefined if all rows are at hand
};

LocalRows LocalRowsOf(const at::Tensor& ids_T, int64_t num_rows, const VocabularyPart& part) {
  if (part.WholeRows(num_rows) == num_rows) return {ids_T, {}};
  const at::Tensor rows_T = ids_T - part.first;
  const at::Tensor outside_T = (rows_T < 0).logical_or_(rows_T >= num_rows);
  return {rows_T.masked_fill(outside_T, 0), outside_T};
}

}  // namespace

at::Tensor ComposedEmbeddingForward(const at::Tensor& ids_T, const at::Tensor& weight_VH,
                                    at::ScalarType dtype, const VocabularyPart& part) {
  const LocalRows local = LocalRowsOf(ids_T, weight_VH.size(0), part);
  const at::Tensor out_TH = at::embedding(weight_VH, local.rows_T).to(dtype);
  return local.outside_T.defined() ? out_TH.masked_fill(local.outside_T.unsqueeze(1), 0) : out_TH;
}

void ComposedAccumulateEmbeddingGradient(const at::Tensor& ids_T, const at::Tensor& grad_TH,
                                         at::Tensor accumulator_VH, const VocabularyPart& part) {
  const LocalRows local = LocalRowsOf(ids_T, accumulator_VH.size(0), part);
  at::Tensor grad = grad_TH.to(at::kFloat);
  if (local.outside_T.defined()) grad = grad.masked_fill(local.outside_T.unsqueeze(1), 0);
  accumulator_VH.index_add_(0, local.rows_T, grad);
}

}  // namespace hyperpp::kernels
