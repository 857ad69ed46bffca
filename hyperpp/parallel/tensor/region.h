// The two ways in which hidden states enter and leave what tensor parallelism splits.
//
//                     between regions           Enter                       Leave
//     replicated      all tokens on each rank   nothing                     all-reduce
//        backward                               all-reduce of gradients     nothing
//     sequence        a slice of the tokens     all-gather of rows          reduce-scatter of rows
//        backward                               reduce-scatter              all-gather
//
// An all-reduce is a reduce-scatter and an all-gather, so both send the same bytes; with slices,
// norms and the residual stream take a rank's share of time and memory. Slices are contiguous
// pieces of the T = B * S token rows, whatever sequences they cross: nothing between regions looks
// at positions.
//
// A value that can be made again (selective recomputation) is gathered again in the backward pass,
// once for all its readers, instead of being kept whole.
//
// Source: Korthikanti et al., arXiv:2205.05198, section 4.2.2.
#pragma once

#include <memory>

#include "hyperpp/comm/group.h"
#include "hyperpp/models/layer/tensor_region.h"

namespace hyperpp::parallel {

/// Makes the region of the ranks of `group`, which must outlive it.
/// REQUIRES with `sequence_parallel`: the number of tokens of every microbatch is a multiple of the
/// group's size.
std::shared_ptr<models::TensorRegion> MakeTensorRegion(comm::Group& group, bool sequence_parallel);

}  // namespace hyperpp::parallel
