#include "hyperpp/models/spec/rope_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hyperpp::models {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

RopeSpec Read(const json& config, Findings& findings) {
  FieldReader reader(config, "f", "", &findings);
  return ReadRope(reader, 4096);
}

std::vector<std::string> ProblemsOf(const json& config) {
  Findings findings;
  Read(config, findings);
  return findings.problems;
}

TEST(RopeFieldsTest, LongropeAndUnknownTypesAreRefusedByName) {
  EXPECT_THAT(ProblemsOf({{"rope_parameters", {{"rope_type", "longrope"}, {"factor", 2.0}}}}),
              ElementsAre(AllOf(HasSubstr("rope_parameters.rope_type"), HasSubstr("longrope"))));
  EXPECT_THAT(ProblemsOf({{"rope_scaling", {{"type", "mrope"}, {"mrope_section", {1, 2}}}}}),
              ElementsAre(HasSubstr("rope_scaling.type: rope type \"mrope\""),
                          HasSubstr("rope_scaling.mrope_section")));
}

TEST(RopeFieldsTest, FieldsThatATypeNeedsAreRequired) {
  EXPECT_THAT(ProblemsOf({{"rope_scaling", {{"type", "linear"}}}}),
              ElementsAre("f: rope_scaling.factor: is missing"));
  EXPECT_THAT(ProblemsOf({{"rope_parameters", {{"rope_type", "llama3"}, {"factor", 8}}}}),
              ElementsAre(HasSubstr("low_freq_factor: is missing"),
                          HasSubstr("high_freq_factor: is missing")));
}

TEST(RopeFieldsTest, ValuesThatMakeNoSenseAreRefused) {
  EXPECT_THAT(ProblemsOf({{"rope_scaling", {{"type", "linear"}, {"factor", 0.5}}}}),
              ElementsAre(HasSubstr("factor: 0.5 is out of range")));
  EXPECT_THAT(ProblemsOf({{"rope_parameters",
                           {{"rope_type", "llama3"},
                            {"factor", 8},
                            {"low_freq_factor", 4},
                            {"high_freq_factor", 4}}}}),
              ElementsAre(HasSubstr("high_freq_factor: 4 is not above low_freq_factor = 4")));
  EXPECT_THAT(ProblemsOf({{"rope_theta", 0}}), ElementsAre(HasSubstr("rope_theta: 0")));
  EXPECT_THAT(ProblemsOf({{"rope_parameters", {{"partial_rotary_factor", 0.5}}}}),
              ElementsAre(HasSubstr("partial_rotary_factor: 0.5")));
  EXPECT_THAT(ProblemsOf({{"rope_parameters", 3}}), ElementsAre(HasSubstr("expected an object")));
}

TEST(RopeFieldsTest, ParametersPerLayerTypeAreRefused) {
  EXPECT_THAT(ProblemsOf({{"rope_parameters", {{"full_attention", {{"rope_theta", 5.0}}}}}}),
              ElementsAre(HasSubstr("rope_parameters.full_attention")));
}

TEST(RopeFieldsTest, FieldsOfAnotherTypeGiveAWarning) {
  Findings findings;
  const RopeSpec rope =
      Read({{"rope_parameters", {{"rope_type", "default"}, {"beta_fast", 4}}}}, findings);
  EXPECT_EQ(rope.type, RopeSpec::Type::kDefault);
  EXPECT_THAT(findings.problems, IsEmpty());
  EXPECT_THAT(findings.warnings, ElementsAre(HasSubstr("rope_parameters.beta_fast")));
}

}  // namespace
}  // namespace hyperpp::models
