// One source, several builds: a vectorised source is compiled once per instruction set, and each
// build offers the same table of function pointers in a namespace of its own.
//
//     foo_rows.h           struct FooRows { void (*add)(const float* x, float* y, int64_t size); };
//                          HYPERPP_DECLARE_BUILDS(FooRows, kFooRows);
//     foo_rows.simd.cc     namespace hyperpp::kernels::HYPERPP_BUILD {
//                          namespace { void Add(...) {...} }
//                          const FooRows kFooRows{&Add};
//                          }
//     foo.cc               const FooRows& rows = HYPERPP_SELECT_BUILD(kFooRows);
//     CMakeLists.txt       hyperpp_add_simd(foo_rows.simd.cc)
//
// The function pointers take raw pointers and sizes. A simd source includes neither ATen nor
// standard headers with templates or inline functions: the linker keeps one copy of an inline
// function, and a copy compiled for AVX-512 would end other CPUs with an illegal instruction.
// hyperpp/kernels/simd/vector.h is safe, because it lies in the build's namespace.
#pragma once

#include "hyperpp/kernels/cpu_features.h"

#if defined(__x86_64__)

#define HYPERPP_DECLARE_BUILDS(Table, name) \
  namespace plain {                         \
  extern const Table name;                  \
  }                                         \
  namespace avx2 {                          \
  extern const Table name;                  \
  }                                         \
  namespace avx512 {                        \
  extern const Table name;                  \
  }                                         \
  static_assert(true)

#define HYPERPP_SELECT_BUILD(name)                                     \
  (::hyperpp::kernels::Cpu().avx512 ? ::hyperpp::kernels::avx512::name \
   : ::hyperpp::kernels::Cpu().avx2 ? ::hyperpp::kernels::avx2::name   \
                                    : ::hyperpp::kernels::plain::name)

#else

#define HYPERPP_DECLARE_BUILDS(Table, name) \
  namespace plain {                         \
  extern const Table name;                  \
  }                                         \
  static_assert(true)

#define HYPERPP_SELECT_BUILD(name) (::hyperpp::kernels::plain::name)

#endif
