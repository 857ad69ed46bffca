// Where the cause of a failure goes, so that it is said once.
//
// A rank of hyperpp's own launcher writes it to its report pipe, and the launcher says the cause of
// the job. A rank of another launcher says it itself on standard error, unless all ranks have the
// same error (comm::SharedCause) and another one says it. A process that is no rank says it itself.
//
//     int main(int argc, char** argv) {
//       std::optional<comm::RankIdentity> identity;
//       try {
//         identity = launch::IdentityFromEnvironment();
//         ...
//       } catch (const std::exception& error) {
//         launch::LeaveProcess(launch::ReportFailure(error, identity));
//       }
//     }
#pragma once

#include <exception>
#include <optional>
#include <string>

#include "hyperpp/comm/rank_identity.h"
#include "hyperpp/core/error.h"

namespace hyperpp::launch {

/// Says why this process fails, in the right place, and returns its exit status.
int ReportFailure(const std::exception& error, const std::optional<comm::RankIdentity>& identity);

/// Ends the process now: after a failure, destructors of libtorch's threads and connections could
/// wait for peers that will not answer. Buffered output is written.
[[noreturn]] void LeaveProcess(int exit_status);

/// What a rank writes to its report pipe.
struct FailureReport {
  int exit_status = static_cast<int>(ExitStatus::kDefect);
  bool is_communication = false;  // a CommError: often only the echo of another rank's failure
  std::string text;
};

std::string PackReport(const FailureReport& report);
/// Reads a report back; nothing if `packed` is none (the rank ended without one).
std::optional<FailureReport> UnpackReport(const std::string& packed);

/// Writes an error line of a rank to standard error; a text that names its rank gets no second one.
void PrintFailure(const std::string& text, int rank, int world_size);

}  // namespace hyperpp::launch
