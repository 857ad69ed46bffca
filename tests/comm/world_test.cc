#include "hyperpp/comm/world.h"

#include <filesystem>

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "hyperpp/core/error.h"
#include "tests/support/ranks.h"

namespace hyperpp::comm {
namespace {

using test::RunRanks;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(World, GroupsFollowTheAxes) {
  RunRanks(MeshLayout({2, 1, 1, 1, 2}), [](World& world) {
    const int stage = world.rank() / 2, place = world.rank() % 2;
    EXPECT_THAT(world.Along({Axis::kTensor}).ranks(), ElementsAre(2 * stage, 2 * stage + 1));
    EXPECT_THAT(world.Along({Axis::kPipeline}).ranks(), ElementsAre(place, place + 2));
    EXPECT_EQ(world.Along({Axis::kPipeline}).rank(), stage);
    EXPECT_THAT(world.Along({Axis::kTensor, Axis::kPipeline}).ranks(), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(world.Along({Axis::kContext}).ranks(), ElementsAre(world.rank()));

    const at::Tensor sum = at::full({1}, world.rank());
    world.Along({Axis::kTensor}).AllReduce(sum)->Wait();
    EXPECT_EQ(sum.item<int64_t>(), 4 * stage + 1);
  });
}

TEST(World, SameRanksAndPurposeShareAGroup) {
  RunRanks(MeshLayout({1, 1, 1, 1, 2}), [](World& world) {
    Group& group = world.Along({Axis::kTensor});
    EXPECT_EQ(&world.Along({Axis::kContext, Axis::kTensor}), &group);
    EXPECT_NE(&world.Along({Axis::kTensor}, "p2p"), &group);
    EXPECT_EQ(&world.Along({Axis::kTensor}, "p2p"), &world.Along({Axis::kTensor}, "p2p"));
  });
}

TEST(World, GroupsMadeInDifferentOrdersAreRefused) {
  RunRanks(MeshLayout({2, 1, 1, 1, 2}), [](World& world) {
    const Axis axis = world.rank() == 3 ? Axis::kTensor : Axis::kPipeline;
    EXPECT_THROW(world.Along({axis}), InternalError);
  });
}

TEST(World, OneRankOpensNoSocket) {
  const auto count_descriptors = [] {
    const std::filesystem::directory_iterator first("/proc/self/fd"), last;
    return std::distance(first, last);
  };
  const auto before = count_descriptors();
  const std::unique_ptr<World> world = World::Join({}, MeshLayout(), {});
  world->Along({Axis::kTensor}).AllReduce(at::ones({1}))->Wait();
  world->Control().AllReduce(at::ones({1}))->Wait();
  EXPECT_EQ(count_descriptors(), before);
}

TEST(World, OneRankAgreesWithItself) {
  const std::unique_ptr<World> world = World::Join({}, MeshLayout(), {});
  world->CheckSame({{"key", "value"}});
  EXPECT_THROW(world->Agree([] { throw InputError("bad file"); }), InputError);
}

TEST(World, SizeOfLayoutIsChecked) {
  RankIdentity identity;
  identity.world_size = 3;
  try {
    World::Join(identity, MeshLayout({2, 1, 1, 1, 2}), {});
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("3 ranks"));
    EXPECT_THAT(error.what(), HasSubstr("needs 4 (pp 2 x tp 2)"));
  }
}

TEST(World, RankOutOfRangeIsRefused) {
  RankIdentity identity;
  identity.world_size = 2;
  identity.rank = 2;
  EXPECT_THROW(World::Join(identity, MeshLayout({2, 1, 1, 1, 1}), {}), ConfigError);
}

TEST(World, MayEndOnOneRankBeforeTheOthers) {
  for (int repetition = 0; repetition < 5; ++repetition) {
    RunRanks(2, [](World& world) {
      const at::Tensor x = at::ones({100000});
      for (int i = 0; i < 20; ++i) world.Control().AllReduce(x)->Wait();
      if (world.rank() == 1) usleep(30000);
      EXPECT_EQ(x[0].item<float>(), 1 << 20);
    });
  }
}

}  // namespace
}  // namespace hyperpp::comm
