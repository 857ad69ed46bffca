#include "hyperpp/data/tokenizers/bpe_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hyperpp/core/error.h"

namespace hyperpp::data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

BpeParts Lower() {
  return {.vocabulary = {{"l", 0},
                         {"o", 1},
                         {"w", 2},
                         {"e", 3},
                         {"r", 4},
                         {"lo", 5},
                         {"low", 6},
                         {"er", 7},
                         {"lower", 8},
                         {"\u0120", 9},
                         {"?", 10}},
          .merges = {{"l", "o"}, {"lo", "w"}, {"e", "r"}}};
}

std::vector<int32_t> Encode(const BpeParts& parts, std::string_view piece) {
  std::vector<int32_t> ids;
  BpeModel(parts).Encode(piece, ids);
  return ids;
}

TEST(BpeModelTest, MergesByRank) {
  EXPECT_THAT(Encode(Lower(), " lower"), ElementsAre(9, 6, 7));
  EXPECT_THAT(Encode(Lower(), ""), ElementsAre());
}

TEST(BpeModelTest, AppendsToWhatIsThere) {
  std::vector<int32_t> ids = {0};
  BpeModel(Lower()).Encode("o", ids);
  EXPECT_THAT(ids, ElementsAre(0, 1));
}

TEST(BpeModelTest, IgnoreMergesTakesTheWholePiece) {
  BpeParts parts = Lower();
  parts.ignore_merges = true;
  EXPECT_THAT(Encode(parts, "lower"), ElementsAre(8));
  EXPECT_THAT(Encode(parts, "lowers"), ElementsAre(6, 7));
}

TEST(BpeModelTest, BytesWithoutTokenVanishOrBecomeTheUnknownToken) {
  BpeParts parts = Lower();
  EXPECT_THAT(Encode(parts, "lxxo"), ElementsAre(5));
  parts.unknown_token = "?";
  EXPECT_THAT(Encode(parts, "lxxo"), ElementsAre(0, 10, 10, 1));
  parts.fuse_unknown = true;
  EXPECT_THAT(Encode(parts, "lxxoxlxx"), ElementsAre(0, 10, 1, 10, 0, 10));
}

TEST(BpeModelTest, DamagedMergesAreReported) {
  BpeParts parts = Lower();
  parts.merges.push_back({"w", "x"});
  EXPECT_THAT([&] { BpeModel model(parts); },
              ThrowsMessage<InputError>(HasSubstr("model.merges[3]: \"x\" is not in the vocab")));
  parts.merges.back() = {"w", "w"};
  EXPECT_THAT([&] { BpeModel model(parts); },
              ThrowsMessage<InputError>(HasSubstr("model.merges[3]: \"ww\" is not in the vocab")));
  parts.merges.pop_back();
  parts.unknown_token = "none";
  EXPECT_THAT([&] { BpeModel model(parts); },
              ThrowsMessage<InputError>(HasSubstr("model.unk_token: \"none\"")));
}

}  // namespace
}  // namespace hyperpp::data
