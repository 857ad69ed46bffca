// An error that every rank of the job has: one rank, the speaker, says it for all.
//
// World::Agree and World::CheckSame throw on all ranks at once. The error keeps its kind (a
// ConfigError stays a ConfigError, and decides the exit status), and the ranks that only heard of
// it throw Shared<ConfigError>, by which the program's main knows that another rank prints the
// text.
#pragma once

#include <string>

namespace hyperpp::comm {

/// Second base of an error that another rank says.
class SharedCause {
 public:
  explicit SharedCause(int speaker) : speaker_(speaker) {}
  virtual ~SharedCause() = default;
  /// The rank that says it.
  int speaker() const { return speaker_; }

 private:
  int speaker_;
};

template <typename Kind>
class Shared final : public Kind, public SharedCause {
 public:
  Shared(const std::string& text, int speaker) : Kind(text), SharedCause(speaker) {}
};

}  // namespace hyperpp::comm
