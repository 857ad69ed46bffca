#include "hyperpp/models/spec/config_overrides.h"

#include <gtest/gtest.h>

namespace hyperpp::models {
namespace {

using nlohmann::json;

json Apply(const char* config, const char* overrides) {
  json result = json::parse(config);
  ApplyOverrides(json::parse(overrides), result);
  return result;
}

TEST(ConfigOverridesTest, ValuesReplaceAndObjectsMerge) {
  EXPECT_EQ(Apply(R"({"a": 1, "rope_parameters": {"rope_type": "default", "rope_theta": 7}})",
                  R"({"a": null, "rope_parameters": {"rope_type": "linear", "factor": 2}})"),
            json::parse(R"({"a": null, "rope_parameters":
                            {"rope_type": "linear", "rope_theta": 7, "factor": 2}})"));
}

TEST(ConfigOverridesTest, NewRopeSpellingIsNotLostToTheOldOne) {
  EXPECT_EQ(Apply(R"({"rope_scaling": {"type": "linear", "factor": 2}})",
                  R"({"rope_parameters": {"factor": 3}})"),
            json::parse(R"({"rope_parameters": {"type": "linear", "factor": 3}})"));
  // A null rope_scaling, as old files have it, leaves nothing behind.
  EXPECT_EQ(Apply(R"({"rope_scaling": null})", R"({"rope_parameters": {"rope_theta": 3}})"),
            json::parse(R"({"rope_parameters": {"rope_theta": 3}})"));
}

TEST(ConfigOverridesTest, OuterThetaIsNotLostToTheInnerOne) {
  EXPECT_EQ(Apply(R"({"rope_parameters": {"rope_type": "default", "rope_theta": 7}})",
                  R"({"rope_theta": 9})"),
            json::parse(R"({"rope_parameters": {"rope_type": "default"}, "rope_theta": 9})"));
}

TEST(ConfigOverridesTest, OldDtypeSpellingIsNotLostToTheNewOne) {
  EXPECT_EQ(Apply(R"({"dtype": "float32"})", R"({"torch_dtype": "bfloat16"})"),
            json::parse(R"({"torch_dtype": "bfloat16"})"));
}

}  // namespace
}  // namespace hyperpp::models
