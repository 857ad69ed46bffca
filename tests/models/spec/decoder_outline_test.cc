#include <gtest/gtest.h>

#include "hyperpp/models/spec/decoder_spec.h"
#include "tests/models/spec/reference.h"

namespace hyperpp::models {
namespace {

using nlohmann::json;

TEST(DecoderOutlineTest, NamesShapesAndTiesAreThoseOfTransformers) {
  const json references = ReadReference("state_dicts.json");
  for (const auto& [name, reference] : references.items()) {
    const ModelOutline outline = ParseDecoderSpec(reference["given"], name).Outline();
    json parameters = json::array();
    for (const ParameterOutline& parameter : outline.parameters)
      parameters.push_back({parameter.fqn, parameter.shape});
    EXPECT_EQ(parameters, reference["parameters"]) << name;
    json tied = json::array();
    for (const auto& [alias, owner] : outline.tied) tied.push_back({alias, owner});
    EXPECT_EQ(tied, reference["tied"]) << name;
  }
}

TEST(DecoderOutlineTest, LayerOfEachParameterIsInItsName) {
  const json config = {{"model_type", "qwen3"}, {"num_hidden_layers", 12}};
  const ModelOutline outline = ParseDecoderSpec(config, "config.json").Outline();
  EXPECT_EQ(outline.num_layers, 12);
  for (const ParameterOutline& parameter : outline.parameters) {
    const std::string prefix = "model.layers." + std::to_string(parameter.layer) + ".";
    EXPECT_EQ(parameter.layer >= 0, parameter.fqn.starts_with("model.layers.")) << parameter.fqn;
    if (parameter.layer >= 0) EXPECT_TRUE(parameter.fqn.starts_with(prefix)) << parameter.fqn;
  }
}

}  // namespace
}  // namespace hyperpp::models
