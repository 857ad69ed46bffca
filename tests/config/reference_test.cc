#include "hyperpp/config/reference.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/config/schema.h"

namespace hyperpp::config {
namespace {

using ::testing::HasSubstr;

// To write the page anew: HYPERPP_WRITE_REFERENCE=1 config_test --gtest_filter=ReferenceTest.*
TEST(ReferenceTest, PageInTheDocumentsIsTheGeneratedOne) {
  if (std::getenv("HYPERPP_WRITE_REFERENCE") != nullptr) {
    std::ofstream(HYPERPP_CONFIG_REFERENCE) << ReferenceMarkdown();
  }
  std::ostringstream page;
  page << std::ifstream(HYPERPP_CONFIG_REFERENCE).rdbuf();
  EXPECT_EQ(page.str(), ReferenceMarkdown()) << "see the comment of this test";
}

TEST(ReferenceTest, EveryKeyIsDescribed) {
  const std::string text = ReferenceText(), page = ReferenceMarkdown();
  for (const Section& section : Schema()) {
    EXPECT_THAT(page, HasSubstr("\n## " + section.name + "\n"));
    for (const auto& key : section.keys) {
      EXPECT_THAT(text, HasSubstr("\n  " + key.name + " "));
      EXPECT_THAT(page, HasSubstr("\n| `" + key.name + "` | "));
      EXPECT_TRUE(key.meaning.ends_with(".")) << section.name << "." << key.name;
      EXPECT_FALSE(key.type.empty());
    }
  }
}

TEST(ReferenceTest, DefaultsComeFromTheStructs) {
  EXPECT_THAT(ReferenceMarkdown(), HasSubstr("| `betas` | list of two numbers >= 0 and < 1 | "
                                             "[0.9, 0.95] |"));
  EXPECT_THAT(ReferenceMarkdown(),
              HasSubstr("| `threads_per_rank` | auto \\| integer >= 1 | auto"));
  EXPECT_THAT(ReferenceMarkdown(), HasSubstr("| `lr` | number >= 0 | required |"));
}

}  // namespace
}  // namespace hyperpp::config
