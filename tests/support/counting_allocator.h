// Counts the bytes of CPU tensors, for tests of what a rank allocates.
//
//     auto& memory = CountingAllocator::Install();
//     ...                                      // make and drop tensors
//     EXPECT_EQ(memory.live_bytes(), before);
//
// Resident memory would not do: it is rounded to pages, and freed memory stays with the process.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

namespace hyperpp::test {

class CountingAllocator final : public c10::Allocator {
 public:
  /// Puts an allocator in front of libtorch's, for the rest of the process. REQUIRES: called once.
  static CountingAllocator& Install() {
    auto* allocator = new CountingAllocator(c10::GetCPUAllocator());  // tensors may outlive main()
    c10::SetCPUAllocator(allocator, /*priority=*/100);
    return *allocator;
  }

  int64_t live_bytes() const { return live_; }
  /// Largest live_bytes() since the last ResetPeak.
  int64_t peak_bytes() const { return peak_; }
  void ResetPeak() { peak_ = live_.load(); }
  /// All bytes that were asked for, freed or not.
  int64_t allocated_bytes() const { return allocated_; }

  c10::DataPtr allocate(std::size_t num_bytes) override {
    auto block = std::make_unique<Block>(Block{base_->allocate(num_bytes), this, num_bytes});
    Count(static_cast<int64_t>(num_bytes));
    void* data = block->memory.get();
    const c10::Device device = block->memory.device();
    return {data, block.release(), &Free, device};
  }
  void copy_data(void* to, const void* from, std::size_t num_bytes) const override {
    base_->copy_data(to, from, num_bytes);
  }

 private:
  struct Block {
    c10::DataPtr memory;
    CountingAllocator* allocator;
    std::size_t num_bytes;
  };

  explicit CountingAllocator(c10::Allocator* base) : base_(base) {}

  void Count(int64_t num_bytes) {
    allocated_ += num_bytes;
    const int64_t live = live_ += num_bytes;
    int64_t peak = peak_;
    while (live > peak && !peak_.compare_exchange_weak(peak, live)) {
    }
  }
  static void Free(void* context) {
    const std::unique_ptr<Block> block(static_cast<Block*>(context));
    block->allocator->live_ -= static_cast<int64_t>(block->num_bytes);
  }

  c10::Allocator* base_;
  std::atomic<int64_t> live_{0}, peak_{0}, allocated_{0};
};

}  // namespace hyperpp::test
