// Memory for coroutine frames, which are allocated and freed many times per request. Each thread keeps freed frames and
// reuses them for frames of about the same size, without calling the allocator.
#pragma once

#include <cstddef>

namespace partita {

// Throws std::bad_alloc.
void* allocate_frame(size_t bytes);
// `bytes`: the size of the allocation. Callable from any thread.
void free_frame(void* frame, size_t bytes) noexcept;

}  // namespace partita
