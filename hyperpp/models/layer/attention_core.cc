#include "hyperpp/models/layer/attention_core.h"

namespace hyperpp::models {

AttentionCall::AttentionCall(const AttentionRequest& request, const AttentionRows& rows) {
  options_.scale = request.scale;
  options_.key_begin_BS = rows.keys_of_query.begin_BS;
  options_.key_end_BS = rows.keys_of_query.end_BS;
  if (request.dropout.probability == 0) return;
  dropout_ = std::make_shared<kernels::AttentionDropout>(request.dropout);
  dropout_->query_positions_S = rows.query_positions_S;
  dropout_->key_positions_L = rows.key_positions_L;
  options_.dropout = dropout_.get();
}

AttentionPass LocalAttention::Run(const at::Tensor& q_BSND, const at::Tensor& k_BLMD,
                                  const at::Tensor& v_BLMD, const AttentionRequest& request) const {
  const at::Tensor& positions = request.spans->query_indices_S();
  const AttentionCall call(request, {request.spans->For(request.window), positions, positions});
  const kernels::AttentionResult result =
      kernels::AttentionForward(q_BSND, k_BLMD, v_BLMD, call.options());
  return {result.out_BSND, [q_BSND, k_BLMD, v_BLMD, result, call](const at::Tensor& grad_out_BSND) {
            return kernels::AttentionBackward(grad_out_BSND, q_BSND, k_BLMD, v_BLMD, result,
                                              call.options());
          }};
}

}  // namespace hyperpp::models
