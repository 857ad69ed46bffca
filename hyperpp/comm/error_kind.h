// Kinds of error as words, so that one rank's error can be thrown again on another.
#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "hyperpp/core/error.h"

namespace hyperpp::comm {

/// Returns the kind that describes `error` on another rank: hyperpp's own kinds are themselves,
/// errors of the operating system and lack of memory are IoError, all else is InternalError.
std::string_view ErrorKind(const std::exception& error);

/// Returns the text of `error` for people: without libtorch's list of stack frames.
std::string ErrorText(const std::exception& error);

/// Returns ExitStatusOf, and kMachine for memory that libtorch could not get.
ExitStatus ErrorStatus(const std::exception& error);

/// Throws Shared<kind> with `text`, which `speaker` says for all ranks.
[[noreturn]] void ThrowShared(std::string_view kind, const std::string& text, int speaker);

}  // namespace hyperpp::comm
