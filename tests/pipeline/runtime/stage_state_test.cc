#include "hyperpp/pipeline/runtime/stage_state.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "hyperpp/core/error.h"
#include "tests/support/error_text.h"

namespace hyperpp::pipeline {
namespace {

using test::ErrorText;
using testing::HasSubstr;

const StateSpec kSpec = {
    {.name = "hidden", .shape = {2, 4}},
    {.name = "summary", .shape = {2}, .dtype = at::kBFloat16},
    {.name = "route", .shape = {}, .dtype = at::kLong, .differentiable = false}};

/// Text of the error for `state`, which is not as kSpec says.
std::string RefusalOf(const StageState& state) {
  return ErrorText<InternalError>([&] { state.InOrderOf(kSpec); });
}

StageState Filled() {
  return {{"route", at::scalar_tensor(3, at::kLong)},
          {"hidden", at::ones({2, 4})},
          {"summary", at::zeros({2}, at::kBFloat16)}};
}

TEST(StageStateTest, TensorsComeInTheOrderOfTheSpec) {
  const StageState state = Filled();
  const auto values = state.InOrderOf(kSpec);
  ASSERT_EQ(values.size(), 3U);
  EXPECT_TRUE(values[0].is_same(state["hidden"]));
  EXPECT_TRUE(values[1].is_same(state["summary"]));
  EXPECT_TRUE(values[2].is_same(state["route"]));
  const StageState again(kSpec, values);
  EXPECT_TRUE(again["route"].is_same(state["route"]));
}

TEST(StageStateTest, SetReplacesOrAdds) {
  StageState state;
  EXPECT_TRUE(state.empty());
  state.Set("hidden", at::zeros({1}));
  state.Set("hidden", at::ones({1}));
  EXPECT_FALSE(state.empty());
  EXPECT_EQ(state["hidden"].item<double>(), 1);
}

TEST(StageStateTest, MissingTensorIsNamedWithThoseThereAre) {
  const StageState state = {{"hidden", at::ones({1})}, {"route", at::ones({1})}};
  EXPECT_THAT(ErrorText<InternalError>([&] { state["summary"]; }),
              HasSubstr("no tensor summary, there are [hidden, route]"));
}

TEST(StageStateTest, WrongShapeIsReportedWithBoth) {
  StageState state = Filled();
  state.Set("hidden", at::ones({2, 5}));
  EXPECT_THAT(RefusalOf(state), HasSubstr("stage output hidden is [2, 5], expected [2, 4]"));
  state.Set("hidden", at::ones({8}));
  EXPECT_THAT(RefusalOf(state), HasSubstr("stage output hidden is [8], expected [2, 4]"));
}

TEST(StageStateTest, WrongDtypeIsReportedWithBoth) {
  StageState state = Filled();
  state.Set("summary", at::zeros({2}));
  EXPECT_THAT(RefusalOf(state), HasSubstr("stage output summary is Float, expected BFloat16"));
}

TEST(StageStateTest, UndefinedTensorIsReported) {
  StageState state = Filled();
  state.Set("route", {});
  EXPECT_THAT(RefusalOf(state), HasSubstr("stage output route is undefined"));
}

TEST(StageStateTest, NumberOfValuesIsChecked) {
  EXPECT_THROW(StageState(kSpec, {at::ones({2, 4})}), InternalError);
}

TEST(StageStateTest, BuffersFollowTheSpec) {
  const auto buffers = EmptyTensors(kSpec, /*gradients=*/false, at::kCPU);
  ASSERT_EQ(buffers.size(), 3U);
  for (std::size_t i = 0; i < buffers.size(); ++i) CheckAgainst(kSpec[i], buffers[i], "buffer");
}

TEST(StageStateTest, GradientsComeBackForDifferentiableTensorsOnly) {
  const auto buffers = EmptyTensors(kSpec, /*gradients=*/true, at::kCPU);
  ASSERT_EQ(buffers.size(), 2U);
  CheckAgainst(kSpec[0], buffers[0], "buffer");
  CheckAgainst(kSpec[1], buffers[1], "buffer");
}

}  // namespace
}  // namespace hyperpp::pipeline
