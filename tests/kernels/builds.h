// The builds of a simd table that this CPU can run, with their names.
#pragma once

#include <utility>
#include <vector>

#include "hyperpp/kernels/simd/builds.h"

#if defined(__x86_64__)
#define HYPERPP_TEST_BUILDS(Table, name) \
  ::hyperpp::kernels::UsableBuilds<Table>(plain::name, &avx2::name, &avx512::name)
#else
#define HYPERPP_TEST_BUILDS(Table, name) \
  ::hyperpp::kernels::UsableBuilds<Table>(plain::name, nullptr, nullptr)
#endif

namespace hyperpp::kernels {

template <typename Table>
std::vector<std::pair<const char*, const Table*>> UsableBuilds(const Table& plain_build,
                                                               const Table* avx2_build,
                                                               const Table* avx512_build) {
  std::vector<std::pair<const char*, const Table*>> builds{{"plain", &plain_build}};
  if (Cpu().avx2) builds.push_back({"avx2", avx2_build});
  if (Cpu().avx512) builds.push_back({"avx512", avx512_build});
  return builds;
}

}  // namespace hyperpp::kernels
