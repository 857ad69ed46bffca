// Rows of an embedding table by token id, and the gradient added back to those rows.
//
// T tokens, V rows of H. The backward sorts the tokens by id, so that each row of the table belongs
// to one thread and its tokens are added in the order of the sequence: the result is the same at
// any number of threads, and rows without a token are not touched.
//
// Where the table is split over ranks, tokens of other ranks' rows give zeros, so that the sum over
// ranks is the whole table's result; ids are still checked against the whole vocabulary.
// Source: Megatron-LM, arXiv:1909.08053, section 3.
#pragma once

#include <ATen/core/Tensor.h>

#include "hyperpp/kernels/vocabulary_part.h"

namespace hyperpp::kernels {

/// Returns weight_VH[ids_T] in `dtype`. Shapes: ids_T int64; weight_VH fp32 or bf16, contiguous.
/// Errors: InputError if an id is outside the whole vocabulary.
at::Tensor EmbeddingForward(const at::Tensor& ids_T, const at::Tensor& weight_VH,
                            at::ScalarType dtype, const VocabularyPart& part = {});

/// Adds grad_TH[t] into row ids_T[t] of `accumulator_VH` (fp32, contiguous).
/// Errors: InputError if an id is outside the whole vocabulary.
void AccumulateEmbeddingGradient(const at::Tensor& ids_T, const at::Tensor& grad_TH,
                                 at::Tensor accumulator_VH, const VocabularyPart& part = {});

}  // namespace hyperpp::kernels
