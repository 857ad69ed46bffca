#include "hyperpp/data/inspect.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "hyperpp/data/indexed_dataset.h"

namespace hyperpp::data {
namespace {

std::vector<int64_t> DocumentLengths(const IndexedDataset& data) {
  std::vector<int64_t> lengths(static_cast<size_t>(data.NumDocuments()));
  for (int64_t document = 0; document < data.NumDocuments(); ++document)
    for (int64_t i = data.DocumentStart(document); i < data.DocumentStart(document + 1); ++i)
      lengths[static_cast<size_t>(document)] += data.SequenceLength(i);
  return lengths;
}

// The smallest length that at least `percent` of the documents do not exceed.
int64_t Percentile(const std::vector<int64_t>& sorted, size_t percent) {
  const size_t rank = (sorted.size() * percent + 99) / 100;
  return sorted[std::max<size_t>(rank, 1) - 1];
}

}  // namespace

IndexedSummary Inspect(const std::string& path) {
  const IndexedDataset data(path);
  IndexedSummary summary;
  summary.prefix = IndexedPrefix(path);
  summary.type = data.type();
  summary.num_documents = data.NumDocuments();
  summary.num_sequences = data.NumSequences();
  summary.num_tokens = data.NumTokens();
  summary.size_bytes = data.NumTokens() * SizeBytes(data.type()) + kIndexHeaderBytes +
                       12 * data.NumSequences() + 8 * (data.NumDocuments() + 1);
  if (summary.num_tokens > 0) summary.ids = data.Range();
  std::vector<int64_t> lengths = DocumentLengths(data);
  if (lengths.empty()) return summary;
  std::sort(lengths.begin(), lengths.end());
  summary.num_empty_documents = std::count(lengths.begin(), lengths.end(), 0);
  summary.lengths = {lengths.front(),
                     Percentile(lengths, 50),
                     Percentile(lengths, 90),
                     Percentile(lengths, 99),
                     lengths.back(),
                     static_cast<double>(summary.num_tokens) / static_cast<double>(lengths.size())};
  return summary;
}

std::string Describe(const IndexedSummary& summary) {
  std::string text = fmt::format(
      "{}\n  documents  {} ({} empty), {} sequences\n  tokens     {} of type {}, {} bytes with the "
      "index\n",
      summary.prefix, summary.num_documents, summary.num_empty_documents, summary.num_sequences,
      summary.num_tokens, Name(summary.type), summary.size_bytes);
  if (summary.ids)
    text += fmt::format("  ids        {} to {}, for a vocab_size of at least {}\n",
                        summary.ids->smallest, summary.ids->largest, summary.ids->largest + 1);
  if (const auto& lengths = summary.lengths)
    text += fmt::format(
        "  lengths    smallest {}, median {}, mean {:.1f}, 90% {}, 99% {}, largest {} tokens\n",
        lengths->smallest, lengths->median, lengths->mean, lengths->percentile_90,
        lengths->percentile_99, lengths->largest);
  return text;
}

nlohmann::json ToJson(const IndexedSummary& summary) {
  nlohmann::json json = {
      {"prefix", summary.prefix},           {"dtype", std::string(Name(summary.type))},
      {"documents", summary.num_documents}, {"empty_documents", summary.num_empty_documents},
      {"sequences", summary.num_sequences}, {"tokens", summary.num_tokens},
      {"size_bytes", summary.size_bytes}};
  json["smallest_id"] = summary.ids ? nlohmann::json(summary.ids->smallest) : nlohmann::json();
  json["largest_id"] = summary.ids ? nlohmann::json(summary.ids->largest) : nlohmann::json();
  json["document_lengths"] = nlohmann::json();
  if (const auto& lengths = summary.lengths)
    json["document_lengths"] = {{"smallest", lengths->smallest},
                                {"median", lengths->median},
                                {"mean", lengths->mean},
                                {"percentile_90", lengths->percentile_90},
                                {"percentile_99", lengths->percentile_99},
                                {"largest", lengths->largest}};
  return json;
}

}  // namespace hyperpp::data
