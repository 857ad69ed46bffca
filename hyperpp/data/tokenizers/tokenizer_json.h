// Reads a Hugging Face tokenizer.json of the kind byte-level BPE: GPT-2, Llama 3, Qwen, DeepSeek.
//
//     part            read                                             refused
//     model           BPE; merges as "a b" or ["a", "b"]               Unigram, WordPiece,
//     WordLevel,
//                                                                      dropout, byte_fallback,
//                                                                      affixes
//     normalizer      NFC, NFD, NFKC, NFKD, Sequence                   all others
//     pre_tokenizer   Split, ByteLevel (last), Digits, Punctuation,    all others, such as
//     Metaspace
//                     Sequence
//     decoder         ByteLevel, Fuse, Sequence                        all others
//     added_tokens    all
//     post_processor, truncation, padding: not used, as they add or take tokens at the ends
//
// Source: `tokenizers` 0.23, whose ids for a text these are (without its special tokens at the
// ends).
#pragma once

#include <string>

#include "hyperpp/data/tokenizers/bpe_tokenizer.h"

namespace hyperpp::data {

/// Parts of the tokenizer in `json`, the content of a tokenizer.json.
/// Errors: InputError beginning with the key, as in "pre_tokenizer.type: Metaspace is not ...".
BpeTokenizerParts ParseTokenizerJson(const std::string& json);

}  // namespace hyperpp::data
