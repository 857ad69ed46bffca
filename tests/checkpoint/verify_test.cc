#include "hyperpp/checkpoint/verify.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/checkpoint/reader.h"
#include "hyperpp/core/error.h"
#include "tests/checkpoint/damage.h"
#include "tests/checkpoint/small_model.h"
#include "tests/support/temporary_folder.h"

namespace hyperpp::checkpoint {
namespace {

using test::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(VerifyTest, CompleteCheckpointPasses) {
  const TemporaryFolder folder;
  SaveSmall(folder.path(), 4, 2);
  const VerifyReport report = VerifyCheckpoint(folder.path());
  EXPECT_TRUE(report.Passed());
  EXPECT_EQ(report.step, 4);
  EXPECT_EQ(report.num_shards, 2);
  EXPECT_EQ(report.num_bytes, 3u * 4 * (24 + 15 + 3));
  EXPECT_THAT(ToText(report), HasSubstr("complete and undamaged"));
  EXPECT_EQ(ToJson(report).at("passed"), true);
}

TEST(VerifyTest, AllDamagedEntriesAreReported) {
  const TemporaryFolder folder;
  const std::string step = SaveSmall(folder.path(), 4, 2);
  const auto shards = CheckpointReader(step).manifest().shards;
  FlipBit(step + "/shard_0.safetensors", shards[0].entries[1].begin);
  FlipBit(step + "/shard_1.safetensors", shards[1].entries[0].end - 1);
  const VerifyReport report = VerifyCheckpoint(step);
  EXPECT_THAT(report.problems,
              ElementsAre(HasSubstr("shard_0.safetensors, offset"), HasSubstr("shard_1.safe")));
  EXPECT_THAT(ToText(report), HasSubstr("2 problems"));
}

// Every byte of the data is covered by a checksum.
TEST(VerifyTest, NoDamagedByteOfAShardGoesUnnoticed) {
  const TemporaryFolder folder;
  const std::string step = SaveSmall(folder.path(), 4);
  const std::string shard = step + "/shard_0.safetensors";
  const auto first = CheckpointReader(step).manifest().shards[0].entries[0].begin;
  const auto size = std::filesystem::file_size(shard);
  for (uint64_t offset = first; offset < size; offset += 7) {
    FlipBit(shard, offset);
    EXPECT_FALSE(VerifyCheckpoint(step).Passed()) << "byte " << offset;
    FlipBit(shard, offset);
  }
  EXPECT_TRUE(VerifyCheckpoint(step).Passed());
}

TEST(VerifyTest, OptimizerStateOfAPartIsIncomplete) {
  const TemporaryFolder folder;
  SaveRequest request = SmallRequest(folder.path(), 4);
  std::erase_if(request.tensors, [](const SavedTensor& tensor) {
    return tensor.fqn == "embed.weight" && tensor.kind == kExpAvg;
  });
  SaveCheckpoint(nullptr, request);
  EXPECT_THAT(VerifyCheckpoint(folder.path()).problems,
              ElementsAre(HasSubstr("exp_avg of embed.weight: 0 of 24 elements are there")));
}

TEST(VerifyTest, FolderWithoutCheckpointIsAnError) {
  const TemporaryFolder folder;
  EXPECT_THROW(VerifyCheckpoint(folder.path()), InputError);
}

}  // namespace
}  // namespace hyperpp::checkpoint
