#include "hyperpp/data/tokenizers/tokenizer_json.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "hyperpp/core/error.h"
#include "hyperpp/data/tokenizers/byte_alphabet.h"
#include "hyperpp/data/tokenizers/oniguruma_pattern.h"
#include "hyperpp/data/tokenizers/unicode_versions.h"

namespace hyperpp::data {
namespace {

using nlohmann::json;

// A value with its place in the file, for messages.
struct Part {
  const json& value;
  std::string key;

  // Member `name`; null if it is not there.
  Part operator[](const std::string& name) const {
    static const json kNull;
    const auto found = value.is_object() ? value.find(name) : value.end();
    return {value.is_object() && found != value.end() ? *found : kNull,
            key.empty() ? name : key + "." + name};
  }
  Part operator[](size_t index) const { return {value[index], fmt::format("{}[{}]", key, index)}; }

  bool IsNull() const { return value.is_null(); }

  [[noreturn]] void Refuse(const std::string& what) const {
    throw InputError(fmt::format("{}: {}", key, what));
  }

  std::string String() const {
    if (!value.is_string()) Refuse(fmt::format("is {}, expected a string", value.type_name()));
    return value.get<std::string>();
  }
  bool Bool(bool if_absent) const {
    if (IsNull()) return if_absent;
    if (!value.is_boolean()) Refuse(fmt::format("is {}, expected a boolean", value.type_name()));
    return value.get<bool>();
  }
  // A token id. The bound keeps a damaged file from asking for all of the memory.
  int32_t Id() const {
    constexpr int64_t kLargestId = (int64_t{1} << 24) - 1;
    if (!value.is_number_integer() || value.get<int64_t>() < 0 ||
        value.get<int64_t>() > kLargestId) {
      Refuse(fmt::format("is {}, expected a token id from 0 to {}", value.dump(), kLargestId));
    }
    return value.get<int32_t>();
  }
  size_t Size() const {
    if (!value.is_array()) Refuse(fmt::format("is {}, expected an array", value.type_name()));
    return value.size();
  }

