// Where samples come from. A source is random access: sample i is the same whoever asks, so the
// global batch of a step follows from (seed, step, batch size) alone and no rank keeps a reading
// position.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

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
};

/// What a source must know of the model and the run.
struct SourceOptions {
  int64_t sequence_length = 0;
  int64_t vocab_size = 0;
  int64_t seed = 0;
  std::optional<int64_t> model_eos_token_id;  // config.json's; data.eos_token_id goes first
  bool for_evaluation = false;  // a set of less than one sequence is then still one sample
};

/// The batches of a run: every step's global batch, from one source or a weighted mixture.
class BatchStream {
 public:
  virtual ~BatchStream() = default;
  /// Sample `index` (0 .. global_batch_size - 1) of the global batch of `step` (from 1).
  virtual Sample Read(int64_t step, int64_t index) = 0;
  /// "epoch 2 of data/train, ...": where `step` begins; for the manifest and for people.
  virtual nlohmann::json Position(int64_t step) = 0;
};

/// Opens all paths of `section` as training data. Epochs hold floor(samples / global_batch_size)
/// batches; `shuffle` permutes the whole set by (seed, epoch) and then drops the tail.
/// Errors: InputError / IoError naming file, what is there and what is needed.
std::unique_ptr<BatchStream> OpenTrainingData(const config::DataSection& section,
                                              const SourceOptions& options,
                                              int64_t global_batch_size);

/// Opens `section` as evaluation data: all samples in order, at most `max_samples` if above 0.
std::unique_ptr<Source> OpenEvaluationData(const config::DataSection& section,
                                           const SourceOptions& options, int64_t max_samples);

}  // namespace hyperpp::data
