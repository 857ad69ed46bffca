// docs/checkpoint_format.md shows a checkpoint byte by byte; it must be what is written.
#include <fstream>
#include <sstream>

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/checkpoint/durable_file.h"
#include "hyperpp/checkpoint/save.h"
#include "hyperpp/checkpoint/verify.h"
#include "tests/support/temporary_folder.h"

namespace hyperpp::checkpoint {
namespace {

using test::TemporaryFolder;
using ::testing::HasSubstr;

/// Lines as `hexdump -C` prints them.
std::vector<std::string> HexDump(const std::string& bytes) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < bytes.size(); begin += 16) {
    std::string hex, text;
    for (size_t i = begin; i < begin + 16 && i < bytes.size(); ++i) {
      const auto byte = static_cast<unsigned char>(bytes[i]);
      hex += fmt::format("{}{:02x} ", i == begin + 8 ? " " : "", byte);
      text += byte >= 32 && byte < 127 ? bytes[i] : '.';
    }
    lines.push_back(fmt::format("{:08x}  {:<49} |{}|", begin, hex, text));
  }
  return lines;
}

TEST(FormatExampleTest, DocumentShowsWhatIsWritten) {
  const TemporaryFolder folder;
  CheckpointState state;
  state.step = 5;
  state.world_size = 2;
  state.layout = {{"dp_shard", 2}};
  state.optimizer = {{"type", "sgd"}, {"lr", 0.5}};
  state.outline = {{{"w", {3, 2}, 0}}, 1, {}};
  state.export_dtypes = {{"w", at::kBFloat16}};
  const at::Tensor w = at::arange(1, 7, at::kFloat).view({3, 2});
  for (int rank = 0; rank < 2; ++rank) {
    CheckpointWriter writer(folder.path(), 5, rank, 2);
    if (rank == 0) writer.Begin();
    writer.WriteShard(
        {{"w", kParameter, {3, 2}, {2 * rank, 0}, w.slice(0, 2 * rank, 2 * rank + 2)}});
  }
  const std::string step = CheckpointWriter(folder.path(), 5, 0, 2).Commit(state, "");
  ASSERT_TRUE(VerifyCheckpoint(step).Passed());

  const std::string document = ReadWholeFile(HYPERPP_SOURCE_DIR "/docs/checkpoint_format.md");
  std::istringstream manifest(ReadWholeFile(step + "/manifest.json"));
  for (std::string line; std::getline(manifest, line);)
    EXPECT_THAT(document, HasSubstr("    " + line + "\n"));
  for (const std::string& line : HexDump(ReadWholeFile(step + "/shard_1.safetensors")))
    EXPECT_THAT(document, HasSubstr("    " + line + "\n"));
}

}  // namespace
}  // namespace hyperpp::checkpoint
