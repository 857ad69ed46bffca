// Samples as the tensors that a forward pass takes. Every rank of a pipeline makes them itself, and
// with context parallelism keeps its tokens of every sequence.
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "hyperpp/core/mesh_layout.h"
#include "hyperpp/data/sample.h"
#include "hyperpp/parallel/context/sequence_cut.h"
#include "hyperpp/pipeline/runtime/pipeline_stage.h"

namespace hyperpp::trainer {

/// Which tokens of every sequence a rank holds.
struct TokenShare {
  parallel::SequenceCut cut;
  int context_coordinate = 0;
  int64_t length_multiple = 1;  // of padded lengths: what context and tensor parallelism divide
};

/// The share of `rank`. `balanced`: context_parallel.load_balance.
TokenShare TokenShareOf(const MeshLayout& layout, int rank, bool balanced);

/// B sequences, right-padded to L tokens, of which this rank holds S: T = B * S. Each padding token
/// is a document of its own, without a label; it counts nowhere.
struct Microbatch {
  int64_t batch = 0, sequence = 0;  // B, S
  at::Tensor ids_T;                 // int64
  at::Tensor labels_T;              // int64, always on the host: see cross_entropy.h
  at::Tensor positions_T;           // int32, restart with each document
  at::Tensor token_indices_S;       // int32, on the host: place of each token in its sequence
  at::Tensor document_starts_BL;    // int32, on the host
  at::Tensor sample_ids_B;          // int64, on the host: index in the global batch
  int64_t num_tokens = 0, num_labels = 0;  // of the whole sequences, without padding
};

/// Packs `samples`, whose first one is sample `first_index` of the global batch, and keeps `share`
/// of them. Sequences are padded to `longest`, which none exceeds, rounded up for the share.
Microbatch MakeMicrobatch(const std::vector<data::Sample>& samples, int64_t first_index,
                          int64_t longest, const TokenShare& share, at::Device device);

/// `microbatch` with the keywords that models::Decoder reads. `token_weight`: of each token's loss.
pipeline::MicrobatchInput InputOf(const Microbatch& microbatch, double token_weight, int64_t step);

}  // namespace hyperpp::trainer
