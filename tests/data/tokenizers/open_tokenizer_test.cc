#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/core/error.h"
#include "hyperpp/data/tokenizers/tokenizer.h"
#include "tests/support/temporary_folder.h"

namespace hyperpp::data {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const std::filesystem::path kReference = HYPERPP_REFERENCE_DIR;

class OpenTokenizerTest : public ::testing::Test {
 protected:
  const test::TemporaryFolder folder_;
};

TEST_F(OpenTokenizerTest, EachKindOpens) {
  EXPECT_EQ(OpenTokenizer("bytes")->VocabSize(), 257);
  EXPECT_EQ(OpenTokenizer(kReference / "qwen.json")->VocabSize(), 705);
  EXPECT_EQ(OpenTokenizer(kReference / "sentencepiece.model")->VocabSize(), 760);
}

TEST_F(OpenTokenizerTest, AFolderIsItsTokenizerJson) {
  std::filesystem::copy(kReference / "unknown.json", folder_ / "tokenizer.json");
  EXPECT_EQ(OpenTokenizer(folder_.path())->VocabSize(), 10);
}

TEST_F(OpenTokenizerTest, MissingFilesAreIoErrors) {
  EXPECT_THAT([&] { OpenTokenizer(folder_ / "none.json"); },
              ThrowsMessage<IoError>(HasSubstr("none.json: cannot read: No such file")));
  EXPECT_THAT([&] { OpenTokenizer(folder_ / "none.model"); },
              ThrowsMessage<IoError>(HasSubstr("none.model: cannot read: No such file")));
  EXPECT_THAT([&] { OpenTokenizer(folder_.path()); },
              ThrowsMessage<IoError>(HasSubstr("tokenizer.json: cannot read: No such file")));
}

TEST_F(OpenTokenizerTest, OtherContentIsAnInputErrorThatNamesTheFile) {
  EXPECT_THAT([&] { OpenTokenizer(folder_.Write("text.json", "hello")); },
              ThrowsMessage<InputError>(HasSubstr("text.json, model: is missing, or this is no")));
  EXPECT_THAT([&] { OpenTokenizer(folder_.Write("u.json", R"({"model": {"type": "Unigram"}})")); },
              ThrowsMessage<InputError>(HasSubstr("u.json, model.type: Unigram is not supported")));
  EXPECT_THAT([&] { OpenTokenizer(folder_.Write("text.model", "hello")); },
              ThrowsMessage<InputError>(HasSubstr("text.model: not a sentencepiece model")));
  EXPECT_THAT([&] { OpenTokenizer(folder_.Write("empty.model", "")); },
              ThrowsMessage<InputError>(HasSubstr("empty.model: not a sentencepiece model")));
}

}  // namespace
}  // namespace hyperpp::data
