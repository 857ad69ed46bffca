// Kinds of failure, and how a failed check is written.
//
// Every error that leaves hyperpp is one of these kinds; the kind decides the exit status of the
// program. The text has the form
//
//     <where>: <fact with both values>; <what to do>
//
// in lower case without a final period, where <where> is a key path, a file with byte offset, an
// FQN, or a rank with its coordinates. User input never reaches HYPERPP_CHECK: it throws
// ConfigError, PlanError or InputError.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

namespace hyperpp {

/// Base of all errors of hyperpp.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The YAML file or a command line is wrong.
class ConfigError : public Error {
 public:
  using Error::Error;
};

/// The configuration is well formed, but no run can be planned from it.
class PlanError : public Error {
 public:
  using Error::Error;
};

/// What a data, model or checkpoint file contains is wrong.
class InputError : public Error {
 public:
  using Error::Error;
};

/// A file cannot be read or written: missing permission, full disk.
class IoError : public Error {
 public:
  using Error::Error;
};

/// A rank, or the connection to it, is lost.
class CommError : public Error {
 public:
  using Error::Error;
};

/// Training met a non-finite loss or gradient and was told to stop on it.
class NonFiniteError : public Error {
 public:
  using Error::Error;
};

/// A defect of hyperpp.
class InternalError : public Error {
 public:
  using Error::Error;
};

/// Exit status of the program; the numbers are part of the command line contract.
enum class ExitStatus : int { kDone = 0, kDefect = 1, kInput = 2, kMachine = 3, kNonFinite = 4 };

/// Returns the exit status that belongs to `error`; foreign exceptions are defects, std::bad_alloc
/// and std::filesystem errors belong to the machine.
ExitStatus ExitStatusOf(const std::exception& error);

namespace internal {
[[noreturn]] void FailCheck(const char* file, int line, const std::string& text);

template <typename A, typename B>
std::string DescribeCheck(const char* a, const char* op, const char* b, const A& x, const B& y) {
  return fmt::format("expected {} {} {}, got {} and {}", a, op, b, x, y);
}
}  // namespace internal

}  // namespace hyperpp

/// Throws InternalError with the text (a fmt format string and arguments) unless `condition`.
#define HYPERPP_CHECK(condition, ...)                                                           \
  do {                                                                                          \
    if (!(condition))                                                                           \
      ::hyperpp::internal::FailCheck(__FILE__, __LINE__,                                        \
                                     "expected " #condition "; " + ::fmt::format(__VA_ARGS__)); \
  } while (false)

#define HYPERPP_CHECK_OP(a, op, b, ...)                                                  \
  do {                                                                                   \
    const auto& hyperpp_a = (a);                                                         \
    const auto& hyperpp_b = (b);                                                         \
    if (!(hyperpp_a op hyperpp_b))                                                       \
      ::hyperpp::internal::FailCheck(                                                    \
          __FILE__, __LINE__,                                                            \
          ::hyperpp::internal::DescribeCheck(#a, #op, #b, hyperpp_a, hyperpp_b) + "; " + \
              ::fmt::format(__VA_ARGS__));                                               \
  } while (false)

/// Throw InternalError with both values and the text unless the comparison holds.
#define HYPERPP_CHECK_EQ(a, b, ...) HYPERPP_CHECK_OP(a, ==, b, __VA_ARGS__)
#define HYPERPP_CHECK_LT(a, b, ...) HYPERPP_CHECK_OP(a, <, b, __VA_ARGS__)
#define HYPERPP_CHECK_LE(a, b, ...) HYPERPP_CHECK_OP(a, <=, b, __VA_ARGS__)
