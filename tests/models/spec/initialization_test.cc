#include "hyperpp/models/spec/initialization.h"

#include <gtest/gtest.h>

#include "hyperpp/models/spec/decoder_spec.h"

namespace hyperpp::models {
namespace {

TEST(InitializationTest, GainsAreOneBiasesZeroAndTheRestNormal) {
  const nlohmann::json config = {
      {"model_type", "qwen3"}, {"attention_bias", true}, {"num_hidden_layers", 1}};
  for (const ParameterOutline& parameter :
       ParseDecoderSpec(config, "config.json").Outline().parameters) {
    const bool is_bias = parameter.fqn.ends_with("bias");
    const bool is_gain = parameter.fqn.find("norm") != std::string::npos;
    EXPECT_EQ(InitOf(parameter), is_bias   ? InitKind::kZeros
                                 : is_gain ? InitKind::kOnes
                                           : InitKind::kNormal)
        << parameter.fqn;
  }
}

}  // namespace
}  // namespace hyperpp::models
