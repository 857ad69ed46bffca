#include "tests/kernels/attention_reference.h"

#include <limits>

#include <torch/csrc/autograd/autograd.h>

namespace hyperpp::kernels {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// [B, T, heads, D] with other heads before and behind it.
at::Tensor Draw(int64_t batch, int64_t tokens, int64_t heads, const AttentionCase& shape,
                at::Generator& generator) {
  const at::Tensor wide = at::randn({batch, tokens, heads + 3, shape.dim}, generator, at::kFloat);
  return wide.to(shape.dtype).narrow(2, 1, heads);
}

}  // namespace

AttentionInputs DrawInputs(const AttentionCase& shape, int64_t seed) {
  at::Generator generator = at::detail::createCPUGenerator(seed);
  AttentionInputs inputs;
  inputs.q = Draw(shape.batch, shape.queries, shape.heads, shape, generator);
  inputs.k = Draw(shape.batch, shape.keys, shape.kv_heads, shape, generator);
  inputs.v = Draw(shape.batch, shape.keys, shape.kv_heads, shape, generator);
  inputs.grad_out = Draw(shape.batch, shape.queries, shape.heads, shape, generator);
  return inputs;
}

ReferenceAttention Reference(const AttentionInputs& inputs, const AttentionOptions& options,
                             const at::Tensor& factors) {
  const auto leaf = [](const at::Tensor& x) { return x.to(at::kDouble).clone().requires_grad_(); };
  const at::Tensor q = leaf(inputs.q), k = leaf(inputs.k), v = leaf(inputs.v);
  const int64_t group = q.size(2) / k.size(2), num_keys = k.size(1);
  const auto heads_first = [](const at::Tensor& x) { return x.transpose(1, 2); };
  const at::Tensor keys = heads_first(k).repeat_interleave(group, 1);
  const at::Tensor values = heads_first(v).repeat_interleave(group, 1);
  const at::Tensor position = at::arange(num_keys, at::kInt);
  const at::Tensor outside = position.lt(options.key_begin_BS.unsqueeze(-1))
                                 .logical_or(position.ge(options.key_end_BS.unsqueeze(-1)))
                                 .unsqueeze(1);
  const at::Tensor scores = (at::matmul(heads_first(q), keys.transpose(2, 3)) * options.scale)
                                .masked_fill(outside, -1e30);
  const at::Tensor empty = outside.all(-1, true);
  at::Tensor p = at::softmax(scores, -1).masked_fill(outside, 0);
  const at::Tensor lse = at::logsumexp(scores, -1, true).masked_fill(empty, -kInfinity).squeeze(-1);
  if (factors.defined()) p = p * factors.to(at::kDouble);
  const at::Tensor out = at::matmul(p, values).transpose(1, 2);
  const auto gradients = torch::autograd::grad({out}, {q, k, v}, {inputs.grad_out.to(at::kDouble)});
  return {out.detach(), lse.detach(), gradients[0], gradients[1], gradients[2]};
}

double RelativeError(const at::Tensor& actual, const at::Tensor& expected) {
  if (actual.sizes() != expected.sizes()) return kInfinity;
  const double scale = std::max(expected.abs().max().item<double>(), 1e-3);
  const double error = (actual.to(at::kDouble) - expected).abs().max().item<double>();
  return error == error ? error / scale : kInfinity;
}

}  // namespace hyperpp::kernels
