// Memory for the frames of coroutines, which come and go many times for each request: what one gave back, the next of
// about its size takes, on the same thread and without asking the allocator.
#pragma once

#include <cstddef>

namespace partita {

// Throws std::bad_alloc.
void* allocate_frame(size_t bytes);
// With the size that it was taken with; on whatever thread.
void free_frame(void* frame, size_t bytes) noexcept;

}  // namespace partita
