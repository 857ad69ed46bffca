// Ready-made samples from a JSONL file, one object a line, as Hugging Face trainers take them:
//
//     {"input_ids": [5, 17, 60, 2], "labels": [-100, -100, 60, 2]}
//
// `labels` stands beside `input_ids`, not shifted; -100 means no loss, and without the key the
// labels are the ids. Position i predicts labels[i + 1], so Sample::labels is the list moved one
// place to the left with kNoLabel at the end. Samples may have any length up to sequence_length;
// whoever makes a batch pads them. Other keys of a line are not read, except that an
// `attention_mask` must be all ones and `position_ids` are refused: they would be lost otherwise.
//
// The file stays mapped; opening keeps the offset of every line. The ranks of a run check the lines
// in turn, each its share, so that together they have parsed the whole file once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hyperpp/data/json_lines.h"
#include "hyperpp/data/mapped_file.h"
#include "hyperpp/data/source.h"

namespace hyperpp::data {

class SamplesSource : public Source {
 public:
  /// Opens `path` and checks this rank's share of it; with `document_end`, documents are masked
  /// from each other. Errors: InputError naming file, line, id, vocab_size or sequence_length;
  /// reading a line throws the same.
  SamplesSource(const std::string& path, const SourceOptions& options,
                std::optional<int32_t> document_end);

  int64_t NumSamples() const override { return static_cast<int64_t>(lines_.size()); }
  Sample Read(int64_t index) const override;
  std::string Name() const override { return file_.path(); }

 private:
  struct LineStart {
    int64_t number, offset;
  };

  Sample Parse(const JsonLine& line) const;
  std::vector<int32_t> ParseIds(const JsonLine& line, const nlohmann::json& list, const char* key,
                                bool is_label) const;
  void RefuseUnusedMasks(const JsonLine& line, const nlohmann::json& object) const;

  MappedFile file_;
  int64_t sequence_length_;
  int64_t vocab_size_;
  std::optional<int32_t> document_end_;
  std::vector<LineStart> lines_;
};

}  // namespace hyperpp::data
