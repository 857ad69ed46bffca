#include "hyperpp/kernels/cross_entropy.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "hyperpp/core/error.h"
#include "hyperpp/kernels/cross_entropy_composed.h"
#include "hyperpp/kernels/matrix_product.h"
#include "hyperpp/kernels/parallel_for.h"
#include "hyperpp/kernels/scratch.h"
#include "hyperpp/kernels/softmax_rows.h"
#include "hyperpp/kernels/to_device.h"

namespace hyperpp::kernels {
namespace {

// About 64 MiB of logits. The weight and its gradient travel through memory once per chunk, so
// small chunks are slow: [2048, 512] x 32000 takes 1.1 times as long with 128 as with 512 tokens
// (Zen 4).
int64_t ChunkTokens(int64_t num_tokens, int64_t vocabulary, const HeadLossOptions& options) {
  if (options.chunk_tokens > 0) return std::min(options.chunk_tokens, num_tokens);
  const int64_t fitting = (int64_t{1} << 24) / vocabulary / 64 * 64;
  return std::min(std::clamp<int64_t>(fitting, 128, 4096), num_tokens);
}

// The tokens that have a label, in order.
std::vector<int64_t> LabelledTokens(const at::Tensor& labels_T, int64_t vocabulary) {
  const int64_t* labels = labels_T.const_data_ptr<int64_t>();
  std::vector<int64_t> tokens;
  tokens.reserve(labels_T.numel());
  for (int64_t token = 0; token < labels_T.numel(); ++token) {
    if (labels[token] >= vocabulary) {
      throw InputError(fmt::format("labels, token {}: label {} is outside the vocabulary of {}",
                                   token, labels[token], vocabulary));
    }
    if (labels[token] >= 0) tokens.push_back(token);
  }
  return tokens;
}

// One chunk's logits become losses and, with a gradient, the gradient of the logits.
struct LogitsChunk {
  at::Tensor logits_CV;  // fp32, contiguous; overwritten if the gradient is fp32
  at::Tensor labels_C;
  at::Tensor grad_CV;  // fp32 or bf16; undefined: losses only
  double token_weight;
  const HeadLossOptions& options;
};

// What a row's loss and gradient need of its logits.
struct RowNumbers {
  double log_sum_exp;
  double label_logit;  // 0 if the label's logit is not at hand
};

// The label's column, or -1 if it is not at hand.
int64_t LabelColumn(const LogitsChunk& chunk, int64_t row) {
  const int64_t column = chunk.labels_C.const_data_ptr<int64_t>()[row] - chunk.options.part.first;
  return column >= 0 && column < chunk.logits_CV.size(1) ? column : -1;
}

RowNumbers NumbersOfRow(const LogitsChunk& chunk, int64_t row) {
  const SoftmaxRows& rows = HYPERPP_SELECT_BUILD(kSoftmaxRows);
  const int64_t vocabulary = chunk.logits_CV.size(1), label = LabelColumn(chunk, row);
  const float* logits = chunk.logits_CV.const_data_ptr<float>() + row * vocabulary;
  double sum = 0;
  const double largest = rows.sum_exp(logits, vocabulary, &sum);
  return {largest + std::log(sum), label >= 0 ? logits[label] : 0.0};
}

// Returns the row's loss and writes the gradient, if wanted.
double LossOfRow(const LogitsChunk& chunk, int64_t row, const RowNumbers& numbers) {
  const double log_probability = numbers.label_logit - numbers.log_sum_exp;
  if (!chunk.grad_CV.defined()) return -log_probability;

  const SoftmaxRows& rows = HYPERPP_SELECT_BUILD(kSoftmaxRows);
  const int64_t vocabulary = chunk.logits_CV.size(1), label = LabelColumn(chunk, row);
  const float* logits = chunk.logits_CV.const_data_ptr<float>() + row * vocabulary;
  const auto log_sum_exp = static_cast<float>(numbers.log_sum_exp);
  const auto weight = static_cast<float>(chunk.token_weight);
  const auto label_grad = static_cast<float>(chunk.token_weight * std::expm1(log_probability));
  if (chunk.grad_CV.scalar_type() == at::kFloat) {
    float* grad = chunk.grad_CV.mutable_data_ptr<float>() + row * vocabulary;
    rows.softmax_fp32(logits, vocabulary, log_sum_exp, weight, grad);
    if (label >= 0) grad[label] = label_grad;
  } else {
    at::BFloat16* grad = chunk.grad_CV.mutable_data_ptr<at::BFloat16>() + row * vocabulary;
    rows.softmax_bf16(logits, vocabulary, log_sum_exp, weight, reinterpret_cast<uint16_t*>(grad));
    if (label >= 0) grad[label] = label_grad;
  }
  return -log_probability;
}

double LossOnCpu(const LogitsChunk& chunk) {
  const int64_t num_rows = chunk.logits_CV.size(0);
  std::vector<double> losses(num_rows);
  const auto for_each_row = [&](const auto& function) {
    ParallelFor(0, num_rows, 1, [&](int64_t first, int64_t last) {
      for (int64_t row = first; row < last; ++row) function(row);
    });
  };
  if (chunk.options.gather_parts) {
    const at::Tensor numbers_C2 = at::empty({num_rows, 2}, at::kDouble);
    auto* numbers = reinterpret_cast<RowNumbers*>(numbers_C2.mutable_data_ptr<double>());
    for_each_row([&](int64_t row) { numbers[row] = NumbersOfRow(chunk, row); });
    const at::Tensor whole_C2 = MergeParts(chunk.options.gather_parts(numbers_C2)).contiguous();
    const auto* whole = reinterpret_cast<const RowNumbers*>(whole_C2.const_data_ptr<double>());
    for_each_row([&](int64_t row) { losses[row] = LossOfRow(chunk, row, whole[row]); });
  } else {
    for_each_row(
        [&](int64_t row) { losses[row] = LossOfRow(chunk, row, NumbersOfRow(chunk, row)); });
  }
  double total = 0;
  for (double loss : losses) total += loss;
  return total;
}

// Buffers of one call, reused by all chunks.
struct ChunkBuffers {
  at::Tensor logits_CV, grad_CV, grad_x_CH;
};

ChunkBuffers AllocateBuffers(const at::Tensor& x_TH, int64_t chunk, int64_t vocabulary,
                             bool with_gradient) {
  ChunkBuffers buffers;
  const at::TensorOptions fp32 = x_TH.options().dtype(at::kFloat);
  buffers.logits_CV = EmptyScratch({chunk, vocabulary}, fp32);
  if (!with_gradient) return buffers;
  const bool in_place = x_TH.scalar_type() == at::kFloat;
  buffers.grad_CV =
      in_place ? buffers.logits_CV : EmptyScratch({chunk, vocabulary}, x_TH.options());
  buffers.grad_x_CH = at::empty({chunk, x_TH.size(1)}, fp32);
  return buffers;
}

at::Tensor NoLoss(const at::Tensor& x) { return at::zeros({}, x.options().dtype(at::kDouble)); }

// All tokens of x_TH have a label. labels_T is on the host.
HeadLossResult LossOfLabelled(const at::Tensor& x_TH, const at::Tensor& weight_VH,
                              const at::Tensor& labels_T, double token_weight,
                              const at::Tensor& weight_accumulator_VH,
                              const HeadLossOptions& options) {
  HeadLossResult result;
  const int64_t num_tokens = x_TH.size(0), vocabulary = weight_VH.size(0);
  if (options.with_gradient) result.grad_x_TH = at::empty_like(x_TH);
  const int64_t chunk_tokens = ChunkTokens(num_tokens, vocabulary, options);
  const ChunkBuffers buffers =
      AllocateBuffers(x_TH, chunk_tokens, vocabulary, options.with_gradient);
  const at::Tensor labels_device_T = ToDevice(labels_T, x_TH.device());
  result.loss_sum = NoLoss(x_TH);
  for (int64_t first = 0; first < num_tokens; first += chunk_tokens) {
    const int64_t size = std::min(chunk_tokens, num_tokens - first);
    const at::Tensor x_CH = x_TH.narrow(0, first, size);
    LogitsChunk chunk{buffers.logits_CV.narrow(0, 0, size), labels_device_T.narrow(0, first, size),
                      at::Tensor(), token_weight, options};
    if (options.with_gradient) chunk.grad_CV = buffers.grad_CV.narrow(0, 0, size);

    MultiplyIntoFp32(chunk.logits_CV, x_CH, weight_VH.t(), false);
    if (x_TH.is_cpu())
      result.loss_sum.add_(LossOnCpu(chunk));
    else
      result.loss_sum.add_(
          ComposedLossSum(chunk.logits_CV, chunk.labels_C, token_weight, chunk.grad_CV, options));
    if (!options.with_gradient) continue;
    const at::Tensor grad_x_CH = buffers.grad_x_CH.narrow(0, 0, size);
    MultiplyIntoFp32(grad_x_CH, chunk.grad_CV, weight_VH, false);
    result.grad_x_TH.narrow(0, first, size).copy_(grad_x_CH);
    if (weight_accumulator_VH.defined())
      MultiplyIntoFp32(weight_accumulator_VH, chunk.grad_CV.t(), x_CH, true);
  }
  return result;
}

}  // namespace

HeadLossResult HeadCrossEntropy(const at::Tensor& x_TH, const at::Tensor& weight_VH,
                                const at::Tensor& labels_T, double token_weight,
                                at::Tensor weight_accumulator_VH, const HeadLossOptions& options) {
  HYPERPP_CHECK_EQ(x_TH.size(0), labels_T.numel(), "tokens of the head");
  if (ChooseProductMethod(x_TH) == ProductMethod::kConverted) {
    // Converts once instead of once per product.
    HeadLossResult result =
        HeadCrossEntropy(x_TH.to(at::kFloat), weight_VH.to(at::kFloat), labels_T, token_weight,
                         weight_accumulator_VH, options);
    if (options.with_gradient) result.grad_x_TH = result.grad_x_TH.to(x_TH.scalar_type());
    return result;
  }
  const at::Tensor labels_cpu_T = labels_T.cpu().contiguous();
  std::vector<int64_t> tokens =
      LabelledTokens(labels_cpu_T, options.part.WholeRows(weight_VH.size(0)));
  const auto num_labelled = static_cast<int64_t>(tokens.size());
  if (num_labelled == x_TH.size(0) && num_labelled > 0) {
    return LossOfLabelled(x_TH, weight_VH, labels_cpu_T, token_weight, weight_accumulator_VH,
                          options);
  }
  HeadLossResult result{NoLoss(x_TH), {}};
  if (num_labelled > 0) {
    const at::Tensor tokens_L = at::from_blob(tokens.data(), {num_labelled}, at::kLong);
    const at::Tensor device_tokens_L = ToDevice(tokens_L, x_TH.device());
    result = LossOfLabelled(x_TH.index_select(0, device_tokens_L), weight_VH,
                            labels_cpu_T.index_select(0, tokens_L), token_weight,
                            weight_accumulator_VH, options);
    if (options.with_gradient) {
      result.grad_x_TH = at::zeros_like(x_TH).index_copy_(0, device_tokens_L, result.grad_x_TH);
    }
  } else if (options.with_gradient) {
    result.grad_x_TH = at::zeros_like(x_TH);
  }
  return result;
}

}  // namespace hyperpp::kernels
