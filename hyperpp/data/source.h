// Where samples come from. A source is random access: sample i is the same whoever asks, so the
// global batch of a step follows from (seed, step, batch size) alone and no rank keeps a reading
// position.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hyperpp/config/config.h"
#include "hyperpp/data/sample.h"

namespace hyperpp::data {

/// A finite set of samples, opened from one data path. Thread-compatible; reading is const.
class Source {
 public:
  virtual ~Source() = default;

  /// Number of whole samples: of sequence_length tokens and their labels for token streams.
  virtual int64_t NumSamples() const = 0;
  /// Sample `index` of 0 .. NumSamples() - 1.
  /// Errors: InputError naming id, vocab_size and place if a token is outside the vocabulary.
  virtual Sample Read(int64_t index) const = 0;
  /// Samples of an evaluation pass: NumSamples(), plus one for a shorter rest at the end.
  virtual int64_t NumEvaluationSamples() const { return NumSamples(); }

  /// How messages call the source: a path.
  virtual std::string Name() const { return "data"; }
  /// What is there: "20 tokens, 0 samples of sequence_length 32".
  virtual std::string Amount() const { return fmt::format("{} samples", NumSamples()); }
  /// What `num_samples` need: "8 samples, 257 tokens".
  virtual std::string Need(int64_t num_samples) const {
    return fmt::format("{} samples", num_samples);
  }
};

/// What a source must know of the model and the run.
struct SourceOptions {
  int64_t sequence_length = 0;
  int64_t vocab_size = 0;
  int64_t seed = 0;
  std::optional<int64_t> model_eos_token_id;  // config.json's; data.eos_token_id goes first
  bool for_evaluation = false;  // a set of less than one sequence is then still one sample
  std::vector<std::string>* warnings = nullptr;  // if given, notices for the user are appended
  // Ranks that open the same data at once share the checks of samples files.
  int rank = 0, num_ranks = 1;
};

/// The batches of a run: every step's global batch, from one source or a weighted mixture.
class BatchStream {
 public:
  virtual ~BatchStream() = default;
  /// Sample `index` (0 .. global_batch_size - 1) of the global batch of `step` (from 1).
  virtual Sample Read(int64_t step, int64_t index) = 0;
  /// Where `step` begins, for the manifest and for people: {"step", "sources": [{"path", "epoch",
  /// "sample", "samples_per_epoch", "drawn"}], "text": "epoch 2 of data/train.bin, sample 8 of
  /// 64"}; epochs count from 1, samples from 0.
  virtual nlohmann::json Position(int64_t step) = 0;
};

/// Opens all paths of `section` as training data. Epochs hold floor(samples / global_batch_size)
/// batches; `shuffle` permutes the whole set by (seed, epoch) and then drops the tail. In a mixture
/// of several paths each source has epochs of its own, of all its samples.
/// Errors: InputError / IoError naming file, what is there and what is needed.
std::unique_ptr<BatchStream> OpenTrainingData(const config::DataSection& section,
                                              const SourceOptions& options,
                                              int64_t global_batch_size);

/// Opens `section` as evaluation data: all samples of all paths in order, the shorter rests at the
/// ends of token streams too, at most `max_samples` if above 0. NumSamples() of the result counts
/// them. Weights and `shuffle` change nothing.
std::unique_ptr<Source> OpenEvaluationData(const config::DataSection& section,
                                           const SourceOptions& options, int64_t max_samples);

}  // namespace hyperpp::data
