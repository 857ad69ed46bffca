#include "hyperpp/models/spec/field_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hyperpp::models {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Findings Judge(const json& config) {
  Findings findings;
  FieldReader reader(config, "f", "", &findings);
  RefuseForeignFields(reader);
  WarnOfUnknownFields(reader);
  return findings;
}

TEST(FieldRulesTest, BookKeepingAndGenerationFieldsAreSilent) {
  const Findings findings = Judge({{"architectures", {"X"}},
                                   {"transformers_version", "4.1"},
                                   {"use_cache", true},
                                   {"_name_or_path", "a/b"},
                                   {"temperature", 0.6},
                                   {"pretraining_tp", 2},
                                   {"router_aux_loss_coef", 0.01}});
  EXPECT_THAT(findings.problems, IsEmpty());
  EXPECT_THAT(findings.warnings, IsEmpty());
}

TEST(FieldRulesTest, FieldsThatChangeTheModelAreRefusedByName) {
  for (const char* name : {"is_encoder_decoder", "vision_config", "audio_config", "auto_map",
                           "quantization_config", "num_experts", "attn_logit_softcapping",
                           "partial_rotary_factor", "per_layer_config", "sliding_window"}) {
    const Findings findings = Judge({{name, 0.5}});
    EXPECT_THAT(findings.problems, ElementsAre(HasSubstr(name))) << name;
  }
}

TEST(FieldRulesTest, FieldsThatSayWhatTheModelDoesAnywayPass) {
  const Findings findings = Judge({{"is_encoder_decoder", false},
                                   {"vision_config", nullptr},
                                   {"partial_rotary_factor", 1.0},
                                   {"mlp_bias", false},
                                   {"num_experts", 0}});
  EXPECT_THAT(findings.problems, IsEmpty());
  EXPECT_THAT(findings.warnings, IsEmpty());
}

TEST(FieldRulesTest, UnknownFieldsGiveAWarning) {
  EXPECT_THAT(Judge({{"colour", "red"}}).warnings,
              ElementsAre("f: colour: is not known to hyperpp and is ignored"));
}

}  // namespace
}  // namespace hyperpp::models
