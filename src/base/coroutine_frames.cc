#include "base/coroutine_frames.h"

#include <array>
#include <cstdint>
#include <new>

#include "base/per_thread.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PARTITA_PLAIN_FRAMES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PARTITA_PLAIN_FRAMES 1
#endif
#endif

namespace partita {

#if defined(PARTITA_PLAIN_FRAMES)

// So that a sanitizer sees a frame that is used after its end.
void* allocate_frame(size_t bytes) { return ::operator new(bytes); }
void free_frame(void* frame, size_t bytes) noexcept { ::operator delete(frame, bytes); }

#else

namespace {

constexpr size_t kStep = 128;
constexpr size_t kClasses = 32;  // larger frames are not kept
constexpr uint32_t kMostKept = 64;

struct FreeFrame {
  FreeFrame* next;
};

struct FrameList {
  FreeFrame* first = nullptr;
  uint32_t count = 0;
};

struct FrameLists {
  std::array<FrameList, kClasses> of_class;
  ~FrameLists() {
    for (size_t i = 0; i < kClasses; ++i) {
      while (FreeFrame* const one = of_class[i].first) {
        of_class[i].first = one->next;
        ::operator delete(one, (i + 1) * kStep);
      }
    }
  }
};

size_t class_of(size_t bytes) { return (bytes - 1) / kStep; }

// A frame of memory that was not a frame yet; the first of a thread makes its lists.
[[gnu::noinline]] void* new_frame(size_t bytes) {
  PerThread<FrameLists>::get();
  const size_t index = class_of(bytes);
  return ::operator new(index < kClasses ? (index + 1) * kStep : bytes);
}

}  // namespace

void* allocate_frame(size_t bytes) {
  const size_t index = class_of(bytes);
  FrameLists* const lists = PerThread<FrameLists>::find();
  if (index >= kClasses || lists == nullptr) [[unlikely]]
    return new_frame(bytes);
  FrameList& kept = lists->of_class[index];
  FreeFrame* const first = kept.first;
  if (first == nullptr) [[unlikely]]
    return new_frame(bytes);
  kept.first = first->next;
  --kept.count;
  return first;
}

void free_frame(void* frame, size_t bytes) noexcept {
  const size_t index = class_of(bytes);
  FrameLists* const lists = PerThread<FrameLists>::find();
  if (index >= kClasses || lists == nullptr) return ::operator delete(frame);
  FrameList& kept = lists->of_class[index];
  if (kept.count == kMostKept) return ::operator delete(frame);
  kept.first = new (frame) FreeFrame{kept.first};
  ++kept.count;
}

#endif

}  // namespace partita
