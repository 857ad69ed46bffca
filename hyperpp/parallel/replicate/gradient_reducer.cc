#include "hyperpp/parallel/replicate/gradient_reducer.h"

#include <algorithm>

#include "hyperpp/core/error.h"

namespace hyperpp::parallel {

GradientReducer::GradientReducer(models::ParameterStore& store, comm::Group& group,
                                 int64_t bucket_bytes)
    : store_(store), group_(group) {
  if (group_.size() == 1) return;
  const auto& weights = store_.weights();
  for (std::size_t last = weights.size(); last > 0;) {
    Bucket bucket{last, last, 0, 0, nullptr};
    int64_t bytes = 0;
    while (bucket.first > 0 && bytes < bucket_bytes) {
      models::Weight& weight = *weights[--bucket.first];
      bytes += weight.parameter().numel() * 4;
      if (!weight.trainable()) continue;
      bucket.expected_reports += weight.num_uses();
      weight.set_gradient_observer([this, index = buckets_.size()] { Report(index); });
    }
    last = bucket.first;
    buckets_.push_back(std::move(bucket));
  }
}

GradientReducer::~GradientReducer() {
  for (models::Weight* weight : store_.weights()) weight->set_gradient_observer(nullptr);
}

void GradientReducer::Arm() {
  armed_ = true;
  next_ = 0;
  for (Bucket& bucket : buckets_) bucket.reports = 0;
}

void GradientReducer::Report(std::size_t bucket) {
  if (!armed_) return;
  ++buckets_[bucket].reports;
  HYPERPP_CHECK_LE(buckets_[bucket].reports, buckets_[bucket].expected_reports,
                   "gradients of bucket {} were added after its reduction", bucket);
  StartReadyBuckets(/*all=*/false);
}

void GradientReducer::StartReadyBuckets(bool all) {
  for (; next_ < buckets_.size(); ++next_) {
    Bucket& bucket = buckets_[next_];
    if (!all && bucket.reports < bucket.expected_reports) return;
    if (bucket.expected_reports == 0) continue;  // all frozen
    bucket.work = group_.AllReduce(store_.GradientRange(bucket.first, bucket.last));
  }
}

void GradientReducer::Finish() {
  StartReadyBuckets(/*all=*/true);
  for (Bucket& bucket : buckets_) {
    if (bucket.work) bucket.work->Wait();
    bucket.work = nullptr;
  }
  armed_ = false;
}

}  // namespace hyperpp::parallel
