#include "hyperpp/kernels/scratch.h"

#include <cstdlib>
#include <new>
#include <sys/mman.h>

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

namespace hyperpp::kernels {

at::Tensor EmptyScratch(at::IntArrayRef sizes, const at::TensorOptions& options) {
  constexpr size_t kHugePage = size_t{2} << 20;
  size_t bytes = options.dtype().itemsize();
  for (int64_t size : sizes) bytes *= static_cast<size_t>(size);
  if (!options.device().is_cpu() || bytes < 2 * kHugePage) return at::empty(sizes, options);
  bytes = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  void* memory = std::aligned_alloc(kHugePage, bytes);
  if (memory == nullptr) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
  madvise(memory, bytes, MADV_HUGEPAGE);  // a refusal costs speed only
#endif
  return at::from_blob(
      memory, sizes, [](void* data) { std::free(data); }, options);
}

}  // namespace hyperpp::kernels
