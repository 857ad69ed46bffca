# Flags that every target shares: warnings, sanitizers, ccache and mold where present.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE_PROGRAM})
endif()

find_program(MOLD_PROGRAM mold)
if(MOLD_PROGRAM)
  add_link_options(-fuse-ld=mold)
endif()

add_library(hyperpp_flags INTERFACE)
target_compile_options(hyperpp_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -fno-math-errno)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  # -fpch-instantiate-templates: users of the precompiled header compile in under a second.
  # -fno-pch-timestamp: lets ccache reuse objects that were built with a precompiled header.
  target_compile_options(hyperpp_flags INTERFACE
      -fpch-instantiate-templates "SHELL:-Xclang -fno-pch-timestamp")
else()
  # Members that a designated initialiser leaves out have defaults; GCC warns of them all the same.
  target_compile_options(hyperpp_flags INTERFACE -fpch-preprocess -Wno-missing-field-initializers)
endif()
if(HYPERPP_WERROR)
  target_compile_options(hyperpp_flags INTERFACE -Werror)
endif()

# One kind of position-independent code for libraries and programs: both share the precompiled header.
add_compile_options(-fPIC)

if(CMAKE_BUILD_TYPE STREQUAL RelWithDebInfo)
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1")
endif()

if(HYPERPP_SANITIZER STREQUAL address)
  set(sanitize -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
elseif(HYPERPP_SANITIZER STREQUAL thread)
  set(sanitize -fsanitize=thread)
elseif(HYPERPP_SANITIZER)
  message(FATAL_ERROR "HYPERPP_SANITIZER is '${HYPERPP_SANITIZER}', expected empty, address or thread")
endif()
if(HYPERPP_SANITIZER)
  include(CheckCXXSourceCompiles)
  string(REPLACE ";" " " CMAKE_REQUIRED_FLAGS "${sanitize}")
  check_cxx_source_compiles("int main() { return 0; }" HYPERPP_HAS_SANITIZER)
  if(NOT HYPERPP_HAS_SANITIZER)
    message(FATAL_ERROR "${CMAKE_CXX_COMPILER} cannot link with ${CMAKE_REQUIRED_FLAGS}; install its "
                        "runtime (Debian: libclang-rt-16-dev), or use -DCMAKE_CXX_COMPILER=g++")
  endif()
  unset(CMAKE_REQUIRED_FLAGS)
  add_compile_options(${sanitize} -O1)
  add_link_options(${sanitize})
endif()

if(HYPERPP_CLANG_TIDY)
  find_program(CLANG_TIDY_PROGRAM NAMES clang-tidy-16 REQUIRED)
endif()
