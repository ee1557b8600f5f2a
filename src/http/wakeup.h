// A call that a loop can always be asked for, because it takes no memory.
#pragma once

#include <array>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <cstddef>
#include <functional>
#include <utility>

namespace partita::http {

// Has `run` called on the loop's thread. At most one call may be outstanding: ask() again only from within it, or after
// it began. Outlives the loop's run().
class Wakeup {
 public:
  Wakeup(asio::io_context& loop, std::function<void()> run) : loop_(loop), run_(std::move(run)) {}
  Wakeup(const Wakeup&) = delete;
  Wakeup& operator=(const Wakeup&) = delete;

  // Callable from any thread, as far as there is at most one.
  void ask() { asio::post(loop_, Call{this}); }

 private:
  // asio gives the memory back before it makes the call.
  template <class T>
  struct Memory {
    using value_type = T;
    explicit Memory(Wakeup* whose) : wakeup(whose) {}
    template <class U>
    Memory(const Memory<U>& other) : wakeup(other.wakeup) {}  // NOLINT(google-explicit-constructor): as allocators do
    T* allocate(size_t) {
      static_assert(sizeof(T) <= kBytes && alignof(T) <= alignof(std::max_align_t));
      return reinterpret_cast<T*>(wakeup->memory_.data());
    }
    void deallocate(T*, size_t) {}
    template <class U>
    bool operator==(const Memory<U>& other) const {
      return wakeup == other.wakeup;
    }
    Wakeup* wakeup;
  };

  struct Call {
    using allocator_type = Memory<void>;
    allocator_type get_allocator() const { return allocator_type(wakeup); }
    void operator()() const { wakeup->run_(); }
    Wakeup* wakeup;
  };

  static constexpr size_t kBytes = 128;

  asio::io_context& loop_;
  std::function<void()> run_;
  alignas(std::max_align_t) std::array<std::byte, kBytes> memory_;
};

}  // namespace partita::http
