#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "net/event_queue.h"

namespace partita::net {

EventQueue::EventQueue() : queue_(epoll_create1(EPOLL_CLOEXEC)) {
  if (queue_ >= 0) wakeup_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  epoll_event event{};
  event.events = EPOLLIN | EPOLLET;
  event.data.ptr = nullptr;
  if (wakeup_ < 0 || epoll_ctl(queue_, EPOLL_CTL_ADD, wakeup_, &event) != 0) error_ = errno;
}

EventQueue::~EventQueue() {
  if (wakeup_ >= 0) ::close(wakeup_);
  if (queue_ >= 0) ::close(queue_);
}

bool EventQueue::add(int fd, void* owner) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  event.data.ptr = owner;
  return epoll_ctl(queue_, EPOLL_CTL_ADD, fd, &event) == 0;
}

void EventQueue::remove(int fd, const void* owner) {
  epoll_event ignored{};
  epoll_ctl(queue_, EPOLL_CTL_DEL, fd, &ignored);
  for (epoll_event& event : undelivered_) {
    if (event.data.ptr == owner) event.data.ptr = nullptr;
  }
}

void EventQueue::wake() {
  const uint64_t one = 1;
  static_cast<void>(!::write(wakeup_, &one, sizeof one));
}

}  // namespace partita::net
