# Target hyperpp::torch: the CPU part of a libtorch, as system headers, with its OpenMP runtime.
#
# libtorch is looked for in Torch_DIR (share/cmake/Torch of any libtorch), then in the wheel that
# tools/setup.sh installs. Torch's own CMake package is not used: it wants a CUDA toolkit beside a
# CUDA wheel, and adds its headers as user headers, with their warnings.
file(GLOB _wheel_dirs ${CMAKE_SOURCE_DIR}/.deps/venv/lib/python3*/site-packages/torch)
set(_torch_roots ${_wheel_dirs})
if(Torch_DIR)
  get_filename_component(_given ${Torch_DIR}/../../.. ABSOLUTE)
  set(_torch_roots ${_given})
endif()

find_path(HYPERPP_TORCH_INCLUDE ATen/ATen.h PATHS ${_torch_roots} PATH_SUFFIXES include NO_DEFAULT_PATH)
if(NOT HYPERPP_TORCH_INCLUDE)
  message(FATAL_ERROR "libtorch not found; run tools/setup.sh, or configure with "
                      "-DTorch_DIR=LIBTORCH/share/cmake/Torch")
endif()
get_filename_component(HYPERPP_TORCH_ROOT ${HYPERPP_TORCH_INCLUDE}/.. ABSOLUTE)
set(HYPERPP_TORCH_LIB ${HYPERPP_TORCH_ROOT}/lib)

file(STRINGS ${HYPERPP_TORCH_INCLUDE}/torch/headeronly/version.h _version_lines
     REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
string(REGEX REPLACE "[^0-9;]" "" _version_lines "${_version_lines}")
list(JOIN _version_lines "." HYPERPP_TORCH_VERSION)
message(STATUS "libtorch ${HYPERPP_TORCH_VERSION} in ${HYPERPP_TORCH_ROOT}")
if(HYPERPP_TORCH_VERSION VERSION_LESS 2.11 OR HYPERPP_TORCH_VERSION VERSION_GREATER_EQUAL 2.15)
  message(WARNING "libtorch ${HYPERPP_TORCH_VERSION} was never tried; hyperpp is made for 2.13, and builds with 2.11 to 2.14")
endif()

# The OpenMP runtime of the wheel must stay the only one in the process.
find_library(HYPERPP_GOMP NAMES libgomp.so.1 gomp PATHS ${HYPERPP_TORCH_LIB} NO_DEFAULT_PATH)
if(NOT HYPERPP_GOMP)
  file(GLOB HYPERPP_GOMP ${HYPERPP_TORCH_LIB}/libgomp*.so* ${HYPERPP_TORCH_ROOT}/../torch.libs/libgomp*.so*)
  list(GET HYPERPP_GOMP 0 HYPERPP_GOMP)
endif()

add_library(hyperpp_torch INTERFACE)
add_library(hyperpp::torch ALIAS hyperpp_torch)
target_include_directories(hyperpp_torch SYSTEM INTERFACE
    ${HYPERPP_TORCH_INCLUDE} ${HYPERPP_TORCH_INCLUDE}/torch/csrc/api/include)
target_compile_definitions(hyperpp_torch INTERFACE USE_C10D_GLOO)
target_link_libraries(hyperpp_torch INTERFACE
    ${HYPERPP_TORCH_LIB}/libtorch_cpu.so ${HYPERPP_TORCH_LIB}/libc10.so ${HYPERPP_GOMP})
target_link_options(hyperpp_torch INTERFACE -Wl,-rpath,${HYPERPP_TORCH_LIB} -Wl,--no-as-needed)

if(HYPERPP_CUDA)
  include(HyperppCuda)
endif()
