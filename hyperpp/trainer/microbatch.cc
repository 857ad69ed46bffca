#include "hyperpp/trainer/microbatch.h"

#include <algorithm>
#include <numeric>

#include <ATen/ops/full.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include "hyperpp/core/error.h"
#include "hyperpp/core/round_up.h"
#include "hyperpp/kernels/to_device.h"

namespace hyperpp::trainer {
namespace {

// Copies one sample into row `row` of the padded tensors of whole sequences.
void FillRow(const data::Sample& sample, int64_t row, Microbatch& out) {
  const int64_t offset = row * out.sequence;
  int64_t* ids = out.ids_T.mutable_data_ptr<int64_t>() + offset;
  int64_t* labels = out.labels_T.mutable_data_ptr<int64_t>() + offset;
  int32_t* starts = out.document_starts_BL.mutable_data_ptr<int32_t>() + offset;
  int32_t* positions = out.positions_T.mutable_data_ptr<int32_t>() + offset;
  std::copy(sample.tokens.begin(), sample.tokens.end(), ids);
  std::copy(sample.labels.begin(), sample.labels.end(), labels);
  std::copy(sample.document_starts.begin(), sample.document_starts.end(), starts);
  const int64_t length = sample.length();
  std::iota(starts + length, starts + out.sequence, static_cast<int32_t>(length));
  for (int64_t i = 0; i < out.sequence; ++i) positions[i] = static_cast<int32_t>(i) - starts[i];
}

// Keeps a rank's tokens of what was filled for whole sequences.
void Keep(const TokenShare& share, Microbatch& out) {
  const int64_t length = out.sequence;
  out.token_indices_S = at::tensor(share.cut.IndicesOf(share.context_coordinate, length), at::kInt);
  out.sequence = out.token_indices_S.numel();
  if (out.sequence == length) return;
  for (at::Tensor* of_tokens : {&out.ids_T, &out.labels_T, &out.positions_T})
    *of_tokens =
        of_tokens->view({out.batch, length}).index_select(1, out.token_indices_S).view({-1});
}

}  // namespace

TokenShare TokenShareOf(const MeshLayout& layout, int rank, bool balanced) {
  const int64_t context = layout.Degree(Axis::kContext), tensor = layout.Degree(Axis::kTensor);
  const parallel::SequenceCut cut(static_cast<int>(context), balanced);
  return {cut, layout.Coordinate(rank, Axis::kContext), std::lcm(cut.Multiple(), context * tensor)};
}

Microbatch MakeMicrobatch(const std::vector<data::Sample>& samples, int64_t first_index,
                          int64_t longest, const TokenShare& share, at::Device device) {
  Microbatch out;
  out.batch = static_cast<int64_t>(samples.size());
  out.sequence = RoundUp(longest, share.length_multiple);
  const int64_t tokens = out.batch * out.sequence;
  out.ids_T = at::zeros({tokens}, at::kLong);
  out.labels_T = at::full({tokens}, data::kNoLabel, at::kLong);
  out.positions_T = at::zeros({tokens}, at::kInt);
  out.document_starts_BL = at::zeros({out.batch, out.sequence}, at::kInt);
  out.sample_ids_B = at::zeros({out.batch}, at::kLong);
  for (int64_t row = 0; row < out.batch; ++row) {
    const data::Sample& sample = samples[row];
    HYPERPP_CHECK_LE(sample.length(), longest, "sample {}", first_index + row);
    FillRow(sample, row, out);
    out.sample_ids_B.mutable_data_ptr<int64_t>()[row] = first_index + row;
    out.num_tokens += sample.length();
    out.num_labels += sample.NumLabels();
  }
  Keep(share, out);
  for (at::Tensor* tensor : {&out.ids_T, &out.positions_T})
    *tensor = kernels::ToDevice(*tensor, device);
  return out;
}

pipeline::MicrobatchInput InputOf(const Microbatch& microbatch, double token_weight, int64_t step) {
  const auto rows = [&](const at::Tensor& flat) {
    return flat.view({microbatch.batch, microbatch.sequence});
  };
  return {{{"input_ids", rows(microbatch.ids_T)},
           {"positions", rows(microbatch.positions_T)},
           {"token_indices", microbatch.token_indices_S},
           {"document_starts", microbatch.document_starts_BL},
           {"sample_ids", microbatch.sample_ids_B},
           {"token_weight", at::scalar_tensor(token_weight, at::kDouble)},
           {"step", at::scalar_tensor(step, at::kLong)}},
          rows(microbatch.labels_T)};
}

}  // namespace hyperpp::trainer
