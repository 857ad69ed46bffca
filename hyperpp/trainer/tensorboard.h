// TensorBoard event files: a TFRecord stream of Event messages with scalar summaries.
//
//     record:  length u64 | masked crc32c of length u32 | data | masked crc32c of data u32
//     data:    Event { wall_time = 1 (double), step = 2 (int64), file_version = 3 | summary = 5 }
//
// Sources: tensorflow/core/lib/io/record_writer.h (framing), tensorflow/core/util/event.proto and
// framework/summary.proto (field numbers).
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

namespace hyperpp::trainer {

class TensorBoardWriter {
 public:
  /// Opens a new event file in `folder`. Errors: IoError naming the file.
  explicit TensorBoardWriter(const std::string& folder);

  /// Writes every number of `record` except "step" as a scalar of that name, and flushes.
  void Write(int64_t step, const nlohmann::json& record);

 private:
  void WriteEvent(const std::string& event);

  std::string path_;
  std::ofstream out_;
};

}  // namespace hyperpp::trainer
