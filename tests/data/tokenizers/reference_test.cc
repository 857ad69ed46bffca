// Ids and text equal to those of the `tokenizers` package; reference/make_reference.py made them.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "hyperpp/data/tokenizers/tokenizer.h"

namespace hyperpp::data {
namespace {

const std::filesystem::path kReference = HYPERPP_REFERENCE_DIR;

nlohmann::json Load(const std::string& name) {
  std::ifstream file(kReference / name);
  return nlohmann::json::parse(file);
}

class ReferenceTest : public ::testing::TestWithParam<const char*> {};

TEST_P(ReferenceTest, EqualsThePackage) {
  const std::string name = GetParam();
  const auto tokenizer = OpenTokenizer(kReference / (name + ".json"));
  const nlohmann::json golden = Load(name + ".golden.json");
  const auto texts = Load("cases.json").get<std::vector<std::string>>();
  ASSERT_EQ(texts.size(), golden["ids"].size());
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto expected = golden["ids"][i].get<std::vector<int32_t>>();
    EXPECT_EQ(tokenizer->Encode(texts[i]), expected) << texts[i];
    EXPECT_EQ(tokenizer->Decode(expected), golden["text"][i].get<std::string>());
    EXPECT_EQ(tokenizer->Decode(expected, false),
              golden["text_with_special"][i].get<std::string>());
    const std::vector<int32_t> reversed(expected.rbegin(), expected.rend());
    EXPECT_EQ(tokenizer->Decode(reversed), golden["reversed_text"][i].get<std::string>());
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, ReferenceTest,
                         ::testing::Values("gpt2", "qwen", "llama3", "deepseek", "o200k", "flags",
                                           "behaviors", "unknown"),
                         [](const auto& info) { return std::string(info.param); });

// All of the texts at once: each piece has been seen before when it comes again.
TEST(ReferenceOfLongTextTest, OneTextIsTheSumOfItsLines) {
  const auto tokenizer = OpenTokenizer(kReference / "deepseek.json");
  std::ifstream file(kReference / "corpus.txt");
  std::string text;
  std::vector<int32_t> sum;
  for (std::string line; std::getline(file, line);) {
    if (line.empty()) continue;
    line = "<\uFF5CUser\uFF5C>" + line;  // so that no piece crosses the ends
    const std::vector<int32_t> ids = tokenizer->Encode(line);
    sum.insert(sum.end(), ids.begin(), ids.end());
    text += line;
  }
  EXPECT_EQ(tokenizer->Encode(text), sum);
}

}  // namespace
}  // namespace hyperpp::data
