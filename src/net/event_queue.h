// The system's queue of events, for one loop (loop.h): epoll on Linux, kqueue on macOS. The build compiles the file of
// one of them. Nothing else in src names either.
//
// Threads: wake() may be called from any thread; everything else from the loop's.
#pragma once

#if defined(__linux__)
#include <sys/epoll.h>
#else
#include <sys/event.h>
#endif

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/check.h"

namespace partita::net {

// What changed at a descriptor: it became readable or writable, or its peer ended.
struct Edge {
  void* owner = nullptr;
  bool readable = false;
  bool writable = false;
  // The peer sends no more, or the connection is broken; no further edge will tell. A broken one is also readable and
  // writable.
  bool ended = false;
};

#if defined(__linux__)
using QueueEvent = epoll_event;

inline Edge edge_of(const QueueEvent& event) {
  const bool broken = (event.events & (EPOLLERR | EPOLLHUP)) != 0;
  const bool ended = broken || (event.events & EPOLLRDHUP) != 0;
  return {.owner = event.data.ptr,
          .readable = ended || (event.events & EPOLLIN) != 0,
          .writable = broken || (event.events & EPOLLOUT) != 0,
          .ended = ended};
}

// Waits at most `ms`, or without limit if that is negative. How many events there are; 0 also after a signal.
inline size_t take_events(int queue, std::span<QueueEvent> into, int ms) {
  const int count = epoll_wait(queue, into.data(), static_cast<int>(into.size()), ms);
  PARTITA_CHECK(count >= 0 || errno == EINTR);
  return static_cast<size_t>(std::max(count, 0));
}
#else
using QueueEvent = struct kevent;

// Bits of `fflags`, in which take_events() joins what there is of one owner.
inline constexpr uint32_t kReadableEvent = 1;
inline constexpr uint32_t kWritableEvent = 2;
inline constexpr uint32_t kEndedEvent = 4;

inline Edge edge_of(const QueueEvent& event) {
  return {.owner = event.udata,
          .readable = (event.fflags & kReadableEvent) != 0,
          .writable = (event.fflags & kWritableEvent) != 0,
          .ended = (event.fflags & kEndedEvent) != 0};
}

size_t take_events(int queue, std::span<QueueEvent> into, int ms);
#endif

class EventQueue {
 public:
  EventQueue();
  ~EventQueue();
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;

  // 0, or the errno with which the system refused it descriptors: then only its destructor may be called.
  int error() const { return error_; }

  // `owner` identifies the descriptor in edges; not null. If the descriptor is ready already, its first edge follows at
  // once. False: the system refuses, errno says why.
  [[nodiscard]] bool add(int fd, void* owner);
  // Call it before the descriptor is closed. Edges that next() did not return yet are dropped.
  void remove(int fd, const void* owner);

  // Waits for edges, at most `ms` if that is not negative. All edges of the previous wait must have been taken.
  void wait(int ms) { undelivered_ = std::span(events_).first(take_events(queue_, events_, ms)); }
  // The next edge of the last wait, which has at most one of each owner.
  std::optional<Edge> next() {
    while (!undelivered_.empty()) {
      const QueueEvent event = undelivered_.front();
      undelivered_ = undelivered_.subspan(1);
      if (const Edge edge = edge_of(event); edge.owner != nullptr) return edge;  // null: removed, or a wake-up
    }
    return std::nullopt;
  }
  // Whether there may be another edge.
  bool has_more() const { return !undelivered_.empty(); }

  // Ends one wait(), the current or the next one.
  void wake();

 private:
  static constexpr size_t kAtOnce = 128;

  int error_ = 0;
  int queue_;
#if defined(__linux__)
  int wakeup_ = -1;  // an eventfd: each write is an edge
#endif
  std::array<QueueEvent, kAtOnce> events_;
  std::span<QueueEvent> undelivered_;  // those of the last wait
};

}  // namespace partita::net
