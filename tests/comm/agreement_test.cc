#include "hyperpp/comm/agreement.h"

#include <new>

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "hyperpp/comm/gather_strings.h"
#include "hyperpp/comm/shared_cause.h"
#include "hyperpp/comm/world.h"
#include "hyperpp/core/error.h"
#include "tests/support/ranks.h"

namespace hyperpp::comm {
namespace {

using test::RunRanks;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(Agreement, ErrorOfOneRankIsThrownOnAll) {
  RunRanks(3, [](World& world) {
    try {
      world.Agree([&] {
        if (world.rank() == 1) throw InputError("shard_3: damaged");
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const InputError& error) {
      EXPECT_STREQ(error.what(), "shard_3: damaged");
      const auto* shared = dynamic_cast<const SharedCause*>(&error);
      EXPECT_EQ(shared == nullptr, world.rank() == 1);  // rank 1 says it
      if (shared != nullptr) EXPECT_EQ(shared->speaker(), 1);
    }
  });
}

TEST(Agreement, FailingRanksKeepTheirOwnErrors) {
  RunRanks(3, [](World& world) {
    try {
      world.Agree([&] {
        if (world.rank() == 0) return;
        if (world.rank() == 1) throw IoError("disk full");
        throw NonFiniteError("loss is nan");
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const IoError& error) {
      EXPECT_LT(world.rank(), 2);
    } catch (const NonFiniteError& error) {
      EXPECT_EQ(world.rank(), 2);
    }
  });
}

TEST(Agreement, EqualErrorsAreSaidByOneRank) {
  RunRanks(2, [](World& world) {
    try {
      world.Agree([] { throw ConfigError("steps is missing"); });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const ConfigError& error) {
      EXPECT_EQ(dynamic_cast<const SharedCause*>(&error) == nullptr, world.rank() == 0);
    }
  });
}

TEST(Agreement, ForeignErrorsKeepTheirExitStatus) {
  RunRanks(2, [](World& world) {
    const auto status_of = [&](auto thrower) {
      try {
        world.Agree([&] {
          if (world.rank() == 0) thrower();
        });
      } catch (const std::exception& error) {
        EXPECT_THAT(error.what(), Not(HasSubstr(world.rank() == 0 ? "none" : "frame #")));
        return ExitStatusOf(error);
      }
      return ExitStatus::kDone;
    };
    EXPECT_EQ(status_of([] { throw std::bad_alloc(); }), ExitStatus::kMachine);
    EXPECT_EQ(status_of([] { throw std::logic_error("defect"); }), ExitStatus::kDefect);
    EXPECT_EQ(status_of([] { TORCH_CHECK(false, "defect"); }), ExitStatus::kDefect);
    EXPECT_EQ(status_of([] {}), ExitStatus::kDone);
  });
}

TEST(Agreement, DifferentValuesNameKeysValuesAndRanks) {
  RunRanks(3, [](World& world) {
    std::map<std::string, std::string> values{{"training.steps", "10"},
                                              {"pipeline.schedule", "1f1b"}};
    if (world.rank() == 1) values["pipeline.schedule"] = "gpipe";
    if (world.rank() == 2) values["pipeline.split"] = "[1, 2]";
    try {
      world.CheckSame(values);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(),
                  AllOf(HasSubstr("pipeline.schedule is 1f1b on rank 0, gpipe on rank 1"),
                        HasSubstr("pipeline.split is (absent) on rank 0, [1, 2] on rank 2"),
                        Not(HasSubstr("steps"))));
      EXPECT_NE(dynamic_cast<const SharedCause*>(&error), nullptr);
    }
    values = {{"key", "value"}};
    EXPECT_NO_THROW(world.CheckSame(values));
  });
}

TEST(GatherStrings, TextsOfAnyLengthAreExchanged) {
  RunRanks(3, [](World& world) {
    const std::vector<std::string> texts{"", std::string("a\0b", 3), std::string(5000, 'x')};
    EXPECT_EQ(GatherStrings(world.Control(), texts[world.rank()]), texts);
    EXPECT_THAT(GatherStrings(world.Control(), ""), ElementsAre("", "", ""));
  });
}

TEST(GatherStrings, PackedPartsComeBack) {
  const std::vector<std::string> parts{"1:2", "", "x\n"};
  EXPECT_EQ(UnpackStrings(PackStrings(parts)), parts);
}

}  // namespace
}  // namespace hyperpp::comm
