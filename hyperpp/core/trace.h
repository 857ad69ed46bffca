// What a rank did when: spans of time, written as a file for Perfetto (ui.perfetto.dev) or Chrome.
//
//     lane  step           |              step 12                    |
//           compute        |0F0|0F1|   |0B0|0F2|0B1|
//           communication      |0SEND_F0|  ...
//           wait                   |0RECV_B0|
//
// A span is measured by an object on the stack. Without a trace, or outside its steps, measuring
// costs one comparison. Times come from the monotonic clock, which all ranks of a host share.
// Format: "Trace Event Format" of the Chromium project, complete events ("ph": "X").
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hyperpp {

/// A row of the picture.
enum class TraceLane : int { kStep = 0, kCompute = 1, kCommunication = 2, kWait = 3 };

struct TraceEvent {
  TraceLane lane = TraceLane::kStep;
  std::string name;
  int64_t start_ns = 0, end_ns = 0;
  /// Numbers to show with the span: ("stage", 3), ("microbatch", 0).
  std::vector<std::pair<std::string, int64_t>> arguments;
};

/// One rank's trace. Used by one thread.
class Trace {
 public:
  /// Events are kept from now on, or no longer.
  void set_recording(bool recording) { recording_ = recording; }
  bool recording() const { return recording_; }

  void Add(TraceEvent event) { events_.push_back(std::move(event)); }
  const std::vector<TraceEvent>& events() const { return events_; }

  /// Writes the events to `path`. `rank` numbers the process, `label` names it ("rank 1 (pp 1)").
  /// Errors: IoError.
  void Write(const std::string& path, int rank, const std::string& label) const;

 private:
  bool recording_ = false;
  std::vector<TraceEvent> events_;
};

/// Measures from its construction to its end, if `trace` is recording; it may be null.
class TraceSpan {
 public:
  TraceSpan(Trace* trace, TraceLane lane, const std::string& name,
            std::vector<std::pair<std::string, int64_t>> arguments = {});
  ~TraceSpan();
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;

 private:
  Trace* trace_;  // null if nothing is recorded
  TraceEvent event_;
};

/// Nanoseconds of the monotonic clock.
int64_t TraceClockNs();

/// Reads the events of a file that Trace::Write wrote.
/// Errors: InputError naming the file; IoError.
std::vector<TraceEvent> ReadTrace(const std::string& path);

}  // namespace hyperpp
