// Sums gradients over data-parallel replicas while the backward pass is still running.
//
// Weights are cut into buckets of consecutive weights, which lie next to each other in the flat
// gradient buffer. Every layer reports each time its part of a gradient has been added: once per
// use and microbatch. When all weights of a bucket have all their reports, the bucket's all-reduce
// starts, and the backward goes on with the layers before it:
//
//     backward   | head | L3 | L2 | L1 | L0 | embed |
//     all-reduce        | head,L3 |  L2,L1  |  L0,embed |
//
// Buckets start in one fixed order on all ranks (from the end of the model to its start), whatever
// order the layers finish in, because collectives of a group are matched by order. Sums are in
// fp32. Source: PyTorch DDP's reducer (VLDB 2020, arXiv:2006.15704, section 3.2).
#pragma once

#include <cstdint>
#include <vector>

#include "hyperpp/comm/group.h"
#include "hyperpp/models/parameter_store.h"

namespace hyperpp::parallel {

class GradientReducer {
 public:
  /// `group`: the replicas. `bucket_bytes`: a bucket is closed when it has reached this size.
  GradientReducer(models::ParameterStore& store, comm::Group& group, int64_t bucket_bytes);
  ~GradientReducer();
  GradientReducer(const GradientReducer&) = delete;
  GradientReducer& operator=(const GradientReducer&) = delete;

  /// Call before a step of `num_microbatches` forward and backward passes, in whatever order.
  void Begin(int64_t num_microbatches);
  /// Starts what has not started (weights outside this step's graph), and waits for all buckets.
  void Finish();

  std::size_t num_buckets() const { return buckets_.size(); }

 private:
  struct Bucket {
    std::size_t first, last;      // weights of the store, half open
    bool trains = false;          // some weight of it is trainable
    int64_t missing_reports = 0;  // until it may start
    comm::WorkPtr work;
  };

  void AddWeight(std::size_t weight, Bucket& bucket);
  void Report(std::size_t bucket, std::size_t weight);
  void StartReadyBuckets(bool all);

  models::ParameterStore& store_;
  comm::Group& group_;
  std::vector<Bucket> buckets_;           // in the order in which they start
  std::vector<int64_t> missing_reports_;  // of each weight of the store
  std::size_t next_ = 0;                  // first bucket that has not started
  bool running_ = false;
};

}  // namespace hyperpp::parallel
