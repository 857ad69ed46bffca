#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/core/error.h"
#include "hyperpp/models/spec/decoder_spec.h"
#include "tests/models/spec/reference.h"
#include "tests/support/temporary_folder.h"

namespace hyperpp::models {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

json OrNull(const std::optional<int64_t>& value) { return value ? json(*value) : json(nullptr); }

const char* NameOf(RopeSpec::Type type) {
  constexpr const char* kNames[] = {"default", "linear", "dynamic", "yarn", "llama3"};
  return kNames[static_cast<int>(type)];
}

// The form that make_reference.py writes.
json Describe(const DecoderSpec& spec, bool original_matters) {
  return {{"family", spec.family},
          {"vocab_size", spec.vocab_size},
          {"hidden_size", spec.hidden_size},
          {"intermediate_size", spec.intermediate_size},
          {"num_layers", spec.num_layers},
          {"num_heads", spec.num_heads},
          {"num_key_value_heads", spec.num_key_value_heads},
          {"head_dim", spec.head_dim},
          {"max_position_embeddings", spec.max_position_embeddings},
          {"rms_norm_eps", spec.rms_norm_eps},
          {"initializer_range", spec.initializer_range},
          {"attention_dropout", spec.attention_dropout},
          {"tie_word_embeddings", spec.tie_word_embeddings},
          {"qkv_bias", spec.qkv_bias},
          {"output_bias", spec.output_bias},
          {"mlp_bias", spec.mlp_bias},
          {"qk_norm", spec.qk_norm},
          {"layer_windows", spec.layer_windows},
          {"rope_type", NameOf(spec.rope.type)},
          {"rope_theta", spec.rope.theta},
          {"rope_factor", spec.rope.factor},
          {"original_max_position_embeddings",
           original_matters ? json(spec.rope.original_max_position_embeddings) : json(nullptr)},
          {"bos_token_id", OrNull(spec.bos_token_id)},
          {"eos_token_id", OrNull(spec.eos_token_id)},
          {"pad_token_id", OrNull(spec.pad_token_id)},
          {"torch_dtype", spec.torch_dtype}};
}

std::string RefusalOf(const json& config) {
  try {
    ParseDecoderSpec(config, "m/config.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

json With(json changes) {
  json config = {{"model_type", "qwen3"}, {"num_hidden_layers", 2}};
  config.update(changes);
  return config;
}

TEST(ParseDecoderSpecTest, EveryFieldIsReadAsTransformersReadsIt) {
  const json reference = ReadReference("configs.json");
  ASSERT_GT(reference.size(), 20U);
  for (const auto& [name, entry] : reference.items()) {
    const DecoderSpec spec = ParseDecoderSpec(entry["given"], name);
    const json& expected = entry["expected"];
    const bool original_matters = !expected["original_max_position_embeddings"].is_null();
    EXPECT_EQ(Describe(spec, original_matters), expected) << name;
    EXPECT_THAT(spec.warnings, IsEmpty()) << name;
    EXPECT_EQ(spec.source, entry["given"]);
  }
}

TEST(ParseDecoderSpecTest, UnknownModelTypeIsRefusedWithTheSupportedList) {
  EXPECT_EQ(RefusalOf({{"model_type", "t5"}}),
            "m/config.json: model_type: \"t5\" is not supported; use one of llama, qwen2, qwen3");
  EXPECT_THAT(RefusalOf(json::object()), HasSubstr("model_type: is missing"));
  EXPECT_THAT(RefusalOf(json::array()), HasSubstr("expected a JSON object"));
}

TEST(ParseDecoderSpecTest, AllMistakesAreReportedAtOnce) {
  EXPECT_THAT(RefusalOf(With({{"hidden_act", "gelu"},
                              {"num_attention_heads", 6},
                              {"num_key_value_heads", 4},
                              {"vision_config", {{"a", 1}}}})),
              AllOf(HasSubstr("hidden_act: \"gelu\" cannot be honoured"),
                    HasSubstr("num_key_value_heads: 4 does not divide num_attention_heads = 6"),
                    HasSubstr("vision_config")));
}

TEST(ParseDecoderSpecTest, ImpossibleSizesAreRefused) {
  EXPECT_THAT(RefusalOf(With({{"num_attention_heads", 0}})), HasSubstr("num_attention_heads: 0"));
  EXPECT_THAT(RefusalOf(With({{"vocab_size", -1}})), HasSubstr("vocab_size: -1"));
  EXPECT_THAT(RefusalOf(With({{"head_dim", 7}})), HasSubstr("head_dim: 7 is odd"));
  EXPECT_THAT(RefusalOf(With({{"head_dim", nullptr}, {"hidden_size", 0}})),
              HasSubstr("hidden_size: 0"));
  EXPECT_THAT(RefusalOf(With({{"pad_token_id", 151936}})), HasSubstr("pad_token_id: 151936"));
  EXPECT_THAT(RefusalOf({{"model_type", "llama"},
                         {"hidden_size", 30},
                         {"head_dim", 8},
                         {"num_attention_heads", 4}}),
              HasSubstr("hidden_size: 30 is no multiple of num_attention_heads = 4"));
}

TEST(ParseDecoderSpecTest, LayerTypesMustFitTheLayersAndTheWindow) {
  EXPECT_THAT(RefusalOf(With({{"layer_types", {"full_attention"}}})),
              HasSubstr("array of 1 entries, expected a list of num_hidden_layers = 2"));
  EXPECT_THAT(RefusalOf(With({{"layer_types", {"full_attention", "linear_attention"}}})),
              HasSubstr("\"linear_attention\" is not supported"));
  EXPECT_THAT(RefusalOf(With({{"layer_types", {"full_attention", "sliding_attention"}}})),
              HasSubstr("needs use_sliding_window"));
}

TEST(ParseDecoderSpecTest, BiasesOfQwen2CannotBeTurnedOff) {
  EXPECT_THAT(RefusalOf({{"model_type", "qwen2"}, {"attention_bias", false}}),
              HasSubstr("attention_bias: false cannot be honoured"));
  EXPECT_EQ(RefusalOf({{"model_type", "qwen2"}, {"attention_bias", true}}), "accepted");
}

class LoadDecoderSpecTest : public ::testing::Test {
 protected:
  void Write(const std::string& text) const { folder_.Write("config.json", text); }

  const test::TemporaryFolder folder_;
};

TEST_F(LoadDecoderSpecTest, OverridesAreAppliedAndKeptForTheExport) {
  Write(R"({"model_type": "qwen3", "num_hidden_layers": 2})");
  const DecoderSpec spec = LoadDecoderSpec(folder_.path(), {{"num_hidden_layers", 3}});
  EXPECT_EQ(spec.num_layers, 3);
  EXPECT_EQ(spec.source["num_hidden_layers"], 3);
  EXPECT_EQ(LoadDecoderSpec(folder_.path(), nullptr).num_layers, 2);
}

TEST_F(LoadDecoderSpecTest, MissingOrMalformedFileIsNamed) {
  EXPECT_THROW(LoadDecoderSpec(folder_ / "no-such-model", nullptr), InputError);
  Write(R"({"model_type": )");
  try {
    LoadDecoderSpec(folder_.path(), nullptr);
    FAIL() << "malformed JSON was accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("config.json, offset 16: is not JSON"));
  }
}

}  // namespace
}  // namespace hyperpp::models
