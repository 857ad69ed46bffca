// Groups over NCCL: one rank on one GPU, and one rank on each of several.
#include "hyperpp/comm/nccl_backend.h"

#include <algorithm>

#include <ATen/ATen.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <gmock/gmock.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "hyperpp/comm/failure_text.h"
#include "hyperpp/comm/world.h"
#include "tests/support/gpu.h"
#include "tests/support/ranks.h"

namespace hyperpp::comm {
namespace {

constexpr std::chrono::seconds kTimeout(60);  // the first operation of a group connects it

at::TensorOptions OnGpu(int rank, at::ScalarType dtype = at::kFloat) {
  return at::TensorOptions(dtype).device(
      at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(rank)));
}

// Every kind of collective on `group`; rank r gives values of r + 1.
void ExpectCollectivesAreRight(Group& group, at::ScalarType dtype) {
  const int size = group.size(), rank = group.rank();
  const double sum = 0.5 * size * (size + 1);
  const at::TensorOptions options = OnGpu(rank, dtype);
  at::Tensor x = at::full({1000}, rank + 1, options);
  group.AllReduce(x)->Wait();
  EXPECT_TRUE(x.eq(sum).all().item<bool>());

  at::Tensor whole = at::empty({size * 10}, options);
  group.AllGather(whole, at::full({10}, rank + 1, options))->Wait();
  for (int i = 0; i < size; ++i) EXPECT_EQ(whole[i * 10].item<double>(), i + 1);

  at::Tensor part = at::empty({10}, options);
  group.ReduceScatter(part, at::full({size * 10}, rank + 1, options))->Wait();
  EXPECT_TRUE(part.eq(sum).all().item<bool>());

  at::Tensor root = at::full({5}, rank + 1, options);
  group.Broadcast(root, size - 1)->Wait();
  EXPECT_EQ(root[4].item<double>(), size);

  const std::vector<int64_t> one_each(size, 1);
  at::Tensor received = at::empty({size, 3}, options);
  group.AllToAll(received, at::full({size, 3}, rank + 1, options), one_each, one_each)->Wait();
  for (int i = 0; i < size; ++i) EXPECT_EQ(received[i][0].item<double>(), i + 1);
}

TEST(NcclBackendTest, OneRankMeetsItself) {
  HYPERPP_SKIP_WITHOUT_GPU();
  const MeshLayout layout({1, 1, 1, 1, 1});
  const FailureText failure(layout, 0, kTimeout);
  const auto group = MakeBackendGroup(
      ConnectNccl(c10::make_intrusive<c10d::HashStore>(), 0, 1, kTimeout), {0}, 0, failure);
  for (const at::ScalarType dtype : {at::kFloat, at::kBFloat16, at::kLong})
    ExpectCollectivesAreRight(*group, dtype);
}

TEST(NcclBackendTest, AllVisibleGpusReduceGatherAndExchange) {
  HYPERPP_SKIP_WITHOUT_GPU();
  const int ranks = std::min(test::NumGpus(), 8);
  if (ranks == 1) GTEST_SKIP() << "one GPU only";
  test::RankOptions options;
  options.time_limit = std::chrono::seconds(100);
  options.world = {.use_nccl = true, .timeout = kTimeout, .rendezvous_timeout = kTimeout};
  test::RunRanks(
      ranks,
      [](World& world) {
        const at::Device device = OnGpu(world.rank()).device();
        c10::impl::VirtualGuardImpl(device.type()).setDevice(device);
        Group& group = world.Along({Axis::kReplicate});
        for (const at::ScalarType dtype : {at::kFloat, at::kBFloat16})
          ExpectCollectivesAreRight(group, dtype);

        // Around a ring, both directions at once, each on a communicator of its own.
        Group& forward = world.Along({Axis::kReplicate}, "forward");
        Group& backward = world.Along({Axis::kReplicate}, "backward");
        const int next = (world.rank() + 1) % world.size();
        const int previous = (world.rank() + world.size() - 1) % world.size();
        const at::Tensor mine = at::full({1 << 16}, world.rank() + 1.0, OnGpu(world.rank()));
        at::Tensor from_previous = at::empty_like(mine), from_next = at::empty_like(mine);
        const bool sends_first = world.rank() % 2 == 0;
        WorkPtr sent_forward, sent_backward;
        if (sends_first) sent_forward = forward.Send(mine, next);
        forward.Receive(from_previous, previous)->Wait();
        if (!sends_first) sent_forward = forward.Send(mine, next);
        if (sends_first) sent_backward = backward.Send(mine, previous);
        backward.Receive(from_next, next)->Wait();
        if (!sends_first) sent_backward = backward.Send(mine, previous);
        sent_forward->Wait();
        sent_backward->Wait();
        EXPECT_TRUE(from_previous.eq(previous + 1).all().item<bool>());
        EXPECT_TRUE(from_next.eq(next + 1).all().item<bool>());
        EXPECT_EQ(group.traffic().num_calls, 10);
      },
      options);
}

}  // namespace
}  // namespace hyperpp::comm
