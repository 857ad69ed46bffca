#include "hyperpp/data/tokenizers/tokenizer_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "hyperpp/core/error.h"

namespace hyperpp::data {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

json Small() {
  return json::parse(R"({
    "version": "1.0", "truncation": null, "padding": null, "added_tokens": [
      {"id": 3, "content": "<end>", "single_word": false, "lstrip": false, "rstrip": false,
       "normalized": false, "special": true}],
    "normalizer": {"type": "NFC"},
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "use_regex": true},
    "post_processor": {"type": "TemplateProcessing"}, "decoder": {"type": "ByteLevel"},
    "model": {"type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
              "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false,
              "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}
  })");
}

// Small() with the value at the JSON pointer replaced.
std::string With(const std::string& pointer, const json& value) {
  json file = Small();
  file[json::json_pointer(pointer)] = value;
  return file.dump();
}

void ExpectRefused(const std::string& text, const std::string& message) {
  EXPECT_THAT([&] { ParseTokenizerJson(text); }, ThrowsMessage<InputError>(HasSubstr(message)));
}

TEST(TokenizerJsonTest, ReadsAllParts) {
  const BpeTokenizerParts parts = ParseTokenizerJson(Small().dump());
  EXPECT_EQ(parts.model.vocabulary.at("ab"), 2);
  EXPECT_EQ(parts.model.merges.at(0), std::make_pair(std::string("a"), std::string("b")));
  EXPECT_EQ(parts.normal_forms.at(0), NormalForm::kNfc);
  EXPECT_EQ(parts.added_tokens.at(0).content, "<end>");
  EXPECT_TRUE(parts.added_tokens.at(0).special);
  EXPECT_FALSE(parts.added_tokens.at(0).normalized);
}

TEST(TokenizerJsonTest, BothFormsOfMergesAreTheSame) {
  const BpeTokenizerParts parts =
      ParseTokenizerJson(With("/model/merges", json::array({json::array({"a", "b"})})));
  EXPECT_EQ(parts.model.merges, ParseTokenizerJson(Small().dump()).model.merges);
}

TEST(TokenizerJsonTest, OtherModelsAreRefusedByName) {
  ExpectRefused(With("/model/type", "Unigram"), "model.type: Unigram is not supported");
  ExpectRefused(With("/model", {{"type", "WordPiece"}}), "model.type: WordPiece is not supported");
  ExpectRefused(With("/model/dropout", 0.1), "model.dropout: 0.1 is not supported");
  ExpectRefused(With("/model/byte_fallback", true), "model.byte_fallback: true is not supported");
  ExpectRefused(With("/model/end_of_word_suffix", "</w>"), "model.end_of_word_suffix: \"</w>\"");
}

TEST(TokenizerJsonTest, OtherPartsAroundTheModelAreRefusedByName) {
  ExpectRefused(With("/normalizer", {{"type", "Lowercase"}}), "normalizer.type: Lowercase is not");
  ExpectRefused(With("/pre_tokenizer", {{"type", "Metaspace"}}), "pre_tokenizer.type: Metaspace");
  ExpectRefused(With("/pre_tokenizer", nullptr), "pre_tokenizer: has no ByteLevel");
  ExpectRefused(With("/decoder", {{"type", "WordPiece"}}), "decoder.type: WordPiece is not");
  const json byte_level = Small()["pre_tokenizer"];
  ExpectRefused(With("/pre_tokenizer",
                     {{"type", "Sequence"}, {"pretokenizers", {byte_level, {{"type", "Digits"}}}}}),
                "pre_tokenizer.pretokenizers[1]: Digits after ByteLevel");
  ExpectRefused(
      With("/pre_tokenizer",
           {{"type", "Sequence"},
            {"pretokenizers",
             {{{"type", "Split"}, {"pattern", {{"Regex", "a\\b"}}}, {"behavior", "Isolated"}},
              byte_level}}}),
      "pre_tokenizer.pretokenizers[0].pattern.Regex: split pattern, byte 1: \\b");
}

TEST(TokenizerJsonTest, DamagedFilesAreReportedWithThePlace) {
  ExpectRefused("{", "no JSON");
  ExpectRefused("[]", "model: is missing");
  ExpectRefused(With("/model/merges", {"ab"}), "model.merges[0]: \"ab\" is not two tokens");
  ExpectRefused(With("/model/merges", json::array({json::array({"a"})})),
                "model.merges[0]: is not a pair");
  ExpectRefused(With("/model/merges", 3), "model.merges: is number, expected an array");
  ExpectRefused(With("/model/vocab/a", -1), "model.vocab.a: is -1, expected a token id");
  ExpectRefused(With("/model/vocab/a", 1e9), "model.vocab.a: is 1000000000.0, expected");
  ExpectRefused(With("/model/vocab", 1), "model.vocab: is missing or no object");
  ExpectRefused(With("/model/ignore_merges", "no"), "model.ignore_merges: is string, expected");
  ExpectRefused(With("/added_tokens/0/content", 5), "added_tokens[0].content: is number, expected");
  ExpectRefused(With("/normalizer", "NFC"), "normalizer.type: is null, expected a string");
}

TEST(TokenizerJsonTest, AddedTokensThatContradictTheModelAreRefused) {
  ExpectRefused(With("/added_tokens/0/content", "ab"), "\"ab\" has id 3 here and id 2 in");
  ExpectRefused(With("/added_tokens/0/id", 1), "id 1 is \"<end>\" here and \"b\" in model.vocab");
}

}  // namespace
}  // namespace hyperpp::data
