#include "little_memory.h"

#include <cstdlib>
#include <new>

namespace partita::contract {

thread_local int64_t allocations_left = -1;
std::atomic<size_t> largest_allocation{SIZE_MAX};

}  // namespace partita::contract

void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  using partita::contract::allocations_left;
  if (bytes > partita::contract::largest_allocation.load(std::memory_order_relaxed)) return nullptr;
  if (allocations_left >= 0 && allocations_left-- == 0) return nullptr;
  return std::malloc(bytes == 0 ? 1 : bytes);
}
void* operator new(size_t bytes) {
  if (void* const memory = operator new(bytes, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
