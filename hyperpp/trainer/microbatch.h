// Samples as the tensors that a forward pass takes. Every rank of a pipeline makes them itself.
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "hyperpp/core/mesh_layout.h"
#include "hyperpp/data/sample.h"
#include "hyperpp/pipeline/runtime/pipeline_stage.h"

namespace hyperpp::trainer {

/// B sequences, right-padded to S tokens, T = B * S. Padding has no label and counts nowhere; each
/// of its tokens is a document of its own, so that no position lies beyond the longest sample.
struct Microbatch {
  int64_t batch = 0, sequence = 0;         // B, S
  at::Tensor ids_T, labels_T;              // int64
  at::Tensor positions_T;                  // int32, restart with each document
  at::Tensor document_starts_BS;           // int32
  at::Tensor sample_ids_B;                 // int64, index in the global batch
  int64_t num_tokens = 0, num_labels = 0;  // without padding
};

/// The length to which sequences of up to `longest` tokens are padded, so that ranks that divide
/// the tokens of a microbatch get equal shares.
int64_t PaddedLength(int64_t longest, const MeshLayout& layout);

/// Packs `samples`, whose first one is sample `first_index` of the global batch. Sequences are
/// padded to `padded_length` tokens, which none exceeds.
Microbatch MakeMicrobatch(const std::vector<data::Sample>& samples, int64_t first_index,
                          int64_t padded_length, at::Device device);

/// `microbatch` with the keywords that models::Decoder reads. `token_weight`: of each token's loss.
pipeline::MicrobatchInput InputOf(const Microbatch& microbatch, double token_weight, int64_t step);

}  // namespace hyperpp::trainer
