// What a token file pair holds: what `hyperpp data inspect` prints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "hyperpp/data/token_scan.h"
#include "hyperpp/data/token_type.h"

namespace hyperpp::data {

struct IndexedSummary {
  /// Lengths of documents in tokens, the end-of-document token included.
  struct Lengths {
    int64_t smallest = 0, median = 0, percentile_90 = 0, percentile_99 = 0, largest = 0;
    double mean = 0;
  };

  std::string prefix;
  TokenType type = TokenType::kInt32;
  int64_t num_documents = 0;
  int64_t num_sequences = 0;
  int64_t num_empty_documents = 0;
  int64_t num_tokens = 0;
  int64_t size_bytes = 0;          // of both files
  std::optional<TokenRange> ids;   // none without tokens
  std::optional<Lengths> lengths;  // none without documents
};

/// Opens `path` (with or without .bin or .idx), checks it and reads all of it.
/// Errors: as IndexedDataset.
IndexedSummary Inspect(const std::string& path);

/// Several lines for people.
std::string Describe(const IndexedSummary& summary);
/// One object with the same content.
nlohmann::json ToJson(const IndexedSummary& summary);

}  // namespace hyperpp::data
