# Adds the CUDA part of libtorch to hyperpp_torch: definitions HYPERPP_CUDA and USE_C10D_NCCL, the
# headers of CUDA and NCCL, and libtorch_cuda, libc10_cuda and libcudart.
#
# A torch wheel brings libraries and headers of the toolkit in site-packages/nvidia/. Its headers lack
# a part (crt/), which a toolkit beside it has, and so has the package nvidia-cuda-crt. Only compiling
# .cu files needs nvcc; CUDA is used through ATen alone, so none is needed.
if(NOT EXISTS ${HYPERPP_TORCH_LIB}/libtorch_cuda.so)
  message(FATAL_ERROR "HYPERPP_CUDA is on, but ${HYPERPP_TORCH_LIB} holds no libtorch_cuda.so: "
                      "this libtorch is a CPU build; name a CUDA one with -DTorch_DIR")
endif()

file(GLOB _cuda_includes LIST_DIRECTORIES true
     ${HYPERPP_TORCH_ROOT}/../nvidia/cu*/include ${HYPERPP_TORCH_ROOT}/../nvidia/*/include)
list(FILTER _cuda_includes INCLUDE REGEX "/include$")
list(REMOVE_DUPLICATES _cuda_includes)
set(_toolkits $ENV{CUDA_HOME} $ENV{CUDA_PATH} /usr/local/cuda)

# The wheel's own runtime first: a second copy of libcudart in the process is asking for trouble.
file(GLOB _cudarts ${HYPERPP_TORCH_ROOT}/../nvidia/cu*/lib/libcudart.so.*
     ${HYPERPP_TORCH_ROOT}/../nvidia/cuda_runtime/lib/libcudart.so.* ${HYPERPP_TORCH_LIB}/libcudart*.so*)
if(_cudarts)
  list(GET _cudarts 0 HYPERPP_CUDART)
else()
  find_library(HYPERPP_CUDART cudart PATHS ${_toolkits} PATH_SUFFIXES lib64 lib
               NO_DEFAULT_PATH REQUIRED)
endif()

# Structs of the runtime differ between major versions, so a toolkit of another one gives no headers.
string(REGEX MATCH "libcudart\\.so\\.([0-9]+)" _ ${HYPERPP_CUDART})
set(_cuda_major "${CMAKE_MATCH_1}")
if(NOT HYPERPP_CUDA_INCLUDE)
  list(TRANSFORM _toolkits APPEND /include OUTPUT_VARIABLE _candidates)
  foreach(_candidate IN LISTS _candidates _cuda_includes)
    if(EXISTS ${_candidate}/cuda_runtime_api.h)
      file(STRINGS ${_candidate}/cuda_runtime_api.h _version REGEX "define CUDART_VERSION +[0-9]+" LIMIT_COUNT 1)
      string(REGEX MATCH "([0-9]+)[0-9][0-9][0-9]$" _ "${_version}")
      if(NOT _cuda_major OR CMAKE_MATCH_1 STREQUAL _cuda_major)
        set(HYPERPP_CUDA_INCLUDE ${_candidate} CACHE PATH "Folder of cuda_runtime_api.h")
        break()
      endif()
    endif()
  endforeach()
endif()
find_path(HYPERPP_CUDA_CRT_INCLUDE crt/host_defines.h PATHS ${HYPERPP_CUDA_INCLUDE} ${_cuda_includes}
          NO_DEFAULT_PATH)
if(NOT HYPERPP_CUDA_INCLUDE OR NOT HYPERPP_CUDA_CRT_INCLUDE)
  message(FATAL_ERROR "headers of CUDA ${_cuda_major} not found, or without their part crt/: install that "
                      "CUDA toolkit, or with pip nvidia-cuda-crt ${_cuda_major} beside torch")
endif()
find_path(HYPERPP_NCCL_INCLUDE nccl.h PATHS ${_cuda_includes} ${_toolkits} PATH_SUFFIXES include
          REQUIRED)
message(STATUS "CUDA headers ${HYPERPP_CUDA_INCLUDE}, runtime ${HYPERPP_CUDART}, "
               "NCCL headers ${HYPERPP_NCCL_INCLUDE}")

target_compile_definitions(hyperpp_torch INTERFACE HYPERPP_CUDA USE_C10D_NCCL)
target_include_directories(hyperpp_torch SYSTEM INTERFACE
    ${HYPERPP_CUDA_INCLUDE} ${HYPERPP_CUDA_CRT_INCLUDE} ${HYPERPP_NCCL_INCLUDE} ${_cuda_includes})
target_link_libraries(hyperpp_torch INTERFACE
    ${HYPERPP_TORCH_LIB}/libtorch_cuda.so ${HYPERPP_TORCH_LIB}/libc10_cuda.so ${HYPERPP_CUDART})
get_filename_component(_cudart_dir ${HYPERPP_CUDART} DIRECTORY)
target_link_options(hyperpp_torch INTERFACE -Wl,-rpath,${_cudart_dir})
