// Properties of every schedule over a range of shapes.
#include "hyperpp/pipeline/schedule/schedules.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/core/error.h"
#include "hyperpp/pipeline/schedule/in_flight.h"
#include "hyperpp/pipeline/schedule/insert_communication.h"
#include "hyperpp/pipeline/schedule/simulator.h"
#include "hyperpp/pipeline/schedule/validator.h"
#include "tests/pipeline/schedule/each_schedule.h"

namespace hyperpp::pipeline {
namespace {

using ::testing::HasSubstr;

TEST(SchedulesTest, AreLegalWithAndWithoutMessages) {
  ForEachSchedule([](const ScheduleKind& kind, const ScheduleShape& shape) {
    std::vector<int> bounds;
    for (int rank = 0; rank < shape.num_ranks; ++rank) {
      bounds.push_back(kind.in_flight_bound(shape, rank));
    }
    const Schedule compute = kind.generate(shape);
    EXPECT_NO_THROW(ValidateSchedule(compute, bounds));
    EXPECT_NO_THROW(ValidateSchedule(InsertCommunication(compute), bounds));
    EXPECT_EQ(MakeSchedule(kind.name, shape), InsertCommunication(compute));
  });
}

TEST(SchedulesTest, MessagesKeepTheOrderOfCompute) {
  ForEachSchedule([](const ScheduleKind& kind, const ScheduleShape& shape) {
    const Schedule compute = kind.generate(shape);
    Schedule stripped = InsertCommunication(compute);
    for (RankActions& actions : stripped.ranks) {
      std::erase_if(actions, [](const Action& action) { return IsCommunication(action.type); });
    }
    EXPECT_EQ(stripped, compute);
  });
}

TEST(SchedulesTest, InFlightBoundIsReached) {
  ForEachSchedule([](const ScheduleKind& kind, const ScheduleShape& shape) {
    const std::vector<int> peaks = PeakInFlight(kind.generate(shape));
    for (int rank = 0; rank < shape.num_ranks; ++rank) {
      EXPECT_EQ(peaks[static_cast<size_t>(rank)], kind.in_flight_bound(shape, rank));
    }
  });
}

TEST(SchedulesTest, BubbleOfOneChunkIsTheFormula) {
  ForEachSchedule([](const ScheduleKind& kind, const ScheduleShape& shape) {
    if (kind.interleaved) return;
    const int p = shape.num_ranks, m = shape.num_microbatches;
    const Timeline timeline = Simulate(kind.generate(shape), UniformDurations(shape, 1, 1));
    for (int rank = 0; rank < p; ++rank) {
      EXPECT_NEAR(BubbleFraction(timeline, rank), (p - 1.0) / (m + p - 1), 1e-12);
    }
  });
}

// A hang that shows only with other durations would stop this, or the proof in validator.h is
// wrong.
TEST(SchedulesTest, EndUnderAnyTimingWithBlockingMessages) {
  ForEachSchedule([](const ScheduleKind& kind, const ScheduleShape& shape) {
    const Schedule schedule = MakeSchedule(kind.name, shape);
    for (unsigned seed = 0; seed < 2; ++seed) {
      ActionDurations durations = UniformDurations(shape, 1, 2, 0.25);
      unsigned state = seed * 7919 + 1;
      for (std::vector<double>* stages : {&durations.forward, &durations.backward}) {
        for (double& duration : *stages) {
          state = state * 1664525u + 1013904223u;
          duration *= 0.1 + (state >> 24) / 32.0;
        }
      }
      const double overlapped = Makespan(Simulate(schedule, durations));
      const double blocking = Makespan(Simulate(schedule, durations, Transfer::kBlocking));
      EXPECT_GE(blocking, overlapped - 1e-9);
    }
  });
}

TEST(SchedulesTest, UnknownNameIsRefusedWithTheList) {
  try {
    MakeSchedule("zigzag", {2, 1, 2});
    FAIL();
  } catch (const PlanError& error) {
    EXPECT_THAT(error.what(), HasSubstr("zigzag; use one of gpipe, 1f1b, interleaved1f1b"));
  }
}

}  // namespace
}  // namespace hyperpp::pipeline
