#include "hyperpp/models/spec/field_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hyperpp::models {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(FieldReaderTest, AbsentFieldsTakeTheGivenValue) {
  const json object = json::object();
  Findings findings;
  FieldReader reader(object, "f", "", &findings);
  EXPECT_EQ(reader.Integer("a", 5), 5);
  EXPECT_EQ(reader.Number("b", 0.5), 0.5);
  EXPECT_EQ(reader.Boolean("c", true), true);
  EXPECT_EQ(reader.Text("d", "x"), "x");
  EXPECT_EQ(reader.OptionalInteger("e", 7), 7);
  EXPECT_THAT(findings.problems, IsEmpty());
}

TEST(FieldReaderTest, NullIsAValueOnlyForOptionalFields) {
  const json object = {{"a", nullptr}, {"b", nullptr}};
  Findings findings;
  FieldReader reader(object, "f", "", &findings);
  EXPECT_EQ(reader.OptionalInteger("a", 7), std::nullopt);
  reader.Integer("b", 7);
  EXPECT_THAT(findings.problems, ElementsAre("f: b: is null, expected an integer"));
}

TEST(FieldReaderTest, AllMistakesAreCollectedWithFileFieldAndValue) {
  const json object = {{"a", 2.0}, {"b", "x"}, {"c", 1}, {"d", 0}, {"e", 18446744073709551615ULL}};
  Findings findings;
  FieldReader reader(object, "f", "rope.", &findings);
  reader.Integer("a", 5);
  reader.Number("b", 5);
  reader.Boolean("c", false);
  reader.Integer("d", 5, {.min = 1, .max = 9});
  reader.Integer("e", 5, {.min = 1, .max = 9});
  reader.RequiredNumber("g");
  EXPECT_THAT(
      findings.problems,
      ElementsAre(
          "f: rope.a: is 2.0, expected an integer", "f: rope.b: is \"x\", expected a number",
          "f: rope.c: is 1, expected true or false", "f: rope.d: 0 is out of range; use 1 to 9",
          "f: rope.e: 18446744073709551615 is out of range; use 1 to 9", "f: rope.g: is missing"));
}

TEST(FieldReaderTest, FieldsThatNobodyAskedForAreUnknown) {
  const json object = {{"a", 1}, {"b", 2}, {"c", 3}};
  Findings findings;
  FieldReader reader(object, "f", "", &findings);
  reader.Integer("b", 0);
  EXPECT_THAT(reader.UnknownFields(), ElementsAre("a", "c"));
}

}  // namespace
}  // namespace hyperpp::models
