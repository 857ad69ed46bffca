// Collectives and point to point of backend_group.cc on Gloo, against values worked out by hand.
#include <numeric>

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "hyperpp/comm/world.h"
#include "hyperpp/core/error.h"
#include "tests/support/error_text.h"
#include "tests/support/ranks.h"

namespace hyperpp::comm {
namespace {

using test::ErrorText;
using test::RunRanks;
using testing::HasSubstr;

constexpr std::array kReducedTypes = {at::kFloat, at::kDouble, at::kBFloat16, at::kLong};
constexpr std::array kMovedTypes = {at::kFloat, at::kBFloat16, at::kLong,
                                    at::kInt,   at::kShort,    at::kBool};

void ExpectEqual(const at::Tensor& got, const at::Tensor& expected) {
  EXPECT_TRUE(at::equal(got, expected)) << got << "\nexpected\n" << expected;
}

TEST(Collectives, AllReduceSums) {
  RunRanks(3, [](World& world) {
    for (at::ScalarType type : kReducedTypes) {
      const at::Tensor x = at::arange(5, type) * (world.rank() + 1);
      world.Along({Axis::kReplicate}).AllReduce(x)->Wait();
      ExpectEqual(x, at::arange(5, type) * 6);
    }
  });
}

TEST(Collectives, AllReduceTakesMaximumAndMinimum) {
  RunRanks(3, [](World& world) {
    const at::Tensor x = at::full({2}, world.rank(), at::kFloat), y = x.clone();
    world.Control().AllReduce(x, ReduceOp::kMax)->Wait();
    world.Control().AllReduce(y, ReduceOp::kMin)->Wait();
    ExpectEqual(x, at::full({2}, 2, at::kFloat));
    ExpectEqual(y, at::full({2}, 0, at::kFloat));
  });
}

TEST(Collectives, AllGatherIsInGroupOrder) {
  RunRanks(3, [](World& world) {
    for (at::ScalarType type : kMovedTypes) {
      const at::Tensor in = at::full({2}, world.rank() % 2, type), out = at::empty({3, 2}, type);
      world.Control().AllGather(out, in)->Wait();
      ExpectEqual(out, at::tensor({0, 0, 1, 1, 0, 0}).view({3, 2}).to(type));
    }
  });
}

TEST(Collectives, ReduceScatterLeavesOwnPart) {
  RunRanks(3, [](World& world) {
    for (at::ScalarType type : kReducedTypes) {
      const at::Tensor in = at::arange(6, type).view({3, 2}) * (world.rank() + 1);
      const at::Tensor out = at::empty({2}, type);
      world.Control().ReduceScatter(out, in)->Wait();
      ExpectEqual(out, at::arange(6, type).view({3, 2})[world.rank()] * 6);
    }
  });
}

// Of four terms the order of adding decides the bits; with several ways at once, the place would.
TEST(Collectives, ReduceScatterAddsInGroupOrderWhereverAnElementLies) {
  RunRanks(4, [](World& world) {
    const std::vector<float> terms = {1.0F, 3e-8F, 5e-8F, -0.7F};
    const at::Tensor in = at::full({4, 1003}, terms[world.rank()]), out = at::empty({1003});
    world.Control().ReduceScatter(out, in)->Wait();
    ExpectEqual(out, at::full({1003}, ((terms[0] + terms[1]) + terms[2]) + terms[3]));
  });
}

TEST(Collectives, ReduceScatterRoundsSumsOfBFloat16Once) {
  RunRanks(4, [](World& world) {
    const at::Tensor in = at::full({8}, world.rank() == 0 ? 256 : 0.75, at::kBFloat16);
    const at::Tensor out = at::empty({2}, at::kBFloat16);
    world.Control().ReduceScatter(out, in)->Wait();
    ExpectEqual(out, at::full({2}, 258, at::kBFloat16));
  });
}

TEST(Collectives, AllToAllMovesUnevenRows) {
  RunRanks(3, [](World& world) {
    for (at::ScalarType type : kMovedTypes) {
      // Rank r sends r + to rows to rank `to`, each [r, to]; rank 0 sends nothing to itself.
      std::vector<int64_t> counts;
      std::vector<at::Tensor> sent, expected;
      for (int other = 0; other < 3; ++other) {
        counts.push_back(world.rank() + other);
        const at::Tensor row = at::tensor({world.rank(), other}).to(type);
        sent.push_back(row.expand({counts.back(), 2}));
        expected.push_back(row.flip(0).expand({counts.back(), 2}));
      }
      const at::Tensor in = at::cat(sent), out = at::empty_like(in);
      world.Control().AllToAll(out, in, counts, counts)->Wait();
      ExpectEqual(out, at::cat(expected));
    }
  });
}

TEST(Collectives, BroadcastComesFromRoot) {
  RunRanks(3, [](World& world) {
    for (at::ScalarType type : kMovedTypes) {
      const at::Tensor x = at::full({4}, world.rank() == 2, type);
      world.Control().Broadcast(x, 2)->Wait();
      ExpectEqual(x, at::full({4}, 1, type));
    }
  });
}

TEST(Collectives, MessagesOfOneTagArriveInOrder) {
  RunRanks(2, [](World& world) {
    Group& group = world.Control();
    std::vector<at::Tensor> tensors;
    std::vector<WorkPtr> works;
    for (int i = 0; i < 8; ++i) {
      tensors.push_back(at::full({1000}, world.rank() == 0 ? i : -1, at::kFloat));
      works.push_back(world.rank() == 0 ? group.Send(tensors[i], 1, i % 2)
                                        : group.Receive(tensors[i], 0, i % 2));
    }
    for (const WorkPtr& work : works) work->Wait();
    for (int i = 0; i < 8; ++i) ExpectEqual(tensors[i], at::full({1000}, i, at::kFloat));
  });
}

TEST(Collectives, WorkKeepsSentTensorAlive) {
  RunRanks(2, [](World& world) {
    Group& group = world.Control();
    const int64_t numel = 1 << 22;  // more than a socket buffers
    if (world.rank() == 0) {
      const WorkPtr work = group.Send(at::ones({numel}, at::kFloat), 1);
      const at::Tensor reused = at::zeros({numel}, at::kFloat);
      work->Wait();
    } else {
      const at::Tensor x = at::empty({numel}, at::kFloat);
      group.Receive(x, 0)->Wait();
      EXPECT_EQ(x.sum().item<float>(), numel);
    }
  });
}

TEST(Collectives, SeveralRunAtOnceOnTwoGroups) {
  RunRanks(2, [](World& world) {
    Group& first = world.Along({Axis::kReplicate});
    Group& second = world.Along({Axis::kReplicate}, "second");
    EXPECT_NE(&first, &second);
    const at::Tensor a = at::ones({1 << 20}), b = at::ones({1 << 20}) * 2;
    WorkPtr work_a = first.AllReduce(a);
    WorkPtr work_b = second.AllReduce(b);
    if (world.rank() == 1) std::swap(work_a, work_b);  // waited for in different orders
    work_b->Wait();
    work_a->Wait();
    EXPECT_EQ(a.sum().item<float>(), 2 << 20);
    EXPECT_EQ(b.sum().item<float>(), 4 << 20);
  });
}

TEST(Collectives, WaitMayBeRepeated) {
  RunRanks(2, [](World& world) {
    const at::Tensor x = at::ones({1});
    const WorkPtr work =
        world.rank() == 0 ? world.Control().Send(x, 1) : world.Control().Receive(x, 0);
    work->Wait();
    work->Wait();
  });
}

TEST(Collectives, GradientsAreNotRecorded) {
  RunRanks(2, [](World& world) {
    const at::Tensor x = at::ones({2}).requires_grad_();
    world.Control().AllReduce(x)->Wait();
    EXPECT_TRUE(x.is_leaf());
    EXPECT_EQ(x[0].item<float>(), 2);
  });
}

TEST(Collectives, BadArgumentsAreRefusedBeforeAnythingIsSent) {
  RunRanks(2, [](World& world) {
    Group& group = world.Control();
    const at::Tensor view = at::ones({4, 4}).t(), slice = at::ones({4, 4}).slice(1, 0, 2);
    const at::Tensor two = at::ones({2}), four = at::ones({4});
    const int peer = 1 - world.rank();
    const int64_t num_calls = group.traffic().num_calls;
    EXPECT_THAT(ErrorText<InternalError>([&] { group.AllReduce(view); }),
                HasSubstr("strides [1, 4]"));
    EXPECT_THAT(ErrorText<InternalError>([&] { group.AllReduce(slice); }),
                HasSubstr("strides [4, 1]"));
    EXPECT_THAT(ErrorText<InternalError>([&] { group.Send(slice, peer); }),
                HasSubstr("is_contiguous"));
    EXPECT_THAT(ErrorText<InternalError>([&] { group.Receive(view, peer); }),
                HasSubstr("is_contiguous"));
    EXPECT_THAT(ErrorText<InternalError>([&] { group.Broadcast(at::Tensor(), 0); }),
                HasSubstr("undefined"));
    EXPECT_THAT(ErrorText<InternalError>([&] { group.AllGather(four, four); }),
                HasSubstr("got 4 and 8"));
    EXPECT_THAT(ErrorText<InternalError>([&] { group.ReduceScatter(two, two); }),
                HasSubstr("got 2 and 4"));
    EXPECT_THAT(ErrorText<InternalError>([&] { group.AllGather(four, two.to(at::kDouble)); }),
                HasSubstr("Float and Double"));
    EXPECT_THAT(ErrorText<InternalError>([&] {
                  group.AllToAll(four, four, {2, 2}, {1, 2});
                }),
                HasSubstr("got 3 and 4"));
    EXPECT_THAT(ErrorText<InternalError>([&] { group.Send(two, world.rank()); }),
                HasSubstr("peer"));
    EXPECT_EQ(group.traffic().num_calls, num_calls);
  });
}

TEST(Collectives, TrafficCountsBytesOfEachKind) {
  RunRanks(2, [](World& world) {
    Group& group = world.Along({Axis::kReplicate}, "counted");
    const at::Tensor two = at::ones({2}), four = at::ones({4});
    group.AllReduce(two)->Wait();
    group.AllGather(four, two)->Wait();
    group.ReduceScatter(two, four)->Wait();
    group.AllToAll(four.clone(), four, {2, 2}, {2, 2})->Wait();
    group.Broadcast(two, 0)->Wait();
    (world.rank() == 0 ? group.Send(two, 1) : group.Receive(two, 0))->Wait();
    const Traffic traffic = group.traffic();
    EXPECT_EQ(traffic.all_reduce_bytes, 8);
    EXPECT_EQ(traffic.all_gather_bytes, 16);
    EXPECT_EQ(traffic.reduce_scatter_bytes, 16);
    EXPECT_EQ(traffic.all_to_all_bytes, 16);
    EXPECT_EQ(traffic.broadcast_bytes, 8);
    EXPECT_EQ(traffic.sent_bytes, world.rank() == 0 ? 8 : 0);
    EXPECT_EQ(traffic.num_calls, 6);
  });
}

TEST(Collectives, EmptyTensorsAreAllowed) {
  RunRanks(2, [](World& world) {
    Group& group = world.Control();
    const at::Tensor empty = at::empty({0, 3});
    group.AllReduce(empty)->Wait();
    group.AllGather(empty, empty)->Wait();
    group.ReduceScatter(empty, empty)->Wait();
    group.Broadcast(empty, 1)->Wait();
    (world.rank() == 0 ? group.Send(empty, 1) : group.Receive(empty, 0))->Wait();
    // One rank may have nothing to exchange while others do.
    const at::Tensor in = world.rank() == 0 ? at::ones({2, 3}) : empty;
    const at::Tensor out = world.rank() == 0 ? empty : at::zeros({2, 3});
    const std::vector<int64_t> none{0, 0}, send{0, 2}, receive{2, 0};
    group.AllToAll(out, in, world.rank() == 0 ? none : receive, world.rank() == 0 ? send : none)
        ->Wait();
    EXPECT_EQ(out.sum().item<float>(), world.rank() == 0 ? 0 : 6);
  });
}

}  // namespace
}  // namespace hyperpp::comm
