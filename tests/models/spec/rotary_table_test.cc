#include "hyperpp/models/spec/rotary_table.h"

#include <gtest/gtest.h>

#include "hyperpp/models/spec/rope_fields.h"
#include "tests/models/spec/reference.h"

namespace hyperpp::models {
namespace {

using nlohmann::json;

TEST(RotaryTableTest, FrequenciesAreThoseOfTransformers) {
  const json reference = ReadReference("rotary.json");
  ASSERT_GE(reference.size(), 13U);
  for (const auto& [name, entry] : reference.items()) {
    Findings findings;
    const json config = {{"rope_parameters", entry["rope_parameters"]}};
    FieldReader reader(config, name, "", &findings);
    const int64_t max_positions = entry["max_position_embeddings"];
    const RopeSpec rope = ReadRope(reader, max_positions);
    ASSERT_TRUE(findings.problems.empty()) << findings.problems.front();
    const RotaryFrequencies got =
        ComputeRotaryFrequencies(rope, entry["head_dim"], max_positions, entry["sequence_length"]);
    EXPECT_DOUBLE_EQ(got.attention_scaling, entry["attention_scaling"].get<double>()) << name;
    const auto want = entry["inv_freq"].get<std::vector<double>>();
    ASSERT_EQ(got.inv_freq.size(), want.size()) << name;
    // A power in fp32 may differ in its last bit, 6e-8. dynamic takes a power of that, llama3 a
    // difference.
    for (size_t i = 0; i < want.size(); ++i)
      EXPECT_NEAR(got.inv_freq[i], want[i], 4e-7 * want[i]) << name << " pair " << i;
  }
}

TEST(RotaryTableTest, PartialRotationTurnsTheFirstDimsOnly) {
  const RopeSpec rope{.theta = 100, .partial_rotary_factor = 0.5};
  const RotaryFrequencies got = ComputeRotaryFrequencies(rope, 8, 4096, 16);
  ASSERT_EQ(got.inv_freq.size(), 2U);
  EXPECT_FLOAT_EQ(static_cast<float>(got.inv_freq[1]), 0.1F);
}

TEST(RotaryTableTest, DynamicScalingStartsBeyondTheTrainedLength) {
  const RopeSpec rope{.type = RopeSpec::Type::kDynamic, .factor = 2};
  const auto at = [&](int64_t length) {
    return ComputeRotaryFrequencies(rope, 8, 64, length).inv_freq;
  };
  EXPECT_EQ(at(16), at(64));
  EXPECT_LT(at(65)[1], at(64)[1]);
}

}  // namespace
}  // namespace hyperpp::models
