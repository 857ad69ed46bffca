#include "hyperpp/config/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hyperpp::config {
namespace {

using ::testing::HasSubstr;

std::string ProblemsOf(const std::string& text) {
  Problems problems;
  ParseDocument(text, "run.yaml", problems);
  return problems.Text();
}

TEST(DocumentTest, ValuesKnowTheirLines) {
  Problems problems;
  Value root = ParseDocument("a:\n  b: 1\n\n  c: [x,\n    y]\n", "run.yaml", problems);
  EXPECT_TRUE(problems.Empty());
  Value* a = root.Find("a");
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(a->Find("b")->where.At("a.b"), "run.yaml, line 2: a.b");
  EXPECT_EQ(a->Find("c")->where.line, 4);
  EXPECT_EQ(a->Find("c")->items.size(), 2u);
}

TEST(DocumentTest, EveryDuplicateIsReportedWithBothLines) {
  EXPECT_EQ(ProblemsOf("a:\n  b: 1\n  b: 2\nc: {d: {e: 1, e: 2}}\n"),
            "run.yaml, line 3: a.b: given twice, first on line 2; keep one\n"
            "run.yaml, line 4: c.d.e: given twice, first on line 4; keep one");
}

TEST(DocumentTest, MalformedYamlNamesTheLine) {
  EXPECT_THAT(ProblemsOf("a: 1\nb: [unclosed\n"), HasSubstr("run.yaml, line 3: malformed YAML"));
  EXPECT_THAT(ProblemsOf("a: 1\n\tb: 2\n"), HasSubstr("run.yaml, line 2: malformed YAML"));
}

TEST(DocumentTest, OnlyOneMapIsADocument) {
  EXPECT_THAT(ProblemsOf("- a\n- b\n"), HasSubstr("a list, not a map"));
  EXPECT_THAT(ProblemsOf("text"), HasSubstr("one value, not a map"));
  EXPECT_THAT(ProblemsOf("a: 1\n---\nb: 2\n"), HasSubstr("more than one YAML document"));
  EXPECT_EQ(ProblemsOf(""), "");
  EXPECT_EQ(ProblemsOf("# only a comment\n"), "");
}

TEST(DocumentTest, AliasesThatHoldThemselvesOrMultiplyAreRefused) {
  EXPECT_THAT(ProblemsOf("a: &x [*x]\n"), HasSubstr("nested too deeply or too many"));
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += (j ? ", *a" : "*a") + std::to_string(i - 1);
    bomb += "]\n";
  }
  EXPECT_THAT(ProblemsOf(bomb), HasSubstr("nested too deeply or too many"));
}

TEST(DocumentTest, JsonKeepsQuotedScalarsAsText) {
  Problems problems;
  const Value root = ParseDocument("{a: 1, b: '1', c: [true, ~, 1e-6], d: {e: x}}", "", problems);
  EXPECT_EQ(ToJson(root),
            nlohmann::json::parse(R"({"a":1,"b":"1","c":[true,null,1e-06],"d":{"e":"x"}})"));
}

TEST(DocumentTest, OverridesReplaceAddAndCreateTheWayToThem) {
  Problems problems;
  Value root = ParseDocument("a: {b: 1}\nempty:\n", "run.yaml", problems);
  for (const char* setting : {"a.b=2", "a.c=[3, 4]", "empty.d=x", "new.e.f=y=z"}) {
    ApplyOverride(setting, root, problems);
  }
  EXPECT_EQ(problems.Text(), "");
  EXPECT_EQ(ToJson(root), nlohmann::json::parse(R"({"a": {"b": 2, "c": [3, 4]},
      "empty": {"d": "x"}, "new": {"e": {"f": "y=z"}}})"));
  EXPECT_EQ(root.Find("a")->Find("b")->where.At("a.b"), "--set a.b");
}

TEST(DocumentTest, OverridesThatNameNoValueAreReported) {
  Problems problems;
  Value root = ParseDocument("a: {b: 1}\n", "run.yaml", problems);
  for (const char* setting : {"a.b", "a.b.c=1", "=3", "a.c=[1"}) {
    ApplyOverride(setting, root, problems);
  }
  EXPECT_THAT(problems.Text(), HasSubstr("--set a.b: has no value"));
  EXPECT_THAT(problems.Text(), HasSubstr("--set a.b.c: names no key"));
  EXPECT_THAT(problems.Text(), HasSubstr("--set : names no key"));
  EXPECT_THAT(problems.Text(), HasSubstr("--set a.c: malformed YAML"));
}

}  // namespace
}  // namespace hyperpp::config
