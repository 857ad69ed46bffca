#include "hyperpp/checkpoint/inspect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checkpoint/small_model.h"
#include "tests/support/temporary_folder.h"

namespace hyperpp::checkpoint {
namespace {

using test::TemporaryFolder;
using ::testing::HasSubstr;

TEST(InspectTest, SummarisesTheNewestAndNamesTheOthers) {
  const TemporaryFolder folder;
  SaveSmall(folder.path(), 2);
  SaveSmall(folder.path(), 4, 2);
  const auto inspection = InspectCheckpoint(folder.path());
  EXPECT_EQ(inspection.at("step"), 4);
  EXPECT_EQ(inspection.at("steps"), (nlohmann::json{2, 4}));
  EXPECT_EQ(inspection.at("world_size"), 2);
  EXPECT_EQ(inspection.at("model").at("num_parameters"), 24 + 15 + 3);
  EXPECT_EQ(inspection.at("model").at("model_type"), "qwen3");
  EXPECT_EQ(inspection.at("kinds").at("exp_avg"), (nlohmann::json{{"entries", 6}, {"bytes", 168}}));
  EXPECT_EQ(inspection.at("optimizer").at("type"), "adamw");
  EXPECT_EQ(InspectCheckpoint(folder / "step_2/").at("steps"), (nlohmann::json{2, 4}));
}

TEST(InspectTest, TextIsForPeople) {
  const TemporaryFolder folder;
  SaveSmall(folder.path(), 4, 2);
  const std::string text = InspectionText(InspectCheckpoint(folder.path()));
  EXPECT_THAT(text, HasSubstr("qwen3, 1 layers, 42 parameters in 3 tensors"));
  EXPECT_THAT(text, HasSubstr("lm_head.weight = embed.weight"));
  EXPECT_THAT(text, HasSubstr("shard_1.safetensors"));
  EXPECT_THAT(text, HasSubstr("168 B"));
}

}  // namespace
}  // namespace hyperpp::checkpoint
