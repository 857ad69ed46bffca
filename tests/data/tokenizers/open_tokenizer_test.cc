#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/core/error.h"
#include "hyperpp/data/tokenizers/tokenizer.h"

namespace hyperpp::data {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const std::filesystem::path kReference = HYPERPP_REFERENCE_DIR;

class OpenTokenizerTest : public ::testing::Test {
 protected:
  OpenTokenizerTest() { std::filesystem::create_directories(folder_); }
  ~OpenTokenizerTest() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& content) {
    std::ofstream(folder_ / name) << content;
    return (folder_ / name).string();
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) /
      ("hyperpp_open_tokenizer_" +
       std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
};

TEST_F(OpenTokenizerTest, EachKindOpens) {
  EXPECT_EQ(OpenTokenizer("bytes")->VocabSize(), 257);
  EXPECT_EQ(OpenTokenizer(kReference / "qwen.json")->VocabSize(), 705);
  EXPECT_EQ(OpenTokenizer(kReference / "sentencepiece.model")->VocabSize(), 760);
}

TEST_F(OpenTokenizerTest, AFolderIsItsTokenizerJson) {
  std::filesystem::copy(kReference / "unknown.json", folder_ / "tokenizer.json");
  EXPECT_EQ(OpenTokenizer(folder_)->VocabSize(), 10);
}

TEST_F(OpenTokenizerTest, MissingFilesAreIoErrors) {
  EXPECT_THAT([&] { OpenTokenizer(folder_ / "none.json"); },
              ThrowsMessage<IoError>(HasSubstr("none.json: cannot read: No such file")));
  EXPECT_THAT([&] { OpenTokenizer(folder_ / "none.model"); },
              ThrowsMessage<IoError>(HasSubstr("none.model: cannot read: No such file")));
  EXPECT_THAT([&] { OpenTokenizer(folder_); },
              ThrowsMessage<IoError>(HasSubstr("tokenizer.json: cannot read: No such file")));
}

TEST_F(OpenTokenizerTest, OtherContentIsAnInputErrorThatNamesTheFile) {
  EXPECT_THAT([&] { OpenTokenizer(Write("text.json", "hello")); },
              ThrowsMessage<InputError>(HasSubstr("text.json, model: is missing, or this is no")));
  EXPECT_THAT([&] { OpenTokenizer(Write("u.json", R"({"model": {"type": "Unigram"}})")); },
              ThrowsMessage<InputError>(HasSubstr("u.json, model.type: Unigram is not supported")));
  EXPECT_THAT([&] { OpenTokenizer(Write("text.model", "hello")); },
              ThrowsMessage<InputError>(HasSubstr("text.model: not a sentencepiece model")));
  EXPECT_THAT([&] { OpenTokenizer(Write("empty.model", "")); },
              ThrowsMessage<InputError>(HasSubstr("empty.model: not a sentencepiece model")));
}

}  // namespace
}  // namespace hyperpp::data
