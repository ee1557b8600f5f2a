// Edges by EV_CLEAR: a descriptor is registered once for reading and once for writing. The two are events of their own,
// which are joined, so that an owner has one edge at a time.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <ctime>

#include "base/clock.h"
#include "net/event_queue.h"

namespace partita::net {

namespace {

constexpr uintptr_t kWakeup = 0;  // the identity of the event of wake()

// EV_EOF for reading: the peer sends no more; with an error, the connection is broken. EV_EOF for writing also follows
// from a shutdown() of this side, so it says nothing about the peer.
uint32_t edges_of(const struct kevent& event) {
  if (event.filter == EVFILT_WRITE) return kWritableEvent;
  if ((event.flags & EV_EOF) == 0) return kReadableEvent;
  return kReadableEvent | kEndedEvent | (event.fflags != 0 ? kWritableEvent : 0);
}

}  // namespace

EventQueue::EventQueue() : queue_(::kqueue()) {
  struct kevent event;
  EV_SET(&event, kWakeup, EVFILT_USER, EV_ADD | EV_CLEAR, 0, 0, nullptr);
  if (queue_ < 0 || ::fcntl(queue_, F_SETFD, FD_CLOEXEC) != 0 ||
      ::kevent(queue_, &event, 1, nullptr, 0, nullptr) != 0) {
    error_ = errno;
  }
}

EventQueue::~EventQueue() {
  if (queue_ >= 0) ::close(queue_);
}

bool EventQueue::add(int fd, void* owner) {
  std::array<struct kevent, 2> both;
  EV_SET(&both[0], fd, EVFILT_READ, EV_ADD | EV_CLEAR | EV_RECEIPT, 0, 0, owner);
  EV_SET(&both[1], fd, EVFILT_WRITE, EV_ADD | EV_CLEAR | EV_RECEIPT, 0, 0, owner);
  int error = ::kevent(queue_, both.data(), both.size(), both.data(), both.size(), nullptr) < 0 ? errno : 0;
  for (const struct kevent& receipt : both) {
    if (error == 0 && (receipt.flags & EV_ERROR) != 0) error = static_cast<int>(receipt.data);
  }
  if (error == 0) return true;
  remove(fd, owner);
  errno = error;
  return false;
}

void EventQueue::remove(int fd, const void* owner) {
  std::array<struct kevent, 2> both;
  EV_SET(&both[0], fd, EVFILT_READ, EV_DELETE | EV_RECEIPT, 0, 0, nullptr);
  EV_SET(&both[1], fd, EVFILT_WRITE, EV_DELETE | EV_RECEIPT, 0, 0, nullptr);
  ::kevent(queue_, both.data(), both.size(), both.data(), both.size(), nullptr);
  for (struct kevent& event : undelivered_) {
    if (event.udata == owner) event.udata = nullptr;
  }
}

size_t take_events(int queue, std::span<QueueEvent> into, int ms) {
  constexpr int kMsPerS = 1'000;
  const timespec longest{.tv_sec = ms / kMsPerS, .tv_nsec = ms % kMsPerS * kNsPerMs};
  const int count =
      ::kevent(queue, nullptr, 0, into.data(), static_cast<int>(into.size()), ms < 0 ? nullptr : &longest);
  PARTITA_CHECK(count >= 0 || errno == EINTR);
  size_t joined = 0;
  for (const QueueEvent& event : into.first(static_cast<size_t>(std::max(count, 0)))) {
    if (event.filter == EVFILT_USER) continue;
    const uint32_t edges = edges_of(event);
    const auto known = into.first(joined);
    if (const auto same = std::ranges::find(known, event.udata, &QueueEvent::udata); same != known.end()) {
      same->fflags |= edges;
      continue;
    }
    into[joined] = event;
    into[joined++].fflags = edges;
  }
  return joined;
}

void EventQueue::wake() {
  struct kevent event;
  EV_SET(&event, kWakeup, EVFILT_USER, 0, NOTE_TRIGGER, 0, nullptr);
  ::kevent(queue_, &event, 1, nullptr, 0, nullptr);
}

}  // namespace partita::net
