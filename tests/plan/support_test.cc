#include "hyperpp/plan/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plan/tiny_model.h"

namespace hyperpp::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Key;

TEST(SupportTest, EachMissingFeatureIsNamedByItsKey) {
  const config::Config config = TinyConfig(
      {"accelerator={ep_size: 2}", "precision={param_dtype: bfloat16, reduce_dtype: bfloat16}"});
  EXPECT_THAT(Unsupported(config),
              ElementsAre(Key("accelerator.ep_size"), Key("precision.param_dtype"),
                          Key("precision.reduce_dtype")));
}

TEST(SupportTest, WrittenDefaultsAreSupported) {
  EXPECT_THAT(Unsupported(TinyConfig({})), IsEmpty());
  EXPECT_THAT(Unsupported(TinyConfig(
                  {"accelerator={pp_size: 1, tp_size: 2, cp_size: 2, dp_replicate_size: 4}",
                   "checkpoint={async: true, interval: 1}", "precision.param_dtype=float32"})),
              IsEmpty());
}

}  // namespace
}  // namespace hyperpp::plan
