#include "hyperpp/checkpoint/reader.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/checkpoint/durable_file.h"
#include "hyperpp/core/error.h"
#include "tests/checkpoint/damage.h"
#include "tests/checkpoint/small_model.h"
#include "tests/support/error_text.h"
#include "tests/support/temporary_folder.h"

namespace hyperpp::checkpoint {
namespace {

namespace fs = std::filesystem;
using test::ErrorText;
using test::TemporaryFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ReaderTest, AnyNumberOfRanksReadsWhatAnyOtherWrote) {
  for (int writers : {1, 2, 4, 7}) {
    const TemporaryFolder folder;
    CheckpointReader reader(SaveSmall(folder.path(), 4, writers));
    for (int readers : {1, 2, 3, 8}) {
      for (int rank = 0; rank < readers; ++rank) {
        for (const SavedTensor& wanted : SmallShard(rank, readers, AdamKinds())) {
          at::Tensor out = at::full_like(wanted.local, -1);
          reader.Read(wanted.fqn, wanted.kind, wanted.offsets, out);
          EXPECT_TRUE(out.equal(wanted.local))
              << wanted.kind << " of " << wanted.fqn << ", " << writers << " to " << readers;
        }
      }
    }
  }
}

TEST(ReaderTest, ColumnsAreReadFromRowsWithConversion) {
  const TemporaryFolder folder;
  CheckpointReader reader(SaveSmall(folder.path(), 4, 4));
  const at::Tensor whole = SmallTensor(SmallOutline().parameters[0], kParameter);
  at::Tensor out = at::zeros({3, 6}).to(at::kBFloat16).t();  // columns 1 to 3, strided
  reader.Read("embed.weight", kParameter, {0, 1}, out);
  EXPECT_TRUE(out.equal(whole.slice(1, 1, 4).to(at::kBFloat16)));
}

TEST(ReaderTest, OnlyTouchedEntriesAreVerified) {
  const TemporaryFolder folder;
  const std::string step = SaveSmall(folder.path(), 4, 2);
  CheckpointReader reader(step);
  const ShardEntry& entry = reader.manifest().shards[1].entries[0];
  FlipBit(step + "/shard_1.safetensors", entry.begin + 5);
  at::Tensor first = at::empty({3, 4});
  reader.Read("embed.weight", kParameter, {0, 0}, first);
  const std::string text = ErrorText<InputError>([&] {
    reader.Read("embed.weight", kParameter, {1, 0}, first);
  });
  EXPECT_THAT(
      text,
      AllOf(HasSubstr(fmt::format("shard_1.safetensors, offset {}: checksum is ", entry.begin)),
            HasSubstr("in parameter of embed.weight; the file is damaged")));
}

TEST(ReaderTest, DamageNamesTheCheckpointBefore) {
  const TemporaryFolder folder;
  SaveSmall(folder.path(), 2);
  const std::string step = SaveSmall(folder.path(), 4);
  FlipBit(step + "/shard_0.safetensors", fs::file_size(step + "/shard_0.safetensors") - 1);
  CheckpointReader reader(step);
  at::Tensor out = at::empty({3});
  EXPECT_THAT(ErrorText<InputError>([&] { reader.Read("norm.weight", kExpAvgSq, {0}, out); }),
              HasSubstr("the checkpoint before it is " + (folder / "step_2").string()));
  FlipBit(step + "/manifest.json", 60);
  EXPECT_THAT(ErrorText<InputError>([&] { CheckpointReader damaged(step); }),
              AllOf(HasSubstr("manifest.json, offset 42: checksum is"), HasSubstr("step_2")));
}

TEST(ReaderTest, DamagedShardHeaderIsNoticed) {
  const TemporaryFolder folder;
  const std::string step = SaveSmall(folder.path(), 4);
  const std::string header = ReadWholeFile(step + "/shard_0.safetensors");
  FlipBit(step + "/shard_0.safetensors", header.find("norm.weight@exp_avg\""));
  CheckpointReader reader(step);
  at::Tensor out = at::empty({3});
  EXPECT_THAT(ErrorText<InputError>([&] { reader.Read("norm.weight", kExpAvg, {0}, out); }),
              HasSubstr("exp_avg of norm.weight (norm.weight@exp_avg) is missing"));
}

TEST(ReaderTest, MissingAndTruncatedShardsAreNamedAtOnce) {
  const TemporaryFolder folder;
  const std::string step = SaveSmall(folder.path(), 4, 2);
  const std::string shard = step + "/shard_1.safetensors";
  fs::resize_file(shard, fs::file_size(shard) - 3);
  EXPECT_THAT(ErrorText<InputError>([&] { CheckpointReader reader(step); }),
              AllOf(HasSubstr("shard_1.safetensors, offset "), HasSubstr("the file ends here")));
  fs::remove(shard);
  EXPECT_THAT(ErrorText<InputError>([&] { CheckpointReader reader(step); }),
              HasSubstr("shard_1.safetensors: the file is missing"));
}

TEST(ReaderTest, EntryDeletedFromAShardIsNamed) {
  const TemporaryFolder folder;
  const std::string step = SaveSmall(folder.path(), 4);
  const std::string path = step + "/shard_0.safetensors";
  std::vector<NamedTensor> left;
  {
    const SafetensorsFile file(path);
    for (const auto& [name, entry] : file.entries())
      if (name != "embed.weight@exp_avg_sq") left.emplace_back(name, file.View(name).clone());
  }
  WriteSafetensors(path, left, {});
  EXPECT_THAT(ErrorText<InputError>([&] { CheckpointReader reader(step); }),
              HasSubstr("exp_avg_sq of embed.weight"));
}

TEST(ReaderTest, WhatWasNotSavedIsNamed) {
  const TemporaryFolder folder;
  CheckpointReader reader(SaveSmall(folder.path(), 4));
  EXPECT_TRUE(reader.Has("norm.weight", kExpAvg));
  EXPECT_FALSE(reader.Has("norm.weight", kMomentumBuffer));
  at::Tensor out = at::empty({4});
  EXPECT_THAT(ErrorText<InputError>([&] { reader.Read("norm.weight", kMomentumBuffer, {0}, out); }),
              HasSubstr("step_4: momentum_buffer of norm.weight is missing"));
  EXPECT_THAT(ErrorText<InputError>([&] { reader.Read("norm.weight", kParameter, {0}, out); }),
              HasSubstr("the tensor is [3], which does not hold the part [0:4]"));
}

TEST(ReaderTest, EmptyShardsReadNothing) {
  const TemporaryFolder folder;
  CheckpointReader reader(SaveSmall(folder.path(), 4));
  at::Tensor out = at::empty({0, 4});
  reader.Read("embed.weight", kParameter, {6, 0}, out);
}

TEST(ReaderTest, MovedFolderIsReadFromItsNewPlace) {
  const TemporaryFolder folder;
  SaveSmall(folder / "old", 4, 3);
  fs::create_directories(folder / "new/place");
  fs::rename(folder / "old/step_4", folder / "new/place/renamed");
  CheckpointReader reader(folder / "new/place/renamed");
  EXPECT_TRUE(reader.ReadWhole("norm.weight", kExpAvg)
                  .equal(SmallTensor(SmallOutline().parameters[2], kExpAvg)));
  EXPECT_THAT(ReadWholeFile(folder / "new/place/renamed/manifest.json"),
              Not(HasSubstr(folder.path())));
}

TEST(ReaderTest, StateComesBack) {
  const TemporaryFolder folder;
  const CheckpointReader reader(SaveSmall(folder.path(), 4, 2));
  EXPECT_EQ(reader.manifest().state.data, (nlohmann::json{{"next_sample", 32}}));
  EXPECT_EQ(reader.manifest().state.world_size, 2);
}

}  // namespace
}  // namespace hyperpp::checkpoint