  [[noreturn]] void RefuseType(const std::string& type, std::string_view known) const {
    throw InputError(
        fmt::format("{}.type: {} is not supported; supported are {}", key, type, known));
  }
};

// --- model ---

// "a b" or ["a", "b"]
std::pair<std::string, std::string> ParseMerge(const Part& merge) {
  if (merge.value.is_array()) {
    if (merge.Size() != 2) merge.Refuse("is not a pair of tokens");
    return {merge[0].String(), merge[1].String()};
  }
  const std::string text = merge.String();
  const size_t space = text.find(' ');
  if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos) {
    merge.Refuse(fmt::format("\"{}\" is not two tokens with a space between them", text));
  }
  return {text.substr(0, space), text.substr(space + 1)};
}

void RefuseModelOptions(const Part& model, const BpeParts& parts) {
  const json& dropout = model["dropout"].value;
  if (!dropout.is_null() && !(dropout.is_number() && dropout.get<double>() == 0.0)) {
    model["dropout"].Refuse(fmt::format("{} is not supported; set it to null", dropout.dump()));
  }
  for (const char* name : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    const Part affix = model[name];
    if (!affix.IsNull() && !affix.String().empty()) {
      affix.Refuse(fmt::format("\"{}\" is not supported; only byte-level BPE is", affix.String()));
    }
  }
  if (!model["byte_fallback"].Bool(false)) return;
  for (int byte = 0; byte < 256; ++byte) {  // with a token for every byte it never acts
    const char c = static_cast<char>(byte);
    if (!parts.vocabulary.contains(TokenOfBytes({&c, 1}))) {
      model["byte_fallback"].Refuse("true is not supported; only byte-level BPE is");
    }
  }
}

BpeParts ParseModel(const Part& model) {
  // Files of before 2021 have no type.
  const bool has_type = !model["type"].IsNull();
  const std::string type = has_type ? model["type"].String() : "BPE";
  if (type != "BPE") model.RefuseType(type, "BPE (byte-level)");
  const Part vocabulary = model["vocab"];
  if (!vocabulary.value.is_object()) {
    if (!has_type)
      model.Refuse("has no type and no vocab of BPE; only byte-level BPE is supported");
    vocabulary.Refuse("is missing or no object");
  }
  BpeParts parts;
  parts.vocabulary.reserve(vocabulary.value.size());
  for (const auto& [token, id] : vocabulary.value.items()) {
    parts.vocabulary[token] = Part{id, "model.vocab." + token}.Id();
  }
  const Part merges = model["merges"];
  parts.merges.reserve(merges.Size());
  for (size_t i = 0; i < merges.Size(); ++i) parts.merges.push_back(ParseMerge(merges[i]));
  parts.ignore_merges = model["ignore_merges"].Bool(false);
  parts.fuse_unknown = model["fuse_unk"].Bool(false);
  if (const Part unknown = model["unk_token"]; !unknown.IsNull()) {
    parts.unknown_token = unknown.String();
  }
  RefuseModelOptions(model, parts);
  return parts;
}

// --- what stands around the model ---

void ParseNormalizer(const Part& part, std::vector<NormalForm>& forms) {
  if (part.IsNull()) return;
  const std::string type = part["type"].String();
  if (type == "Sequence") {
    const Part members = part["normalizers"];
    for (size_t i = 0; i < members.Size(); ++i) ParseNormalizer(members[i], forms);
  } else if (type == "NFC") {
    forms.push_back(NormalForm::kNfc);
  } else if (type == "NFD") {
    forms.push_back(NormalForm::kNfd);
  } else if (type == "NFKC") {
    forms.push_back(NormalForm::kNfkc);
  } else if (type == "NFKD") {
    forms.push_back(NormalForm::kNfkd);
  } else {
    part.RefuseType(type, "NFC, NFD, NFKC, NFKD and Sequence");
  }
}

SplitBehavior ParseBehavior(const Part& part, SplitBehavior if_absent) {
  if (part.IsNull()) return if_absent;
  const std::string name = part.String();
  if (name == "Isolated") return SplitBehavior::kIsolated;
  if (name == "Removed") return SplitBehavior::kRemoved;
  if (name == "Contiguous") return SplitBehavior::kContiguous;
  if (name == "MergedWithPrevious") return SplitBehavior::kMergedWithPrevious;
  if (name == "MergedWithNext") return SplitBehavior::kMergedWithNext;
  part.Refuse(name + " is not a behavior of Split");
}

void ParseSplit(const Part& part, PreTokenizer& chain) {
  const Part regex = part["pattern"]["Regex"];
  const Part literal = part["pattern"]["String"];
  const Part& given = literal.IsNull() ? regex : literal;
  const std::string text = given.String();
  if (text.empty()) given.Refuse("is empty");
  const SplitBehavior behavior = ParseBehavior(part["behavior"], SplitBehavior::kIsolated);
  try {
    SplitPattern pattern(literal.IsNull() ? TranslateOnigurumaPattern(text) : QuoteForPcre2(text));
    chain.AddSplit(std::move(pattern), behavior, part["invert"].Bool(false));
  } catch (const InputError& error) {
    given.Refuse(error.what());
  }
}

// Appends the steps of `part`; `has_byte_level`: ByteLevel was among the steps.
void ParsePreTokenizer(const Part& part, PreTokenizer& chain, bool& has_byte_level) {
  const std::string type = part["type"].String();
  if (has_byte_level) part.Refuse(type + " after ByteLevel is not supported");
  if (type == "Sequence") {
    const Part members = part["pretokenizers"];
    for (size_t i = 0; i < members.Size(); ++i) {
      ParsePreTokenizer(members[i], chain, has_byte_level);
    }
  } else if (type == "Split") {
    ParseSplit(part, chain);
  } else if (type == "ByteLevel") {
    has_byte_level = true;
    if (part["add_prefix_space"].Bool(true)) chain.AddPrefixSpace();
    if (part["use_regex"].Bool(true)) {
      chain.AddSplit(SplitPattern(TranslateOnigurumaPattern(kGpt2Pattern)),
                     SplitBehavior::kIsolated, false);
    }
  } else if (type == "Digits") {
    const bool individual = part["individual_digits"].Bool(false);
    chain.AddSplit(SplitPattern(R"(\p{N})"),
                   individual ? SplitBehavior::kIsolated : SplitBehavior::kContiguous, false);
  } else if (type == "Punctuation") {
    chain.AddSplit(SplitPattern(PunctuationPattern()),
                   ParseBehavior(part["behavior"], SplitBehavior::kIsolated), false);
  } else {
    part.RefuseType(type, "ByteLevel, Split, Digits, Punctuation and Sequence");
  }
}

void CheckDecoder(const Part& part) {
  if (part.IsNull()) return;
  const std::string type = part["type"].String();
  if (type == "Sequence") {
    const Part members = part["decoders"];
    for (size_t i = 0; i < members.Size(); ++i) CheckDecoder(members[i]);
  } else if (type != "ByteLevel" && type != "Fuse") {
    part.RefuseType(type, "ByteLevel, Fuse and Sequence");
  }
}

std::vector<AddedToken> ParseAddedTokens(const Part& list, const BpeParts& model) {
  std::vector<AddedToken> tokens;
  if (list.IsNull()) return tokens;
  std::unordered_map<int32_t, const std::string*> token_of;
  for (const auto& [token, id] : model.vocabulary) token_of[id] = &token;
  for (size_t i = 0; i < list.Size(); ++i) {
    const Part part = list[i];
    const bool special = part["special"].Bool(false);
    AddedToken token{.content = part["content"].String(),
                     .id = part["id"].Id(),
                     .special = special,
                     .single_word = part["single_word"].Bool(false),
                     .lstrip = part["lstrip"].Bool(false),
                     .rstrip = part["rstrip"].Bool(false),
                     .normalized = part["normalized"].Bool(!special)};
    if (token.content.empty()) continue;
    const auto in_model = model.vocabulary.find(token.content);
    if (in_model != model.vocabulary.end() && in_model->second != token.id) {
      part.Refuse(fmt::format("\"{}\" has id {} here and id {} in model.vocab; correct the file",
                              token.content, token.id, in_model->second));
    }
    const auto same_id = token_of.find(token.id);
    if (same_id != token_of.end() && *same_id->second != token.content) {
      part.Refuse(fmt::format("id {} is \"{}\" here and \"{}\" in model.vocab; correct the file",
                              token.id, token.content, *same_id->second));
    }
    tokens.push_back(std::move(token));
  }
  return tokens;
}

}  // namespace

BpeTokenizerParts ParseTokenizerJson(const std::string& text) {
  const json root = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!root.is_object() || !root.contains("model")) {
    throw InputError(
        "model: is missing, or this is no JSON; give a tokenizer.json of Hugging Face");
  }
  const Part file{root, ""};
  BpeTokenizerParts parts;
  parts.model = ParseModel(file["model"]);
  ParseNormalizer(file["normalizer"], parts.normal_forms);
  bool has_byte_level = false;
  if (const Part part = file["pre_tokenizer"]; !part.IsNull()) {
    ParsePreTokenizer(part, parts.pre_tokenizer, has_byte_level);
  }
  if (!has_byte_level) {
    throw InputError("pre_tokenizer: has no ByteLevel; only byte-level BPE is supported");
  }
  CheckDecoder(file["decoder"]);
  parts.added_tokens = ParseAddedTokens(file["added_tokens"], parts.model);
  return parts;
}

}  // namespace hyperpp::data
