#include "hyperpp/pipeline/runtime/pipeline_executor.h"

#include <algorithm>

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "hyperpp/core/error.h"
#include "hyperpp/pipeline/schedule/schedule_text.h"
#include "tests/pipeline/runtime/small_pipeline.h"
#include "tests/support/error_text.h"
#include "tests/support/ranks.h"

namespace hyperpp::pipeline {
namespace {

using test::ErrorText;
using testing::AllOf;
using testing::HasSubstr;

TEST(PipelineExecutorTest, ScheduleOfAnyOrderIsRun) {
  // No generator makes this order: rank 0 goes through its microbatches backwards.
  constexpr const char* kText =
      "0F1,0SEND_F1,0F0,0SEND_F0,0RECV_B1,0B1,0RECV_B0,0B0\n"
      "1RECV_F1,1F1,1RECV_F0,1F0,1B1,1SEND_B1,1B0,1SEND_B0\n";
  test::RunRanks(Stages(2), [&](comm::World& world) {
    OneProcess expected({});
    const auto batch = SmallBatch(2);
    const std::vector<double> expected_losses = expected.Step(batch);
    for (const Transport transport : kTransports) {
      SmallPipeline actual(world, OptionsOf("1f1b", 2, transport), {}, 2);
      const auto losses = actual.pipeline.executor().Run(ParseSchedule(kText, "schedule"), batch);
      ExpectEqualsOneProcess(actual, losses, expected, expected_losses);
    }
  });
}

TEST(PipelineExecutorTest, AliveMicrobatchesAreThoseThatTheScheduleHolds) {
  constexpr int kRanks = 3, kMicrobatches = 6;
  test::RunRanks(Stages(kRanks), [](comm::World& world) {
    for (const Transport transport : kTransports) {
      for (const char* schedule : {"gpipe", "1f1b"}) {
        SCOPED_TRACE(schedule + (", " + NameOf(transport)));
        const SmallModelOptions model{.num_layers = 6};
        SmallPipeline small(world, OptionsOf(schedule, kRanks, transport), model, kMicrobatches);
        PipelineStage& stage = small.pipeline.executor().stages()[0];
        int most = 0;
        small.model->on_forward = [&](const StageRange&) {
          most = std::max(most, stage.NumAlive() + 1);  // with the one that begins
        };
        small.pipeline.Step(SmallBatch(kMicrobatches));
        const bool bounded = std::string(schedule) == "1f1b";
        EXPECT_EQ(most, bounded ? kRanks - world.rank() : kMicrobatches);
        EXPECT_EQ(stage.NumAlive(), 0);
      }
    }
  });
}

TEST(PipelineExecutorTest, SendsAreCompleteAfterAStep) {
  test::RunRanks(Stages(2), [](comm::World& world) {
    for (const Transport transport : kTransports) {
      SmallPipeline small(world, OptionsOf("interleaved1f1b", 2, transport), {}, 5);
      small.pipeline.Step(SmallBatch(5));
      EXPECT_EQ(small.pipeline.executor().transport().NumPendingSends(), 0);
    }
  });
}

// Runs a step in which `fail` is called in front of the forward pass of microbatch 2 on stage 1,
// and gives the text that the rank of stage 1 ends with. The other rank loses its peer.
void ExpectFailure(const std::function<void()>& fail,
                   const testing::Matcher<std::string>& matcher) {
  test::RunRanks(Stages(2), [&](comm::World& world) {
    SmallPipeline small(world, OptionsOf("1f1b", 2, Transport::kOverlapped), {}, 4);
    small.pipeline.set_activity("step 12");
    int passes = 0;
    small.model->on_forward = [&](const StageRange& stage) {
      if (stage.stage == 1 && ++passes == 3) fail();
    };
    const std::string text = ErrorText<Error>([&] { small.pipeline.Step(SmallBatch(4)); });
    if (world.rank() == 1) EXPECT_THAT(text, matcher);
    if (world.rank() == 0) EXPECT_THAT(text, HasSubstr("rank 1"));
  });
}

const auto kNamesThePlace =
    AllOf(HasSubstr("rank 1 (pp 1): step 12, 1f1b position "), HasSubstr("action 1F2: "),
          HasSubstr("  rank 0 "), HasSubstr("> rank 1 "), HasSubstr("[1F2]"));

TEST(PipelineExecutorTest, FailedCheckNamesRankActionAndPlace) {
  ExpectFailure([] { HYPERPP_CHECK_EQ(1, 2, "layers"); },
                AllOf(kNamesThePlace, HasSubstr("got 1 and 2; layers")));
}

TEST(PipelineExecutorTest, FailedOperationOfLibtorchNamesRankActionAndPlace) {
  ExpectFailure(
      [] {
        at::mm(at::ones({2, 3}), at::ones({2, 3}));
      },
      AllOf(kNamesThePlace, HasSubstr("2x3")));
}

TEST(PipelineExecutorTest, ForeignExceptionNamesRankActionAndPlace) {
  ExpectFailure([] { Keywords().at("positions"); }, kNamesThePlace);
}

TEST(PipelineExecutorTest, ErrorOfAKnownKindKeepsIt) {
  test::RunRanks(Stages(2), [&](comm::World& world) {
    SmallPipeline small(world, OptionsOf("1f1b", 2, Transport::kOverlapped), {}, 2);
    small.model->on_forward = [](const StageRange& stage) {
      if (stage.stage == 1) throw InputError("data/train.bin: damaged");
    };
    const auto step = [&] { small.pipeline.Step(SmallBatch(2)); };
    if (world.rank() == 1)
      EXPECT_THROW(step(), InputError);
    else
      EXPECT_THROW(step(), CommError);
  });
}

TEST(PipelineExecutorTest, NumberOfMicrobatchesIsChecked) {
  const auto world = comm::World::Join({}, MeshLayout(), {});
  SmallPipeline small(*world, {}, {}, 3);
  EXPECT_THAT(ErrorText<Error>([&] { small.pipeline.Step(SmallBatch(2)); }),
              HasSubstr("got 2 and 3; microbatches of schedule 1f1b"));
}

}  // namespace
}  // namespace hyperpp::pipeline
