#include "hyperpp/core/trace.h"

#include <array>
#include <cmath>
#include <ctime>
#include <fstream>

#include <nlohmann/json.hpp>

#include "hyperpp/core/error.h"

namespace hyperpp {
namespace {

constexpr std::array<const char*, 4> kLaneNames = {"step", "compute", "communication", "wait"};
constexpr double kNsPerUs = 1e3;

nlohmann::json NameOf(const char* kind, int rank, int lane, const std::string& name) {
  return {{"ph", "M"}, {"name", kind}, {"pid", rank}, {"tid", lane}, {"args", {{"name", name}}}};
}

}  // namespace

int64_t TraceClockNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

TraceSpan::TraceSpan(Trace* trace, TraceLane lane, const std::string& name,
                     std::vector<std::pair<std::string, int64_t>> arguments)
    : trace_(trace != nullptr && trace->recording() ? trace : nullptr) {
  if (trace_ == nullptr) return;
  event_ = {lane, name, TraceClockNs(), 0, std::move(arguments)};
}

TraceSpan::~TraceSpan() {
  if (trace_ == nullptr) return;
  event_.end_ns = TraceClockNs();
  trace_->Add(std::move(event_));
}

void Trace::Write(const std::string& path, int rank, const std::string& label) const {
  nlohmann::json events = nlohmann::json::array();
  events.push_back(NameOf("process_name", rank, 0, label));
  for (int lane = 0; lane < static_cast<int>(kLaneNames.size()); ++lane)
    events.push_back(NameOf("thread_name", rank, lane, kLaneNames[lane]));
  for (const TraceEvent& event : events_) {
    nlohmann::json arguments = nlohmann::json::object();
    for (const auto& [name, value] : event.arguments) arguments[name] = value;
    events.push_back({{"ph", "X"},
                      {"name", event.name},
                      {"pid", rank},
                      {"tid", static_cast<int>(event.lane)},
                      {"ts", static_cast<double>(event.start_ns) / kNsPerUs},
                      {"dur", static_cast<double>(event.end_ns - event.start_ns) / kNsPerUs},
                      {"args", std::move(arguments)}});
  }
  std::ofstream out(path);
  out << nlohmann::json{{"traceEvents", std::move(events)}}.dump() << "\n";
  out.flush();
  if (!out) throw IoError(fmt::format("{}: cannot write the trace", path));
}

std::vector<TraceEvent> ReadTrace(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw IoError(fmt::format("{}: cannot open the trace", path));
  std::vector<TraceEvent> events;
  try {
    const nlohmann::json file = nlohmann::json::parse(in);
    for (const nlohmann::json& json : file.at("traceEvents")) {
      if (json.at("ph") != "X") continue;
      TraceEvent event;
      const int lane = json.at("tid").get<int>();
      if (lane < 0 || lane >= static_cast<int>(kLaneNames.size()))
        throw InputError(
            fmt::format("{}: lane {} is none of a trace of hyperpp; name a file that "
                        "output.trace wrote",
                        path, lane));
      event.lane = static_cast<TraceLane>(lane);
      event.name = json.at("name").get<std::string>();
      event.start_ns = std::llround(json.at("ts").get<double>() * kNsPerUs);
      event.end_ns = event.start_ns + std::llround(json.at("dur").get<double>() * kNsPerUs);
      for (const auto& [name, value] : json.at("args").items())
        event.arguments.emplace_back(name, value.get<int64_t>());
      events.push_back(std::move(event));
    }
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("{}: no trace of hyperpp: {}; name a file that output.trace wrote",
                                 path, error.what()));
  }
  return events;
}

}  // namespace hyperpp
