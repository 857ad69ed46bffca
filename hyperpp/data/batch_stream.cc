#include "hyperpp/data/batch_stream.h"

#include <string>
#include <utility>

#include "hyperpp/core/error.h"
#include "hyperpp/core/mix64.h"

namespace hyperpp::data {
namespace {

std::vector<double> Weights(const std::vector<WeightedSource>& sources) {
  std::vector<double> weights;
  for (const WeightedSource& source : sources) weights.push_back(source.weight);
  return weights;
}

void CheckEnough(const Source& source, int64_t global_batch_size, bool is_mixed) {
  const int64_t needed = is_mixed ? 1 : global_batch_size;
  if (source.NumSamples() >= needed) return;
  throw InputError(fmt::format(
      "{}: holds {}; {} needs {}: add data, or lower training.global_batch_size or "
      "training.sequence_length",
      source.Name(), source.Amount(),
      is_mixed ? "each source of a mixture"
               : fmt::format("a batch of training.global_batch_size = {}", global_batch_size),
      source.Need(needed)));
}

}  // namespace

SourceBatches::SourceBatches(std::vector<WeightedSource> sources, const Options& options)
    : options_(options), order_(Weights(sources)) {
  HYPERPP_CHECK(options.global_batch_size > 0, "global_batch_size is {}",
                options.global_batch_size);
  const bool is_mixed = sources.size() > 1;
  for (WeightedSource& entry : sources) {
    CheckEnough(*entry.source, options.global_batch_size, is_mixed);
    const int64_t count = entry.source->NumSamples();
    const int64_t per_epoch =
        is_mixed ? count : count / options.global_batch_size * options.global_batch_size;
    parts_.push_back({std::move(entry.source), per_epoch, std::nullopt});
  }
}

Sample SourceBatches::Read(int64_t step, int64_t index) {
  HYPERPP_CHECK(step >= 1 && index >= 0 && index < options_.global_batch_size,
                "sample {} of step {}", index, step);
  if (step != batch_step_) {
    order_.Seek((step - 1) * options_.global_batch_size);
    batch_.resize(static_cast<size_t>(options_.global_batch_size));
    for (MixtureOrder::Draw& draw : batch_) draw = order_.Next();
    batch_step_ = step;
  }
  const MixtureOrder::Draw draw = batch_[static_cast<size_t>(index)];
  return parts_[draw.source].source->Read(SampleAt(draw.source, draw.number));
}

int64_t SourceBatches::SampleAt(size_t source, int64_t draw) {
  Part& part = parts_[source];
  const int64_t epoch = draw / part.samples_per_epoch;
  const int64_t place = draw % part.samples_per_epoch;
  if (!options_.shuffle) return place;
  if (!part.shuffled || part.shuffled->epoch != epoch) {
    const uint64_t key = Mix64(static_cast<uint64_t>(options_.seed), source, epoch);
    part.shuffled = Shuffled{epoch, Permutation(part.source->NumSamples(), key)};
  }
  return part.shuffled->order(place);
}

nlohmann::json SourceBatches::Position(int64_t step) {
  HYPERPP_CHECK(step >= 1, "step {}", step);
  order_.Seek((step - 1) * options_.global_batch_size);
  nlohmann::json sources = nlohmann::json::array();
  std::string text;
  for (size_t i = 0; i < parts_.size(); ++i) {
    const int64_t drawn = order_.counts()[i];
    const int64_t per_epoch = parts_[i].samples_per_epoch;
    const int64_t epoch = drawn / per_epoch + 1;
    const int64_t place = drawn % per_epoch;
    const std::string name = parts_[i].source->Name();
    sources.push_back({{"path", name},
                       {"epoch", epoch},
                       {"sample", place},
                       {"samples_per_epoch", per_epoch},
                       {"drawn", drawn}});
    text += fmt::format("{}epoch {} of {}, sample {} of {}", text.empty() ? "" : "; ", epoch, name,
                        place, per_epoch);
  }
  return {{"step", step}, {"sources", sources}, {"text", text}};
}

}  // namespace hyperpp::data
