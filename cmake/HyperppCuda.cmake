# Adds the CUDA part of libtorch to hyperpp_torch: definitions HYPERPP_CUDA and USE_C10D_NCCL, the
# headers of CUDA and NCCL, and libtorch_cuda, libc10_cuda and libcudart.
#
# A torch wheel brings libraries and headers of the toolkit in site-packages/nvidia/. Its headers lack
# a part (crt/), so a toolkit beside it is used for headers if there is one, and comes first. Only
# compiling .cu files needs nvcc; without it, CUDA is used through ATen alone.
if(NOT EXISTS ${HYPERPP_TORCH_LIB}/libtorch_cuda.so)
  message(FATAL_ERROR "HYPERPP_CUDA is on, but ${HYPERPP_TORCH_LIB} holds no libtorch_cuda.so: "
                      "this libtorch is a CPU build; name a CUDA one with -DTorch_DIR")
endif()

file(GLOB _cuda_includes LIST_DIRECTORIES true
     ${HYPERPP_TORCH_ROOT}/../nvidia/cu*/include ${HYPERPP_TORCH_ROOT}/../nvidia/*/include)
list(FILTER _cuda_includes INCLUDE REGEX "/include$")
set(_toolkits $ENV{CUDA_HOME} $ENV{CUDA_PATH} /usr/local/cuda)

find_path(HYPERPP_CUDA_INCLUDE cuda_runtime_api.h PATHS ${_toolkits} ${_cuda_includes}
          PATH_SUFFIXES include NO_DEFAULT_PATH REQUIRED)
find_path(HYPERPP_NCCL_INCLUDE nccl.h PATHS ${_cuda_includes} ${_toolkits} PATH_SUFFIXES include
          REQUIRED)

# The wheel's own runtime first: a second copy of libcudart in the process is asking for trouble.
file(GLOB _cudarts ${HYPERPP_TORCH_ROOT}/../nvidia/cu*/lib/libcudart.so.*
     ${HYPERPP_TORCH_ROOT}/../nvidia/cuda_runtime/lib/libcudart.so.* ${HYPERPP_TORCH_LIB}/libcudart*.so*)
if(_cudarts)
  list(GET _cudarts 0 HYPERPP_CUDART)
else()
  find_library(HYPERPP_CUDART cudart PATHS ${_toolkits} PATH_SUFFIXES lib64 lib
               NO_DEFAULT_PATH REQUIRED)
endif()
message(STATUS "CUDA headers ${HYPERPP_CUDA_INCLUDE}, runtime ${HYPERPP_CUDART}, "
               "NCCL headers ${HYPERPP_NCCL_INCLUDE}")

target_compile_definitions(hyperpp_torch INTERFACE HYPERPP_CUDA USE_C10D_NCCL)
target_include_directories(hyperpp_torch SYSTEM INTERFACE
    ${HYPERPP_CUDA_INCLUDE} ${HYPERPP_NCCL_INCLUDE} ${_cuda_includes})
target_link_libraries(hyperpp_torch INTERFACE
    ${HYPERPP_TORCH_LIB}/libtorch_cuda.so ${HYPERPP_TORCH_LIB}/libc10_cuda.so ${HYPERPP_CUDART})
get_filename_component(_cudart_dir ${HYPERPP_CUDART} DIRECTORY)
target_link_options(hyperpp_torch INTERFACE -Wl,-rpath,${_cudart_dir})
