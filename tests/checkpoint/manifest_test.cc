#include "hyperpp/checkpoint/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/checkpoint/checksum.h"
#include "hyperpp/core/error.h"
#include "tests/checkpoint/small_model.h"
#include "tests/support/error_text.h"

namespace hyperpp::checkpoint {
namespace {

using test::ErrorText;
using ::testing::AnyOf;
using ::testing::HasSubstr;

Manifest SmallManifest() {
  Manifest manifest;
  manifest.state = SmallState(7, 2);
  manifest.state.extra = {{"lr", 0.1}};
  manifest.shards = {
      {"shard_1.safetensors",
       120,
       {{"embed.weight", kExpAvg, at::kFloat, {6, 4}, {3, 0}, {3, 4}, 72, 120, 0xabcdef}}}};
  manifest.attached = {{"model/tokenizer.json", 12, 0xfedcba9876543210}};
  return manifest;
}

/// Replaces a part of a manifest's body and gives it a matching checksum.
std::string Reworded(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  const size_t body = text.find('\n') + 1;
  text.replace(23, 16, ChecksumText(Checksum(text.data() + body, text.size() - body)));
  return text;
}

TEST(ManifestTest, EverythingIsReadBack) {
  const Manifest manifest = SmallManifest();
  const std::string text = FormatManifest(manifest);
  const Manifest read = ParseManifest("m", text);
  EXPECT_EQ(FormatManifest(read), text);
  EXPECT_EQ(read.state.step, 7);
  EXPECT_EQ(read.state.outline.parameters[1].layer, 0);
  EXPECT_EQ(read.state.outline.tied, manifest.state.outline.tied);
  EXPECT_EQ(read.state.export_dtypes, manifest.state.export_dtypes);
  EXPECT_EQ(read.state.data, manifest.state.data);
  EXPECT_EQ(read.shards[0].entries[0].offsets, (std::vector<int64_t>{3, 0}));
  EXPECT_EQ(read.shards[0].entries[0].checksum, 0xabcdefu);
  EXPECT_EQ(read.attached[0].checksum, 0xfedcba9876543210u);
}

TEST(ManifestTest, IsOrdinaryJson) {
  const auto body = nlohmann::json::parse(FormatManifest(SmallManifest()));
  EXPECT_EQ(body.at("format"), "hyperpp checkpoint");
  EXPECT_EQ(body.at("version"), 1);
}

TEST(ManifestTest, EveryDamagedByteIsNoticed) {
  const std::string text = FormatManifest(SmallManifest());
  for (size_t i = 0; i < text.size(); ++i) {
    std::string damaged = text;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_THAT(ErrorText<InputError>([&] { ParseManifest("m.json", damaged); }),
                HasSubstr("m.json, offset "))
        << "byte " << i;
  }
}

TEST(ManifestTest, EveryTruncationIsNoticed) {
  const std::string text = FormatManifest(SmallManifest());
  for (size_t size = 0; size < text.size(); ++size)
    EXPECT_THROW(ParseManifest("m", text.substr(0, size)), InputError) << size;
}

TEST(ManifestTest, LaterVersionAndOtherFormatAreRefusedByNumber) {
  const std::string text = FormatManifest(SmallManifest());
  EXPECT_THAT(ErrorText<InputError>(
                  [&] { ParseManifest("m", Reworded(text, "\"version\": 1", "\"version\": 2")); }),
              HasSubstr("format version is 2, this program reads 1"));
  EXPECT_THAT(ErrorText<InputError>(
                  [&] { ParseManifest("m", Reworded(text, "hyperpp checkpoint", "other")); }),
              HasSubstr("format is \"other\""));
  EXPECT_THAT(ErrorText<InputError>(
                  [&] { ParseManifest("m", Reworded(text, "\"world_size\"", "\"worlds\"")); }),
              HasSubstr("world_size"));
}

TEST(ManifestTest, EntryNamesAreFqnsWithWhatTellsThemApart) {
  ShardEntry entry{"a.weight", kParameter, at::kFloat, {4, 2}, {0, 0}, {4, 2}};
  EXPECT_EQ(EntryName(entry), "a.weight");
  entry.kind = kExpAvg;
  EXPECT_EQ(EntryName(entry), "a.weight@exp_avg");
  entry.shape = {2, 2};
  entry.offsets = {2, 0};
  EXPECT_EQ(EntryName(entry), "a.weight@exp_avg[2,0]");
}

}  // namespace
}  // namespace hyperpp::checkpoint
