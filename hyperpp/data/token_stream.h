// One long row of token ids, all documents of a data set joined: what a file pair or a folder of
// texts looks like to the code that cuts samples.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "hyperpp/data/token_scan.h"

namespace hyperpp::data {

class TokenStream {
 public:
  virtual ~TokenStream() = default;
  /// How messages call it: a path.
  virtual const std::string& name() const = 0;
  virtual int64_t NumTokens() const = 0;
  /// Copies the tokens from `first` on into `out`.
  /// REQUIRES: FindOutside() found nothing, so that ids fit; first + out.size() <= NumTokens().
  virtual void Read(int64_t first, std::span<int32_t> out) const = 0;
  /// The first token outside the vocabulary, if any; reads everything.
  virtual std::optional<FoundToken> FindOutside(int64_t vocab_size) const = 0;
  /// Whether `id` occurs; reads up to its first occurrence.
  virtual bool Contains(int64_t id) const = 0;
  /// Where token `offset` is, for people: "train.bin, token 40".
  virtual std::string PlaceOf(int64_t offset) const = 0;
};

}  // namespace hyperpp::data
