#include "hyperpp/pipeline/runtime/stage_transport.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "tests/pipeline/runtime/small_pipeline.h"
#include "tests/support/ranks.h"

namespace hyperpp::pipeline {
namespace {

const MeshLayout kTwoStages({2, 1, 1, 1, 1});

Action SendForward(int microbatch) { return {ActionType::kSendForward, {0}, {microbatch}}; }
Action SendBackward(int microbatch) { return {ActionType::kSendBackward, {1}, {microbatch}}; }

/// Runs `test` on two ranks for each transport.
void ForEachTransport(const std::function<void(StageTransport&, int rank)>& test) {
  test::RunRanks(kTwoStages, [&](comm::World& world) {
    for (const Transport kind : kTransports) {
      SCOPED_TRACE(NameOf(kind));
      StageTransport transport(world, kind, nullptr);
      test(transport, world.rank());
      transport.Finish();
      EXPECT_EQ(transport.NumPendingSends(), 0);
    }
  });
}

/// What Take returns for the partner of `send`, received into buffers like `tensors`.
std::vector<at::Tensor> ReceiveLike(StageTransport& transport, const Action& send, int peer,
                                    const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> buffers;
  for (const at::Tensor& tensor : tensors)
    buffers.push_back(at::empty(tensor.sizes(), tensor.options()));
  transport.StartReceive(PartnerOf(send), peer, std::move(buffers));
  return transport.Take(PartnerOf(send));
}

void ExpectSameTensors(const std::vector<at::Tensor>& actual,
                       const std::vector<at::Tensor>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i)
    EXPECT_TRUE(at::equal(actual[i], expected[i])) << "tensor " << i;
}

TEST(StageTransportTest, TensorsOfAnyDtypeAndRankArrive) {
  ForEachTransport([](StageTransport& transport, int rank) {
    const std::vector<at::Tensor> tensors = {
        at::arange(24, at::kFloat).view({2, 3, 4}),
        at::arange(5, at::kLong).sub(3).mul(1LL << 40),
        at::arange(6, at::kFloat).div(7).to(at::kBFloat16).view({3, 2}),
        at::scalar_tensor(-2.5, at::kDouble),
        at::scalar_tensor(9, at::kInt),
        at::arange(4, at::kInt).view({1, 4, 1}).remainder(2).to(at::kBool),
    };
    if (rank == 0)
      transport.Send(SendForward(0), 1, tensors);
    else
      ExpectSameTensors(ReceiveLike(transport, SendForward(0), 0, tensors), tensors);
  });
}

TEST(StageTransportTest, ViewsArriveWithTheirValues) {
  ForEachTransport([](StageTransport& transport, int rank) {
    const at::Tensor base = at::arange(60, at::kFloat).view({3, 4, 5});
    const std::vector<at::Tensor> views = {base.transpose(0, 2), base.select(1, 2),
                                           base.slice(2, 1, 5, 2),
                                           base.select(0, 1).select(0, 1).expand({3, 5})};
    if (rank == 0)
      transport.Send(SendForward(0), 1, views);
    else
      ExpectSameTensors(ReceiveLike(transport, SendForward(0), 0, views), views);
  });
}

TEST(StageTransportTest, DirectionsDoNotMix) {
  ForEachTransport([](StageTransport& transport, int rank) {
    const auto of = [](double value) { return std::vector<at::Tensor>{at::full({7}, value)}; };
    // Each rank sends before it receives, in the transports that allow it.
    const bool first = rank == 0 || transport.kind() != Transport::kBlocking;
    const auto send = [&] {
      for (int i = 0; i < 3; ++i)
        transport.Send(rank == 0 ? SendForward(i) : SendBackward(i), 1 - rank,
                       of(rank == 0 ? i : 10 + i));
    };
    if (first) send();
    for (int i = 0; i < 3; ++i) {
      const Action sent = rank == 0 ? SendBackward(i) : SendForward(i);
      ExpectSameTensors(ReceiveLike(transport, sent, 1 - rank, of(0)), of(rank == 0 ? 10 + i : i));
    }
    if (!first) send();
  });
}

TEST(StageTransportTest, LargeMessagesArriveWholeWhileTheProcessorIsBusy) {
  constexpr int kMessages = 4;
  constexpr int64_t kSide = 1024;  // 4 MB, more than a socket holds
  ForEachTransport([](StageTransport& transport, int rank) {
    const auto tensor_of = [](int message, int from) {
      return at::arange(kSide * kSide, at::kFloat).view({kSide, kSide}).add(1e7 * message + from);
    };
    const auto compute = [] { return at::mm(at::ones({384, 384}), at::ones({384, 384})); };
    const auto send = [&](int message) {
      transport.Send(rank == 0 ? SendForward(message) : SendBackward(message), 1 - rank,
                     {tensor_of(message, rank)});
    };
    const auto receive_of = [&](int message) {
      return PartnerOf(rank == 0 ? SendBackward(message) : SendForward(message));
    };
    const auto start = [&](int message) {
      transport.StartReceive(receive_of(message), 1 - rank, {at::empty({kSide, kSide})});
    };
    const bool blocking = transport.kind() == Transport::kBlocking;
    for (int message = 0; message < kMessages; ++message) {
      if (blocking && rank == 1) start(message);
      send(message);
      if (!blocking || rank == 0) start(message);
      for (int i = 0; i < 4; ++i) compute();
      const auto received = transport.Take(receive_of(message));
      EXPECT_TRUE(at::equal(received[0], tensor_of(message, 1 - rank))) << "message " << message;
    }
  });
}

TEST(StageTransportTest, SenderMayDropItsTensors) {
  ForEachTransport([](StageTransport& transport, int rank) {
    const at::Tensor expected = at::arange(1 << 20, at::kFloat);
    if (rank == 0) {
      transport.Send(SendForward(0), 1, {expected.clone()});
      // Memory that is free again is taken by these.
      for (int i = 0; i < 8; ++i) at::full({1 << 20}, -1.0);
      transport.Release(SendForward(0));
    } else {
      const auto received = ReceiveLike(transport, SendForward(0), 0, {expected});
      EXPECT_TRUE(at::equal(received[0], expected));
    }
  });
}

TEST(StageTransportTest, ForwardSendsAreKeptUntilReleased) {
  constexpr int kMessages = 5;
  ForEachTransport([](StageTransport& transport, int rank) {
    const bool blocking = transport.kind() == Transport::kBlocking;
    for (int i = 0; i < kMessages; ++i) {
      if (rank == 0)
        transport.Send(SendForward(i), 1, {at::full({3}, i, at::kFloat)});
      else
        ReceiveLike(transport, SendForward(i), 0, {at::zeros({3})});
    }
    if (rank == 1) return;
    EXPECT_EQ(transport.NumPendingSends(), blocking ? 0 : kMessages);
    transport.Release(SendForward(2));
    transport.Release(SendForward(2));  // nothing to do
    EXPECT_EQ(transport.NumPendingSends(), blocking ? 0 : kMessages - 1);
  });
}

TEST(StageTransportTest, BackwardSendsAreBounded) {
  ForEachTransport([](StageTransport& transport, int rank) {
    for (int i = 0; i < 12; ++i) {
      if (rank == 1) {
        transport.Send(SendBackward(i), 0, {at::full({3}, i, at::kFloat)});
        EXPECT_LE(transport.NumPendingSends(), 2);
      } else {
        const auto received = ReceiveLike(transport, SendBackward(i), 1, {at::zeros({3})});
        EXPECT_TRUE(at::equal(received[0], at::full({3}, i, at::kFloat)));
      }
    }
  });
}

TEST(StageTransportTest, DirectionsHaveACommunicatorEachWithMultiStream) {
  test::RunRanks(kTwoStages, [](comm::World& world) {
    StageTransport transport(world, Transport::kMultiStream, nullptr);
    const std::vector<at::Tensor> tensor = {at::ones({3})};
    if (world.rank() == 0) {
      transport.Send(SendForward(0), 1, tensor);
      ReceiveLike(transport, SendBackward(0), 1, tensor);
      transport.Finish();
    } else {
      ReceiveLike(transport, SendForward(0), 0, tensor);
      transport.Send(SendBackward(0), 0, tensor);
      transport.Finish();
    }
    EXPECT_EQ(world.Along({Axis::kPipeline}, "forward messages").traffic().sent_bytes,
              world.rank() == 0 ? 12 : 0);
    EXPECT_EQ(world.Along({Axis::kPipeline}, "backward messages").traffic().sent_bytes,
              world.rank() == 1 ? 12 : 0);
  });
}

}  // namespace
}  // namespace hyperpp::pipeline
