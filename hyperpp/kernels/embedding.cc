#include "hyperpp/kernels/embedding.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include <ATen/ops/empty.h>

#include "hyperpp/core/error.h"
#include "hyperpp/kernels/embedding_composed.h"
#include "hyperpp/kernels/optimizer_rows.h"
#include "hyperpp/kernels/parallel_for.h"
#include "hyperpp/kernels/row_sums.h"

namespace hyperpp::kernels {
namespace {

constexpr int64_t kGrainElements = 1 << 14;

int64_t GrainRows(int64_t hidden) { return std::max<int64_t>(1, kGrainElements / hidden); }

void CheckIds(const at::Tensor& ids_T, int64_t vocabulary) {
  const int64_t* ids = ids_T.const_data_ptr<int64_t>();
  for (int64_t token = 0; token < ids_T.numel(); ++token) {
    if (ids[token] < 0 || ids[token] >= vocabulary) {
      throw InputError(fmt::format("input_ids, token {}: id {} is outside the vocabulary of {}",
                                   token, ids[token], vocabulary));
    }
  }
}

// Copies one row, converting between fp32 and bf16 if need be.
void CopyRow(const at::Tensor& weight_VH, int64_t id, const at::Tensor& out_TH, int64_t token) {
  const OptimizerRows& rows = HYPERPP_SELECT_BUILD(kOptimizerRows);
  const int64_t hidden = weight_VH.size(1);
  const char* from =
      static_cast<const char*>(weight_VH.const_data_ptr()) + id * hidden * weight_VH.element_size();
  char* to = static_cast<char*>(out_TH.mutable_data_ptr()) + token * hidden * out_TH.element_size();
  if (weight_VH.scalar_type() == out_TH.scalar_type()) {
    std::memcpy(to, from, static_cast<size_t>(hidden * out_TH.element_size()));
  } else if (out_TH.scalar_type() == at::kBFloat16) {
    rows.fp32_to_bf16(reinterpret_cast<const float*>(from), reinterpret_cast<uint16_t*>(to),
                      hidden);
  } else {
    rows.bf16_to_fp32(reinterpret_cast<const uint16_t*>(from), reinterpret_cast<float*>(to),
                      hidden);
  }
}

struct TokenOfRow {
  int64_t row, token;
  bool operator<(const TokenOfRow& other) const {
    return row != other.row ? row < other.row : token < other.token;
  }
};

// The tokens whose row is one of `num_rows` here.
std::vector<TokenOfRow> SortByRow(const at::Tensor& ids_T, int64_t first_id, int64_t num_rows) {
  const int64_t* ids = ids_T.const_data_ptr<int64_t>();
  std::vector<TokenOfRow> sorted;
  sorted.reserve(ids_T.numel());
  for (int64_t token = 0; token < ids_T.numel(); ++token) {
    const int64_t row = ids[token] - first_id;
    if (row >= 0 && row < num_rows) sorted.push_back({row, token});
  }
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

void ZeroRow(const at::Tensor& out_TH, int64_t token) {
  const auto row_bytes = static_cast<size_t>(out_TH.size(1) * out_TH.element_size());
  std::memset(static_cast<char*>(out_TH.mutable_data_ptr()) + token * row_bytes, 0, row_bytes);
}

void CheckDtype(const at::Tensor& tensor) {
  HYPERPP_CHECK(tensor.scalar_type() == at::kFloat || tensor.scalar_type() == at::kBFloat16,
                "an embedding of {}", c10::toString(tensor.scalar_type()));
}

}  // namespace

at::Tensor EmbeddingForward(const at::Tensor& ids_T, const at::Tensor& weight_VH,
                            at::ScalarType dtype, const VocabularyPart& part) {
  const int64_t num_rows = weight_VH.size(0);
  if (!weight_VH.is_cpu()) {
    // The mask of other parts' tokens would hide a wrong id from the lookup, which reports it else.
    if (part.WholeRows(num_rows) != num_rows) CheckIds(ids_T.cpu(), part.WholeRows(num_rows));
    return ComposedEmbeddingForward(ids_T, weight_VH, dtype, part);
  }
  CheckIds(ids_T, part.WholeRows(num_rows));
  CheckDtype(weight_VH);
  at::Tensor out_TH =
      at::empty({ids_T.numel(), weight_VH.size(1)}, weight_VH.options().dtype(dtype));
  CheckDtype(out_TH);
  const int64_t* ids = ids_T.const_data_ptr<int64_t>();
  ParallelFor(0, ids_T.numel(), GrainRows(weight_VH.size(1)), [&](int64_t first, int64_t last) {
    for (int64_t token = first; token < last; ++token) {
      const int64_t row = ids[token] - part.first;
      if (row >= 0 && row < num_rows) {
        CopyRow(weight_VH, row, out_TH, token);
      } else {
        ZeroRow(out_TH, token);
      }
    }
  });
  return out_TH;
}

void AccumulateEmbeddingGradient(const at::Tensor& ids_T, const at::Tensor& grad_TH,
                                 at::Tensor accumulator_VH, const VocabularyPart& part) {
  HYPERPP_CHECK_EQ(ids_T.numel(), grad_TH.size(0), "tokens of the embedding's gradient");
  if (!accumulator_VH.is_cpu())
    return ComposedAccumulateEmbeddingGradient(ids_T, grad_TH, accumulator_VH, part);
  CheckIds(ids_T, part.WholeRows(accumulator_VH.size(0)));
  CheckDtype(grad_TH);
  const at::Tensor grad = grad_TH.stride(1) == 1 ? grad_TH : grad_TH.contiguous();
  const int64_t hidden = grad.size(1);
  const std::vector<TokenOfRow> sorted = SortByRow(ids_T, part.first, accumulator_VH.size(0));
  const auto num_tokens = static_cast<int64_t>(sorted.size());
  // Moves a piece's border to where the next row starts, so that no two threads share a row.
  const auto start_of_row = [&](int64_t i) {
    while (i > 0 && i < num_tokens && sorted[i].row == sorted[i - 1].row) ++i;
    return i;
  };
  const RowSums& rows = HYPERPP_SELECT_BUILD(kRowSums);
  float* sums = accumulator_VH.mutable_data_ptr<float>();
  const bool is_fp32 = grad.scalar_type() == at::kFloat;
  ParallelFor(0, num_tokens, GrainRows(hidden), [&](int64_t first, int64_t last) {
    for (int64_t i = start_of_row(first); i < start_of_row(last); ++i) {
      const int64_t offset = sorted[i].token * grad.stride(0);
      float* sum = sums + sorted[i].row * hidden;
      if (is_fp32) {
        rows.add_row_fp32(grad.const_data_ptr<float>() + offset, sum, hidden);
      } else {
        rows.add_row_bf16(
            reinterpret_cast<const uint16_t*>(grad.const_data_ptr<at::BFloat16>()) + offset, sum,
            hidden);
      }
    }
  });
}

}  // namespace hyperpp::kernels
