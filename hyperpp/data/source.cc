#include "hyperpp/data/source.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hyperpp/core/error.h"
#include "hyperpp/data/batch_stream.h"
#include "hyperpp/data/document_end.h"
#include "hyperpp/data/evaluation_set.h"
#include "hyperpp/data/indexed_dataset.h"
#include "hyperpp/data/samples_source.h"
#include "hyperpp/data/stream_source.h"
#include "hyperpp/data/synthetic_source.h"
#include "hyperpp/data/text_tokens.h"

namespace hyperpp::data {
namespace {

void CheckPaths(const config::DataSection& section) {
  const bool is_synthetic = section.type == config::DataType::kSynthetic;
  if (is_synthetic && !section.path.empty())
    throw ConfigError(
        fmt::format("data.path: {} is given, but type: synthetic reads no file; "
                    "remove one of them",
                    section.path[0].path));
  if (!is_synthetic && section.path.empty())
    throw ConfigError("data.path: is missing; only type: synthetic needs none");
  for (const config::DataSource& entry : section.path)
    if (!(entry.weight > 0) || !std::isfinite(entry.weight))
      throw ConfigError(fmt::format("data.path: weight of {} is {}, expected a number above 0",
                                    entry.path, entry.weight));
}

// Files of equal weight are one stream, one document each; with different weights each file is a
// source of its own.
std::vector<WeightedSource> OpenText(const config::DataSection& section,
                                     const SourceOptions& options) {
  if (section.tokenizer.empty())
    throw ConfigError(
        "data.tokenizer: is missing, type: text needs one; use bytes, a "
        "sentencepiece model or a tokenizer.json");
  const std::unique_ptr<Tokenizer> tokenizer = OpenTokenizer(section.tokenizer);
  const int32_t document_end = RequireDocumentEnd(section, options, tokenizer.get());
  const std::optional<int32_t> mask_end = DocumentMaskEnd(section, options, tokenizer.get());
  std::vector<WeightedSource> sources;
  const auto open = [&](const std::vector<std::string>& paths, double weight) {
    auto tokens = std::make_unique<TextTokens>(paths, *tokenizer, document_end);
    sources.push_back(
        {std::make_unique<StreamSource>(std::move(tokens), options, mask_end), weight});
  };
  const double weight = section.path[0].weight;
  if (std::all_of(section.path.begin(), section.path.end(),
                  [weight](const auto& entry) { return entry.weight == weight; })) {
    std::vector<std::string> paths;
    for (const config::DataSource& entry : section.path) paths.push_back(entry.path);
    open(paths, weight);
  } else {
    for (const config::DataSource& entry : section.path) open({entry.path}, entry.weight);
  }
  return sources;
}

std::vector<WeightedSource> OpenSources(const config::DataSection& section,
                                        const SourceOptions& options) {
  CheckPaths(section);
  if (section.type == config::DataType::kText) return OpenText(section, options);
  const std::optional<int32_t> document_end = DocumentMaskEnd(section, options, nullptr);
  std::vector<WeightedSource> sources;
  if (section.type == config::DataType::kSynthetic)
    sources.push_back({std::make_unique<SyntheticSource>(options, document_end), 1});
  for (const config::DataSource& entry : section.path) {
    std::unique_ptr<Source> source;
    if (section.type == config::DataType::kIndexed)
      source = std::make_unique<StreamSource>(std::make_unique<IndexedDataset>(entry.path), options,
                                              document_end);
    else
      source = std::make_unique<SamplesSource>(entry.path, options, document_end);
    sources.push_back({std::move(source), entry.weight});
  }
  return sources;
}

}  // namespace

std::unique_ptr<BatchStream> OpenTrainingData(const config::DataSection& section,
                                              const SourceOptions& options,
                                              int64_t global_batch_size) {
  return std::make_unique<SourceBatches>(
      OpenSources(section, options),
      SourceBatches::Options{global_batch_size, options.seed, section.shuffle});
}

std::unique_ptr<Source> OpenEvaluationData(const config::DataSection& section,
                                           const SourceOptions& options, int64_t max_samples) {
  SourceOptions evaluation = options;
  evaluation.for_evaluation = true;
  std::vector<std::unique_ptr<Source>> sources;
  for (WeightedSource& entry : OpenSources(section, evaluation))
    sources.push_back(std::move(entry.source));
  return std::make_unique<EvaluationSet>(std::move(sources), max_samples);
}

}  // namespace hyperpp::data
