// Tests that need a GPU: label gpu, skipped with a line where libtorch sees none.
#pragma once

#include <ATen/Context.h>
#include <gtest/gtest.h>

namespace hyperpp::test {

inline int NumGpus() {
  return at::globalContext().hasCUDA() ? static_cast<int>(at::detail::getCUDAHooks().deviceCount())
                                       : 0;
}

}  // namespace hyperpp::test

/// First line of a test that needs a GPU. CMake knows the text.
#define HYPERPP_SKIP_WITHOUT_GPU() \
  if (::hyperpp::test::NumGpus() == 0) GTEST_SKIP() << "no GPU is visible to libtorch"
