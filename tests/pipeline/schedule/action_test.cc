#include "hyperpp/pipeline/schedule/action.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/core/error.h"

namespace hyperpp::pipeline {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string RefusalOf(std::string_view text) {
  try {
    ParseAction(text, "table.csv, line 2");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ActionTest, TextIsThatOfTorch) {
  EXPECT_EQ(FormatAction(Forward({2}, {0})), "2F0");
  EXPECT_EQ(FormatAction(Backward({12}, {34})), "12B34");
  EXPECT_EQ(FormatAction({ActionType::kReceiveBackward, {1}, {3}}), "1RECV_B3");
  EXPECT_EQ(FormatAction({ActionType::kSendForward, {0}, {1}}), "0SEND_F1");
  EXPECT_EQ(FormatAction({ActionType::kReduceGrad, {4}, {}}), "4REDUCE_GRAD");
}

TEST(ActionTest, ParsingReversesFormatting) {
  for (const ActionType type : kActionTypes) {
    const Action action{type, {10}, {HasMicrobatch(type) ? 27 : 0}};
    EXPECT_EQ(ParseAction(FormatAction(action), "here"), action) << FormatAction(action);
  }
  EXPECT_EQ(ParseAction(" 2F0\r", "here"), Forward({2}, {0}));
}

TEST(ActionTest, OtherTextIsRefusedWithItsPlace) {
  for (const char* text : {"", "F0", "2F", "2", "2X0", "2F0x", "2F-1", "-2F0", "1UNSHARD3", "2f0",
                           "2F0 1", "99999999999F0", "2I0", "(0F1;1B0)OVERLAP_F_B"}) {
    EXPECT_THAT(RefusalOf(text), StartsWith("table.csv, line 2: \"" + std::string(text) + "\""))
        << text;
  }
  EXPECT_THAT(RefusalOf("2F"), HasSubstr("such as 2F0"));
}

TEST(ActionTest, PartnersNameEachOther) {
  const Action send{ActionType::kSendForward, {3}, {5}};
  const Action receive{ActionType::kReceiveForward, {4}, {5}};
  EXPECT_EQ(PartnerOf(send), receive);
  EXPECT_EQ(PartnerOf(receive), send);
  const Action send_back{ActionType::kSendBackward, {4}, {5}};
  const Action receive_back{ActionType::kReceiveBackward, {3}, {5}};
  EXPECT_EQ(PartnerOf(send_back), receive_back);
  EXPECT_EQ(PartnerOf(receive_back), send_back);
  EXPECT_THROW(PartnerOf(Forward({0}, {0})), InternalError);
}

TEST(ActionTest, EveryTypeIsOfOneKind) {
  for (const ActionType type : kActionTypes) {
    EXPECT_EQ(IsCommunication(type), IsSend(type) || IsReceive(type));
    EXPECT_EQ(HasMicrobatch(type), IsCompute(type) || IsCommunication(type));
    EXPECT_FALSE(IsCompute(type) && IsCommunication(type));
  }
}

}  // namespace
}  // namespace hyperpp::pipeline
