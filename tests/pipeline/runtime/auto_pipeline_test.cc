#include "hyperpp/pipeline/runtime/auto_pipeline.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "hyperpp/core/error.h"
#include "tests/pipeline/runtime/small_pipeline.h"
#include "tests/support/ranks.h"

namespace hyperpp::pipeline {
namespace {

using test::NearTensors;
using testing::ElementsAre;

// Runs `test` for each schedule and transport; the pipeline is new each time.
void ForEachMode(int num_ranks, const SmallModelOptions& model,
                 const std::function<void(comm::World&, const PipelineOptions&)>& test) {
  test::RunRanks(Stages(num_ranks), [&](comm::World& world) {
    for (const std::string& schedule : kScheduleNames) {
      for (const Transport transport : kTransports) {
        SCOPED_TRACE(schedule + ", " + NameOf(transport));
        test(world, OptionsOf(schedule, num_ranks, transport, model.num_layers));
      }
    }
  });
}

void ExpectStepEqualsOneProcess(comm::World& world, const PipelineOptions& options,
                                const SmallModelOptions& model, int num_microbatches) {
  OneProcess expected(model);
  const auto batch = SmallBatch(num_microbatches, model);
  const std::vector<double> expected_losses = expected.Step(batch);
  SmallPipeline actual(world, options, model, num_microbatches);
  const auto losses = actual.pipeline.Step(batch);
  actual.SumSharedGradients();
  ExpectEqualsOneProcess(actual, losses, expected, expected_losses);
}

TEST(AutoPipelineTest, StateOfThreeTensorsGivesTheGradientsOfOneProcess) {
  const SmallModelOptions model{.num_layers = 5};
  ForEachMode(2, model, [&](comm::World& world, const PipelineOptions& options) {
    ExpectStepEqualsOneProcess(world, options, model, 5);
  });
}

TEST(AutoPipelineTest, ThreeRanksGiveTheGradientsOfOneProcess) {
  const SmallModelOptions model{.num_layers = 7, .tied = true};
  ForEachMode(3, model, [&](comm::World& world, const PipelineOptions& options) {
    ExpectStepEqualsOneProcess(world, options, model, 4);
  });
}

TEST(AutoPipelineTest, FewerMicrobatchesThanStagesWork) {
  for (const int num_microbatches : {1, 2}) {
    ForEachMode(3, {.num_layers = 6}, [&](comm::World& world, const PipelineOptions& options) {
      ExpectStepEqualsOneProcess(world, options, {.num_layers = 6}, num_microbatches);
    });
  }
}

TEST(AutoPipelineTest, OneRankRunsSeveralChunksWithoutMessages) {
  const auto world = comm::World::Join({}, MeshLayout(), {});
  for (const std::string& schedule : kScheduleNames) {
    SCOPED_TRACE(schedule);
    ExpectStepEqualsOneProcess(*world, OptionsOf(schedule, 1, Transport::kOverlapped), {}, 3);
  }
}

TEST(AutoPipelineTest, TransportsGiveTheSameBits) {
  test::RunRanks(Stages(2), [](comm::World& world) {
    const auto batch = SmallBatch(6);
    for (const std::string& schedule : kScheduleNames) {
      std::vector<std::vector<at::Tensor>> results;
      for (const Transport transport : kTransports) {
        SmallPipeline small(world, OptionsOf(schedule, 2, transport), {}, 6);
        std::vector<at::Tensor> result = small.pipeline.Step(batch);
        for (const auto& [name, parameter] : small.Parameters()) result.push_back(parameter.grad());
        results.push_back(std::move(result));
      }
      for (std::size_t i = 0; i < results[0].size(); ++i) {
        EXPECT_TRUE(at::equal(results[0][i], results[1][i])) << schedule << ", tensor " << i;
        EXPECT_TRUE(at::equal(results[0][i], results[2][i])) << schedule << ", tensor " << i;
      }
    }
  });
}

TEST(AutoPipelineTest, StepCutsTheBatchAlongItsRows) {
  test::RunRanks(Stages(2), [](comm::World& world) {
    const auto batch = SmallBatch(3);
    const auto joined = [&](const auto& tensor_of) {
      std::vector<at::Tensor> parts;
      for (const MicrobatchInput& microbatch : batch) parts.push_back(tensor_of(microbatch));
      return at::cat(parts);
    };
    SmallPipeline cut(world, {}, {}, 3), whole(world, {}, {}, 3);
    const auto expected = cut.pipeline.Step(batch);
    const auto losses = whole.pipeline.step(
        joined([](const auto& microbatch) { return microbatch.keywords.at("input_ids"); }),
        joined([](const auto& microbatch) { return microbatch.target; }),
        {{"token_weight", batch[0].keywords.at("token_weight")}});
    ASSERT_EQ(losses.size(), expected.size());
    for (std::size_t i = 0; i < losses.size(); ++i) EXPECT_TRUE(at::equal(losses[i], expected[i]));
    for (const auto& [name, parameter] : whole.Parameters())
      EXPECT_TRUE(at::equal(parameter.grad(), cut.Parameters()[name].grad())) << name;
    EXPECT_THROW(whole.pipeline.step(at::zeros({4, kLength}, at::kInt), {}, {}), PlanError);
  });
}

TEST(AutoPipelineTest, TenLayersOnFourRanksGiveTheGradientsOfOneProcess) {
  test::RunRanks(Stages(4), [](comm::World& world) {
    for (const int num_microbatches : {4, 6}) {
      const PipelineOptions options{.schedule = "interleaved1f1b",
                                    .split = {{1, 1, 1, 1}, {1, 2, 2, 1}}};
      ExpectStepEqualsOneProcess(world, options, {.num_layers = 10}, num_microbatches);
    }
  });
}

TEST(AutoPipelineTest, TiedEmbeddingsStayEqualToTheBit) {
  const SmallModelOptions model{.tied = true};
  ForEachMode(2, model, [&](comm::World& world, const PipelineOptions& options) {
    OneProcess expected(model);
    SmallPipeline actual(world, options, model, 3);
    ASSERT_EQ(actual.pipeline.shared_parameters().size(), 1U);
    EXPECT_EQ(actual.pipeline.shared_parameters()[0].fqn, "embed.weight");
    EXPECT_THAT(actual.pipeline.shared_parameters()[0].ranks, ElementsAre(0, 1));
    EXPECT_TRUE(actual.pipeline.Holds("embed.weight"));
    EXPECT_EQ(actual.pipeline.Owns("embed.weight"), world.rank() == 0);
    for (uint64_t step = 0; step < 2; ++step) {
      const auto batch = SmallBatch(3, model, step);
      expected.Step(batch);
      actual.pipeline.Step(batch);
      actual.SumSharedGradients();
      Descend(expected.model.parameters(), 0.5);
      actual.Descend(0.5);
    }
    const at::Tensor own = actual.Parameters().at("embed.weight").detach();
    EXPECT_TRUE(NearTensors(own, expected.model.named_parameters()["embed.weight"]));
    const at::Tensor both = at::empty({2 * own.size(0), own.size(1)});
    world.Control().AllGather(both, own)->Wait();
    EXPECT_TRUE(
        at::equal(both.narrow(0, 0, own.size(0)), both.narrow(0, own.size(0), own.size(0))));
  });
}

TEST(AutoPipelineTest, IdsSharedByTheChunksOfARankAreNotModified) {
  for (const bool recompute : {false, true}) {
    const SmallModelOptions model{.num_layers = 4, .recompute = recompute};
    test::RunRanks(Stages(2), [&](comm::World& world) {
      OneProcess expected({.num_layers = 4});
      const auto batch = SmallBatch(4);
      const std::vector<double> expected_losses = expected.Step(batch);
      const PipelineOptions options = OptionsOf("interleaved1f1b", 2, Transport::kMultiStream);
      SmallPipeline actual(world, options, model, 4);
      std::vector<at::Tensor> ids_before;
      for (const auto& microbatch : batch)
        ids_before.push_back(microbatch.keywords.at("input_ids").clone());
      const auto losses = actual.pipeline.Step(batch);
      for (std::size_t i = 0; i < batch.size(); ++i) {
        const at::Tensor& ids = batch[i].keywords.at("input_ids");
        EXPECT_FALSE(ids.requires_grad());
        EXPECT_EQ(ids._version(), 0);
        EXPECT_EQ(ids.scalar_type(), at::kInt);
        EXPECT_TRUE(at::equal(ids, ids_before[i]));
      }
      ExpectEqualsOneProcess(actual, losses, expected, expected_losses);
    });
  }
}

TEST(AutoPipelineTest, EvaluationTakesAnyNumberOfMicrobatchesAndLeavesNoGraph) {
  ForEachMode(2, {}, [&](comm::World& world, const PipelineOptions& options) {
    OneProcess expected({});
    SmallPipeline actual(world, options, {}, 3);
    actual.pipeline.Step(SmallBatch(3));
    std::map<std::string, at::Tensor> gradients;
    for (const auto& [name, parameter] : actual.Parameters())
      gradients[name] = parameter.grad().clone();
    EXPECT_TRUE(actual.pipeline.Evaluate({}).empty());
    for (const int count : {1, 2, 5, 3, 5}) {
      const auto batch = SmallBatch(count, {}, 9);
      const auto losses = actual.pipeline.Evaluate(batch);
      const std::vector<double> expected_losses = expected.Step(batch, /*backward=*/false);
      EXPECT_EQ(losses.size(), actual.pipeline.info().has_last_stage ? batch.size() : 0U);
      for (std::size_t i = 0; i < losses.size(); ++i) {
        EXPECT_NEAR(losses[i].item<double>(), expected_losses[i], 1e-6);
        EXPECT_EQ(losses[i].grad_fn(), nullptr);
      }
      for (const PipelineStage& stage : actual.pipeline.executor().stages())
        EXPECT_EQ(stage.NumAlive(), 0);
    }
    for (const auto& [name, parameter] : actual.Parameters())
      EXPECT_TRUE(at::equal(parameter.grad(), gradients[name])) << name;
  });
}

}  // namespace
}  // namespace hyperpp::pipeline
