// The text of the error that a call ends with, for expectations on messages.
#pragma once

#include <string>

#include <gtest/gtest.h>

namespace hyperpp::test {

/// Runs `call` and returns the text of the `Kind` it throws; fails the test if it throws another
/// kind, or nothing.
template <typename Kind, typename Call>
std::string ErrorText(const Call& call) {
  try {
    call();
  } catch (const Kind& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another kind of error: " << error.what();
    return "";
  }
  ADD_FAILURE() << "no error";
  return "";
}

}  // namespace hyperpp::test
