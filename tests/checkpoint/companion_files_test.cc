#include "hyperpp/checkpoint/companion_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/checkpoint/durable_file.h"
#include "tests/support/temporary_folder.h"

namespace hyperpp::checkpoint {
namespace {

using test::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CompanionFilesTest, TokenizerAndGenerationFilesAreFound) {
  const TemporaryFolder folder;
  for (const char* name : {"tokenizer.json", "tokenizer_config.json", "tokenizer.model",
                           "chat_template.jinja", "generation_config.json", "merges.txt",
                           "config.json", "model.safetensors", "README.md", "trainer_state.json"})
    WriteFileDurably(folder / name, "");
  MakeFolder(folder / "chat_templates");
  EXPECT_THAT(CompanionFiles(folder.path()),
              ElementsAre("chat_template.jinja", "generation_config.json", "merges.txt",
                          "tokenizer.json", "tokenizer.model", "tokenizer_config.json"));
}

TEST(CompanionFilesTest, MissingFolderHasNone) {
  EXPECT_THAT(CompanionFiles("/no-such-folder"), IsEmpty());
}

}  // namespace
}  // namespace hyperpp::checkpoint
