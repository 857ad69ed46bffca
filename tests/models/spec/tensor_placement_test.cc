#include "hyperpp/models/spec/tensor_placement.h"

#include <gtest/gtest.h>

#include "hyperpp/core/error.h"
#include "hyperpp/models/spec/families.h"

namespace hyperpp::models {
namespace {

TEST(TensorPlacementTest, EveryParameterOfEveryFamilyHasAPlacement) {
  DecoderSpec spec;
  spec.num_layers = 12;  // two digits in a name
  spec.vocab_size = spec.hidden_size = spec.intermediate_size = spec.num_heads = 4;
  spec.num_key_value_heads = spec.head_dim = 4;
  spec.qkv_bias = spec.output_bias = spec.mlp_bias = spec.qk_norm = true;
  for (const Family& family : Families()) {
    for (const ParameterOutline& parameter : spec.Outline().parameters)
      EXPECT_NO_THROW(PlacementOf(family.tensor_placements(), parameter.fqn)) << parameter.fqn;
  }
}

TEST(TensorPlacementTest, BiasesFollowTheirMatrixUnlessItIsSplitByInputs) {
  const auto of = [](const char* fqn) { return PlacementOf(DensePlacements(), fqn); };
  EXPECT_EQ(of("model.layers.10.self_attn.k_proj.bias"), TensorPlacement::kColumn);
  EXPECT_EQ(of("model.layers.10.mlp.up_proj.bias"), TensorPlacement::kColumn);
  EXPECT_EQ(of("model.layers.10.self_attn.o_proj.weight"), TensorPlacement::kRow);
  EXPECT_EQ(of("model.layers.10.self_attn.o_proj.bias"), TensorPlacement::kRowBias);
  EXPECT_EQ(of("model.layers.10.mlp.down_proj.bias"), TensorPlacement::kRowBias);
}

TEST(TensorPlacementTest, UnknownNameIsAnError) {
  EXPECT_THROW(PlacementOf(DensePlacements(), "model.layers.0.self_attn.g_proj.weight"),
               InternalError);
}

}  // namespace
}  // namespace hyperpp::models
