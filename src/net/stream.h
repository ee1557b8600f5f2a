// A connection's two directions of bytes, as the code above it sees them: plain TCP, or TLS over it.
#pragma once

#include <coroutine>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace partita::net {

// Whoever waits for an operation. The stream stores the outcome and resumes.
struct Waiter {
  std::coroutine_handle<> handle;
  size_t bytes = 0;  // 0: the end of the stream, or an error
};

// For one thread. At most one read and one write at a time.
class Stream {
 public:
  virtual ~Stream() = default;
  // Reads at least one byte into `into`, later; what is `bulky` is read a piece at a time, behind all else that the
  // thread has to do.
  virtual void start_read(std::span<char> into, bool bulky, Waiter& waiter) = 0;
  // Writes both pieces whole. True: done at once, waiter.bytes is set and nobody is resumed.
  virtual bool start_write(std::string_view first, std::string_view second, Waiter& waiter) = 0;
  // No more will be written but `last`, of which is sent what can be sent at once. Not while a write is under way.
  virtual void shutdown(std::string_view last = {}) = 0;
  // Whether nobody on the way can read or change the bytes.
  virtual bool encrypted() const = 0;
  // The network address of the other side, as digits, as it was when the connection began; empty where it has none.
  virtual std::string peer() const = 0;
  // Whether the other side is known to take no replies any more; of a Unix socket that is known at once.
  virtual bool gone() const { return false; }
  // Ends what is under way: its waiters are resumed with 0, later.
  virtual void close() = 0;
};

class ReadBytes {
 public:
  ReadBytes(Stream& stream, std::span<char> into, bool bulky = false) : stream_(stream), into_(into), bulky_(bulky) {}
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) {
    waiter_.handle = handle;
    stream_.start_read(into_, bulky_, waiter_);
  }
  // How many; 0 when there will be no more.
  size_t await_resume() const noexcept { return waiter_.bytes; }

 private:
  Stream& stream_;
  std::span<char> into_;
  bool bulky_;
  Waiter waiter_;
};

class WriteBytes {
 public:
  WriteBytes(Stream& stream, std::string_view first, std::string_view second)
      : stream_(stream), first_(first), second_(second) {}
  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> handle) {
    waiter_.handle = handle;
    return !stream_.start_write(first_, second_, waiter_);
  }
  // Whether all of it was written.
  bool await_resume() const noexcept { return waiter_.bytes == first_.size() + second_.size(); }

 private:
  Stream& stream_;
  std::string_view first_;
  std::string_view second_;
  Waiter waiter_;
};

}  // namespace partita::net
