#include "hyperpp/parallel/context/context_parallel.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include "tests/support/ranks.h"

namespace hyperpp::parallel {
namespace {

using kernels::AttentionGradients;
using models::AttentionRequest;
using models::AttentionSpans;

constexpr int64_t kBatch = 2, kNumHeads = 12, kDim = 8;

MeshLayout ContextRanks(int num_ranks) { return MeshLayout({1, 1, 1, num_ranks, 1}); }

struct Attended {
  at::Tensor out, q, k, v;  // output, and gradients of the inputs
};

// Whole sequences, the same on all ranks.
struct Whole {
  explicit Whole(int64_t length, at::ScalarType dtype = at::kFloat, int64_t num_key_heads = 12) {
    auto generator = at::make_generator<at::CPUGeneratorImpl>(3);
    const auto random = [&](int64_t heads) {
      return at::randn({kBatch, length, heads, kDim}, generator).to(dtype);
    };
    q = random(kNumHeads), k = random(num_key_heads), v = random(num_key_heads);
    grad_out = random(kNumHeads);
    document_starts = at::zeros({kBatch, length}, at::kInt);
    request.scale = 0.6;
  }

  Attended Run(const models::AttentionCore& core, const std::vector<int32_t>& indices) const {
    const at::Tensor held = at::tensor(indices, at::kInt);
    AttentionRequest mine = request;
    mine.spans = std::make_shared<AttentionSpans>(document_starts, held);
    const auto of = [&](const at::Tensor& x) { return x.index_select(1, held); };
    const models::AttentionPass pass = core.Run(of(q), of(k), of(v), mine);
    const AttentionGradients gradients = pass.backward(of(grad_out));
    return {pass.out_BSND, gradients.q_BSND, gradients.k_BLMD, gradients.v_BLMD};
  }
  Attended RunOnOneRank() const {
    return Run(models::LocalAttention(), SequenceCut().IndicesOf(0, q.size(1)));
  }

