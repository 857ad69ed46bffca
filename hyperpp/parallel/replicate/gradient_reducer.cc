#include "hyperpp/parallel/replicate/gradient_reducer.h"

#include <algorithm>

#include "hyperpp/core/error.h"

namespace hyperpp::parallel {

GradientReducer::GradientReducer(models::ParameterStore& store, comm::Group& group,
                                 int64_t bucket_bytes)
    : store_(store), group_(group), missing_reports_(store.weights().size(), 0) {
  if (group_.size() == 1) return;
  for (std::size_t last = store_.weights().size(); last > 0;) {
    Bucket bucket{.first = last, .last = last};
    int64_t bytes = 0;
    while (bucket.first > 0 && bytes < bucket_bytes) {
      AddWeight(--bucket.first, bucket);
      bytes += store_.weights()[bucket.first]->local_numel() * 4;
    }
    last = bucket.first;
    buckets_.push_back(std::move(bucket));
  }
}

void GradientReducer::AddWeight(std::size_t weight, Bucket& bucket) {
  if (!store_.weights()[weight]->trainable()) return;
  bucket.trains = true;
  store_.weights()[weight]->set_gradient_observer(
      [this, index = buckets_.size(), weight] { Report(index, weight); });
}

GradientReducer::~GradientReducer() {
  for (models::Weight* weight : store_.weights()) weight->set_gradient_observer(nullptr);
}

void GradientReducer::Begin(int64_t num_microbatches) {
  running_ = true;
  next_ = 0;
  for (Bucket& bucket : buckets_) {
    bucket.missing_reports = 0;
    for (std::size_t i = bucket.first; i < bucket.last; ++i) {
      const models::Weight& weight = *store_.weights()[i];
      missing_reports_[i] = weight.trainable() ? weight.num_uses() * num_microbatches : 0;
      bucket.missing_reports += missing_reports_[i];
    }
  }
}

void GradientReducer::Report(std::size_t bucket, std::size_t weight) {
  if (!running_) return;
  HYPERPP_CHECK_LT(0, missing_reports_[weight], "gradient of {} was added after its reduction",
                   store_.weights()[weight]->fqn());
  --missing_reports_[weight];
  --buckets_[bucket].missing_reports;
  StartReadyBuckets(/*all=*/false);
}

void GradientReducer::StartReadyBuckets(bool all) {
  for (; next_ < buckets_.size(); ++next_) {
    Bucket& bucket = buckets_[next_];
    if (!all && bucket.missing_reports > 0) return;
    if (!bucket.trains) continue;
    bucket.work = group_.AllReduce(store_.GradientRange(bucket.first, bucket.last));
  }
}

void GradientReducer::Finish() {
  StartReadyBuckets(/*all=*/true);
  for (Bucket& bucket : buckets_) {
    if (bucket.work) bucket.work->Wait();
    bucket.work = nullptr;
  }
  running_ = false;
}

}  // namespace hyperpp::parallel
