// Tokens that a tokenizer.json adds beside the model's: <|im_end|> and the like. They are found in
// the text before anything else looks at it, and no merge crosses them:
//
//     "Hi<|im_end|>\n"  ->  text "Hi", id 151645, text "\n"
//
// Two searches: tokens with `normalized` false in the text as it is, the others in what is left
// after normalisation (their own text normalised, too). Each goes from left to right, takes the
// longest token at the first place that has one, and goes on behind it.
// Source: `tokenizers`, tokenizer/added_vocabulary.rs.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hyperpp/data/tokenizers/split_behavior.h"

namespace hyperpp::data {

struct AddedToken {
  std::string content;
  int32_t id = 0;
  bool special = false;      // left out of decoded text on request
  bool single_word = false;  // only where no word character is next to it
  bool lstrip = false;       // takes the white space before it with it
  bool rstrip = false;       // takes the white space behind it with it
  bool normalized = true;    // looked for after normalisation
};

class AddedTokenSearch {
 public:
  using IdSink = std::function<void(int32_t)>;

  /// Searches for the contents of `tokens`; of equal contents the first counts.
  explicit AddedTokenSearch(std::vector<AddedToken> tokens);

  /// Gives the ids of the tokens in `text` (valid UTF-8), and the text between them, in order.
  void Split(std::string_view text, const PieceSink& on_text, const IdSink& on_id) const;

 private:
  struct Found {
    size_t begin = 0;
    size_t end = 0;
    int32_t token = -1;  // index into tokens_; -1: nothing found
  };
  Found FindFrom(std::string_view text, size_t at) const;
  int32_t Child(int32_t node, unsigned char byte) const;

  std::vector<AddedToken> tokens_;
  // A trie of the contents; node 0 is the root.
  std::array<int32_t, 256> roots_{};                // children of the root; 0: none
  std::unordered_map<uint64_t, int32_t> children_;  // by node << 8 | byte
  std::vector<int32_t> token_at_;                   // of each node; -1: no token ends here
};

}  // namespace hyperpp::data