  at::Tensor q, k, v, grad_out, document_starts;
  AttentionRequest request;
};

// Compares this rank's part of `method` with one rank; `tolerance` is relative to the largest
// number.
void ExpectEqualToOneRank(const Whole& whole, ContextMethod method, bool balanced,
                          comm::World& world, double tolerance) {
  const SequenceCut cut(world.size(), balanced);
  const auto core = MakeContextAttention(method, world.Along({Axis::kContext}), cut);
  const auto indices = cut.IndicesOf(world.rank(), whole.q.size(1));
  const Attended actual = whole.Run(*core, indices), expected = whole.RunOnOneRank();
  const auto compare = [&](const char* name, const at::Tensor& mine, const at::Tensor& all) {
    ASSERT_EQ(mine.scalar_type(), all.scalar_type());
    const at::Tensor want = all.index_select(1, at::tensor(indices, at::kInt)).to(at::kDouble);
    const double worst = (mine.to(at::kDouble) - want).abs().max().item<double>();
    EXPECT_LE(worst, tolerance * all.abs().max().item<double>())
        << name << " of method " << static_cast<int>(method) << ", balanced " << balanced;
  };
  compare("out", actual.out, expected.out);
  compare("dq", actual.q, expected.q);
  compare("dk", actual.k, expected.k);
  compare("dv", actual.v, expected.v);
}

constexpr ContextMethod kMethods[] = {ContextMethod::kAllGather, ContextMethod::kRing,
                                      ContextMethod::kAllToAll};
// Sums in another order; a log-sum-exp of size 10 rounds by 1e-6.
constexpr double kFp32 = 1e-5;

void ExpectAllEqualToOneRank(const Whole& whole, comm::World& world, double tolerance = kFp32) {
  for (const ContextMethod method : kMethods) {
    for (const bool balanced : {false, true})
      ExpectEqualToOneRank(whole, method, balanced, world, tolerance);
  }
}

class ContextParallelTest : public ::testing::TestWithParam<int> {};

TEST_P(ContextParallelTest, CausalAttentionIsThatOfOneRank) {
  test::RunRanks(ContextRanks(GetParam()), [](comm::World& world) {
    ExpectAllEqualToOneRank(Whole(world.size() * 2), world);
    ExpectAllEqualToOneRank(Whole(world.size() * 34), world);
  });
}

TEST_P(ContextParallelTest, WindowsAndDocumentsReachAcrossTheCut) {
  test::RunRanks(ContextRanks(GetParam()), [](comm::World& world) {
    const int64_t length = world.size() * 10;
    for (const int64_t window : {1, 7, 100}) {
      Whole whole(length);
      whole.request.window = window;
      whole.document_starts[1].narrow(0, 3, length - 3).fill_(3);
      whole.document_starts[1].narrow(0, length / 2 + 1, length / 2 - 1).fill_(length / 2 + 1);
      ExpectAllEqualToOneRank(whole, world);
    }
  });
}

TEST_P(ContextParallelTest, DropoutMasksAreThoseOfOneRank) {
  test::RunRanks(ContextRanks(GetParam()), [](comm::World& world) {
    Whole whole(world.size() * 12);
    const Attended without = whole.RunOnOneRank();
    whole.request.dropout = {.probability = 0.4,
                             .key = 99,
                             .sample_ids_B = at::tensor({5, 2}, at::kLong),
                             .first_head = 3};
    EXPECT_FALSE(whole.RunOnOneRank().out.allclose(without.out));
    ExpectAllEqualToOneRank(whole, world);
  });
}

INSTANTIATE_TEST_SUITE_P(Degrees, ContextParallelTest, ::testing::Values(2, 3, 4));

TEST(ContextParallelRanksTest, GroupedHeadsAreThoseOfOneRank) {
  test::RunRanks(ContextRanks(2), [](comm::World& world) {
    ExpectAllEqualToOneRank(Whole(20, at::kFloat, 4), world);
  });
}

TEST(ContextParallelRanksTest, DocumentsDoNotSeeEachOther) {
  test::RunRanks(ContextRanks(2), [](comm::World& world) {
    const int64_t length = 24, second = 9;  // document 1 starts inside a chunk
    Whole whole(length), other(length);
    for (Whole* x : {&whole, &other})
      x->document_starts.narrow(1, second, length - second).fill_(second);
    for (const at::Tensor& x : {other.q, other.k, other.v, other.grad_out})
      x.narrow(1, 0, second).mul_(-3);
    for (const ContextMethod method : kMethods) {
      const SequenceCut cut(2, true);
      const auto core = MakeContextAttention(method, world.Along({Axis::kContext}), cut);
      const auto indices = cut.IndicesOf(world.rank(), length);
      const Attended before = whole.Run(*core, indices), after = other.Run(*core, indices);
      const at::Tensor rows = at::tensor(indices, at::kInt).ge(second);
      const auto same = [&](const at::Tensor& x, const at::Tensor& y) {
        return x.transpose(0, 1).index({rows}).equal(y.transpose(0, 1).index({rows}));
      };
      EXPECT_TRUE(same(before.out, after.out));
      EXPECT_TRUE(same(before.q, after.q));
      EXPECT_TRUE(same(before.k, after.k));
      EXPECT_TRUE(same(before.v, after.v));
      EXPECT_FALSE(before.out.equal(after.out));
    }
  });
}

TEST(ContextParallelRanksTest, BFloat16DiffersByItsRounding) {
  test::RunRanks(ContextRanks(2), [](comm::World& world) {
    // Ring rounds the parts of an output as well: two more halves of 2^-8.
    ExpectAllEqualToOneRank(Whole(40, at::kBFloat16, 4), world, 1.2e-2);
  });
}

// Bytes as in docs/context_parallel.md, for one layer, forward and backward.
TEST(ContextParallelRanksTest, TrafficIsTheFormula) {
  test::RunRanks(ContextRanks(4), [](comm::World& world) {
    const Whole whole(16, at::kBFloat16, 4);
    const SequenceCut cut(4, true);
    const int64_t tokens = kBatch * 16 / 4, keys_and_values = 2 * tokens * 4 * kDim,
                  queries = tokens * kNumHeads * kDim;
    comm::Group& group = world.Along({Axis::kContext});
    const auto traffic_of = [&](ContextMethod method) {
      const comm::Traffic before = group.traffic();
      whole.Run(*MakeContextAttention(method, group, cut), cut.IndicesOf(world.rank(), 16));
      comm::Traffic after = group.traffic();
      after.all_gather_bytes -= before.all_gather_bytes;
      after.reduce_scatter_bytes -= before.reduce_scatter_bytes;
      after.all_to_all_bytes -= before.all_to_all_bytes;
      after.sent_bytes -= before.sent_bytes;
      return after;
    };
    const comm::Traffic gather = traffic_of(ContextMethod::kAllGather);
    EXPECT_EQ(gather.all_gather_bytes, 2 * 4 * keys_and_values * 2);
    EXPECT_EQ(gather.reduce_scatter_bytes, 4 * keys_and_values * 4);
    EXPECT_EQ(gather.all_to_all_bytes + gather.sent_bytes, 0);
    const comm::Traffic ring = traffic_of(ContextMethod::kRing);
    EXPECT_EQ(ring.sent_bytes, 3 * keys_and_values * (2 + 2 + 4));
    EXPECT_EQ(ring.all_gather_bytes + ring.reduce_scatter_bytes + ring.all_to_all_bytes, 0);
    const comm::Traffic exchange = traffic_of(ContextMethod::kAllToAll);
    EXPECT_EQ(exchange.all_to_all_bytes, 2 * (2 * queries + keys_and_values) * 2);
    EXPECT_EQ(exchange.all_gather_bytes + exchange.reduce_scatter_bytes + exchange.sent_bytes, 0);
  });
}

TEST(ContextParallelRanksTest, RepeatsAreBitEqual) {
  test::RunRanks(ContextRanks(4), [](comm::World& world) {
    const Whole whole(48);
    const SequenceCut cut(4, true);
    for (const ContextMethod method : kMethods) {
      const auto core = MakeContextAttention(method, world.Along({Axis::kContext}), cut);
      const auto indices = cut.IndicesOf(world.rank(), 48);
      const Attended first = whole.Run(*core, indices), second = whole.Run(*core, indices);
      EXPECT_TRUE(first.out.equal(second.out));
      EXPECT_TRUE(first.q.equal(second.q));
      EXPECT_TRUE(first.k.equal(second.k));
      EXPECT_TRUE(first.v.equal(second.v));
    }
  });
}

}  // namespace
}  // namespace hyperpp::parallel
