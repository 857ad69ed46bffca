// Building: what each rank gets of a model, under which names, and what is refused.

#include <algorithm>

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "hyperpp/comm/gather_strings.h"
#include "hyperpp/core/error.h"
#include "hyperpp/pipeline/runtime/auto_pipeline.h"
#include "tests/pipeline/runtime/small_pipeline.h"
#include "tests/support/error_text.h"
#include "tests/support/ranks.h"

namespace hyperpp::pipeline {
namespace {

using test::ErrorText;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(AutoPipelineBuildTest, LayersLieWhereTheSplitPutsThem) {
  const std::vector<std::vector<int64_t>> layers_of_stage = {{0}, {1},    {2},    {3},
                                                             {4}, {5, 6}, {7, 8}, {9}};
  test::RunRanks(Stages(4), [&](comm::World& world) {
    const PipelineOptions options{.schedule = "interleaved1f1b",
                                  .split = {{1, 1, 1, 1}, {1, 2, 2, 1}}};
    SmallPipeline small(world, options, {.num_layers = 10}, 4);
    const AutoPipeline& pipeline = small.pipeline;
    ASSERT_EQ(pipeline.parts().size(), 2U);
    for (int chunk = 0; chunk < 2; ++chunk) {
      const int stage = world.rank() + 4 * chunk;
      EXPECT_EQ(pipeline.info().stages[chunk].stage, stage);
      std::vector<std::string> expected;
      if (stage == 0) expected = {"embed.weight"};
      for (const int64_t layer : layers_of_stage[stage]) {
        expected.push_back(fmt::format("layers.{}.weight", layer));
        expected.push_back(fmt::format("layers.{}.rows", layer));
      }
      if (stage == 7) expected.insert(expected.end(), {"norm.gain", "head.weight"});
      EXPECT_EQ(pipeline.parts()[chunk]->named_parameters().keys(), expected) << stage;
    }
    EXPECT_EQ(pipeline.info().has_first_stage, world.rank() == 0);
    EXPECT_EQ(pipeline.info().has_last_stage, world.rank() == 3);
    // The way from stage 3, on the last rank, to stage 4, on the first, is a message.
    const auto& ranks = pipeline.info().schedule.ranks;
    EXPECT_EQ(std::count(ranks[3].begin(), ranks[3].end(), ParseAction("3SEND_F0", "")), 1);
    EXPECT_EQ(std::count(ranks[0].begin(), ranks[0].end(), ParseAction("4RECV_F0", "")), 1);
    EXPECT_EQ(std::count(ranks[0].begin(), ranks[0].end(), ParseAction("4SEND_B0", "")), 1);
  });
}

TEST(AutoPipelineBuildTest, AliasesOfAllRanksAreTheNamesOfTheModelOnce) {
  for (const bool tied : {false, true}) {
    const SmallModelOptions model{.num_layers = 6, .tied = tied};
    test::RunRanks(Stages(3), [&](comm::World& world) {
      SmallPipeline small(world, OptionsOf("interleaved1f1b", 3, Transport::kOverlapped, 6), model,
                          2);
      const auto own = small.pipeline.named_parameters();
      std::vector<std::string> names;
      for (const auto& [alias, name] : small.pipeline.checkpoint_fqn_aliases()) {
        ASSERT_TRUE(own.contains(alias)) << alias;
        EXPECT_TRUE(own[alias].is_same(small.Parameters().at(name))) << alias;
        names.push_back(name);
      }
      std::vector<std::string> all;
      for (const std::string& packed :
           comm::GatherStrings(world.Control(), comm::PackStrings(names)))
        for (const std::string& name : comm::UnpackStrings(packed)) all.push_back(name);
      std::sort(all.begin(), all.end());
      std::vector<std::string> expected = SmallModel(model).named_parameters().keys();
      std::sort(expected.begin(), expected.end());
      EXPECT_EQ(all, expected);
    });
  }
}

TEST(AutoPipelineBuildTest, BuffersAreRebuiltAfterMaterialisation) {
  test::RunRanks(Stages(2), [](comm::World& world) {
    AutoPipeline pipeline(world, OptionsOf("interleaved1f1b", 2, Transport::kOverlapped));
    pipeline.build(std::make_shared<SmallModel>(), nullptr, 4);
    EXPECT_THROW(pipeline.Prepare(), std::exception);  // nothing has memory yet
    meta::Materialise(pipeline, at::kCPU);
    for (const auto& item : pipeline.named_buffers()) at::Tensor(item.value()).fill_(-77);
    pipeline.Prepare();
    const auto buffers = pipeline.named_buffers();
    EXPECT_THAT(buffers.keys(), ElementsAre("parts.0.positions.table", "parts.1.positions.table"));
    for (const auto& item : buffers)
      EXPECT_TRUE(at::equal(item.value(), SmallModel::Positions())) << item.key();
  });
}

TEST(AutoPipelineBuildTest, ParallelizeSeesEachPartOnMetaUnderItsNames) {
  test::RunRanks(Stages(2), [](comm::World& world) {
    std::vector<int> stages;
    AutoPipeline pipeline(world, OptionsOf("interleaved1f1b", 2, Transport::kOverlapped));
    const auto parallelize = [&](torch::nn::Module& part, const StageRange& stage) {
      stages.push_back(stage.stage);
      for (const auto& item : part.named_parameters()) EXPECT_TRUE(item.value().is_meta());
      EXPECT_TRUE(
          part.named_parameters().contains(fmt::format("layers.{}.weight", stage.first_layer)));
    };
    pipeline.build(std::make_shared<SmallModel>(), parallelize, 4);
    EXPECT_THAT(stages, ElementsAre(world.rank(), world.rank() + 2));
  });
}

TEST(AutoPipelineBuildTest, ParameterThatWasForgottenIsNamed) {
  const auto world = comm::World::Join({}, MeshLayout(), {});
  AutoPipeline pipeline(*world, {});
  pipeline.build(std::make_shared<SmallModel>(), nullptr, 1);
  for (const auto& item : pipeline.named_parameters())
    if (item.key() != "parts.0.norm.gain")
      meta::Rehome(item.value(), at::zeros(item.value().sizes()));
  for (const auto& item : pipeline.named_buffers())
    meta::Rehome(item.value(), at::zeros(item.value().sizes()));
  EXPECT_THAT(ErrorText<InternalError>([&] { pipeline.Prepare(); }),
              HasSubstr("still without memory: parts.0.norm.gain"));
}

class ModelWithoutHooks : public torch::nn::Module {};

class ModelWithLostParameter : public SmallModel {
 public:
  ModelWithLostParameter() { register_module("extra", std::make_shared<SmallTable>("scale", 3)); }
};

class ModelWithWrongName : public SmallModel {
 public:
  std::vector<std::string> LastStageNames() const override { return {"norm", "lm_head"}; }
};

std::string RefusalOf(const std::shared_ptr<torch::nn::Module>& model, int64_t batch_size = 4,
                      const PipelineOptions& options = {}) {
  const auto world = comm::World::Join({}, MeshLayout(), {});
  AutoPipeline pipeline(*world, options);
  return ErrorText<PlanError>([&] { pipeline.build(model, nullptr, batch_size); });
}

TEST(AutoPipelineBuildTest, ModelWithoutHooksIsRefusedByName) {
  EXPECT_THAT(RefusalOf(std::make_shared<ModelWithoutHooks>()),
              testing::AllOf(HasSubstr("ModelWithoutHooks"), HasSubstr("PipelineModel")));
}

TEST(AutoPipelineBuildTest, ParameterOutsideAllStagesIsRefusedByName) {
  EXPECT_THAT(RefusalOf(std::make_shared<ModelWithLostParameter>()),
              HasSubstr("parameter extra.scale belongs to no stage"));
}

TEST(AutoPipelineBuildTest, HookThatNamesNoModuleIsRefused) {
  EXPECT_THAT(RefusalOf(std::make_shared<ModelWithWrongName>()),
              HasSubstr("the model has no module lm_head"));
}

TEST(AutoPipelineBuildTest, BatchThatDoesNotDivideIsRefused) {
  EXPECT_THAT(RefusalOf(std::make_shared<SmallModel>(), 4, {.microbatch_size = 3}),
              HasSubstr("3 does not divide the local batch 4"));
  EXPECT_THAT(RefusalOf(std::make_shared<SmallModel>(), 0), HasSubstr("local batch 0"));
}

TEST(AutoPipelineBuildTest, SplitOfAnotherNumberOfLayersIsRefused) {
  EXPECT_THAT(RefusalOf(std::make_shared<SmallModel>(), 4, {.split = {{5}}}),
              HasSubstr("add up to 5, but the model has 4 decoder layers"));
}

TEST(AutoPipelineBuildTest, ModelWithMemoryIsRefused) {
  const auto world = comm::World::Join({}, MeshLayout(), {});
  AutoPipeline pipeline(*world, {});
  auto model = std::make_shared<SmallModel>();
  meta::Materialise(*model, at::kCPU);
  EXPECT_THROW(pipeline.build(model, nullptr, 4), InternalError);
}

}  // namespace
}  // namespace hyperpp::pipeline
