#include "hyperpp/data/samples_source.h"

#include <algorithm>

#include "hyperpp/core/error.h"
#include "hyperpp/data/document_end.h"

namespace hyperpp::data {

SamplesSource::SamplesSource(const std::string& path, const SourceOptions& options,
                             std::optional<int32_t> document_end)
    : file_(path),
      sequence_length_(options.sequence_length),
      vocab_size_(options.vocab_size),
      document_end_(document_end) {
  bool lacks_end = document_end.has_value();
  ForEachLine(file_, [&](const JsonLine& line) {
    // The first document end may be in any rank's share.
    if (lacks_end || NumSamples() % options.num_ranks == options.rank) {
      const std::vector<int32_t> tokens = Parse(line).tokens;
      if (lacks_end)
        lacks_end = std::find(tokens.begin(), tokens.end(), *document_end) == tokens.end();
    }
    lines_.push_back({line.number, line.offset});
  });
  if (lacks_end) WarnDocumentEndMissing(path, *document_end, options);
}

Sample SamplesSource::Read(int64_t index) const {
  HYPERPP_CHECK(index >= 0 && index < NumSamples(), "{}: sample {} of {}", Name(), index,
                NumSamples());
  const LineStart start = lines_[static_cast<size_t>(index)];
  const std::string_view rest = file_.text().substr(static_cast<size_t>(start.offset));
  return Parse({start.number, start.offset, rest.substr(0, rest.find('\n'))});
}

Sample SamplesSource::Parse(const JsonLine& line) const {
  const nlohmann::json object = ParseObject(file_, line);
  const auto ids = object.find("input_ids");
  if (ids == object.end())
    throw InputError(
        fmt::format("{}: has no input_ids; each line is {{\"input_ids\": [...], "
                    "\"labels\": [...]}}",
                    PlaceOf(file_, line)));
  RefuseUnusedMasks(line, object);
  Sample sample;
  sample.tokens = ParseIds(line, *ids, "input_ids", false);
  if (sample.tokens.empty() || sample.length() > sequence_length_)
    throw InputError(fmt::format("{}: input_ids has {} tokens, expected 1 to sequence_length = {}",
                                 PlaceOf(file_, line), sample.length(), sequence_length_));
  const auto labels = object.find("labels");
  sample.labels = labels == object.end() ? sample.tokens : ParseIds(line, *labels, "labels", true);
  if (sample.labels.size() != sample.tokens.size())
    throw InputError(
        fmt::format("{}: labels has {} entries, input_ids has {}; both need the same "
                    "length",
                    PlaceOf(file_, line), sample.labels.size(), sample.length()));
  sample.labels.erase(sample.labels.begin());
  sample.labels.push_back(kNoLabel);
  MarkDocuments(document_end_, &sample);
  return sample;
}

std::vector<int32_t> SamplesSource::ParseIds(const JsonLine& line, const nlohmann::json& list,
                                             const char* key, bool is_label) const {
  if (!list.is_array())
    throw InputError(fmt::format("{}: {} is a JSON {}, expected a list of integers",
                                 PlaceOf(file_, line), key, list.type_name()));
  std::vector<int32_t> ids;
  ids.reserve(list.size());
  for (const nlohmann::json& entry : list) {
    if (!entry.is_number_integer())
      throw InputError(fmt::format("{}: {}[{}] is {}, expected an integer", PlaceOf(file_, line),
                                   key, ids.size(), entry.dump()));
    const bool is_known = entry.is_number_unsigned()
                              ? entry.get<uint64_t>() < static_cast<uint64_t>(vocab_size_)
                              : is_label && entry.get<int64_t>() == kNoLabel;
    if (!is_known)
      throw InputError(fmt::format("{}: {}[{}] is id {}, outside the vocabulary, vocab_size = {}{}",
                                   PlaceOf(file_, line), key, ids.size(), entry.dump(), vocab_size_,
                                   is_label ? "; -100 means no label" : ""));
    ids.push_back(entry.get<int32_t>());
  }
  return ids;
}

void SamplesSource::RefuseUnusedMasks(const JsonLine& line, const nlohmann::json& object) const {
  if (object.contains("position_ids"))
    throw InputError(
        fmt::format("{}: position_ids are not supported; remove them, positions count "
                    "from 0 or, with data.document_mask, from each document's start",
                    PlaceOf(file_, line)));
  const auto mask = object.find("attention_mask");
  if (mask == object.end()) return;
  const bool is_all_ones =
      mask->is_array() &&
      std::all_of(mask->begin(), mask->end(), [](const auto& one) { return one == 1; });
  if (!is_all_ones)
    throw InputError(
        fmt::format("{}: attention_mask is not all ones; leave padding out of the "
                    "file, batches are padded as needed",
                    PlaceOf(file_, line)));
}

}  // namespace hyperpp::data
