// A connection's two directions of bytes: a socket, or TLS over one.
//
//   net::ReadBytes read(stream, buffer);
//   const size_t size = co_await read;  // 0: the end
//   net::WriteBytes write(stream, head, body);
//   const bool written = co_await write;
#pragma once

#include <coroutine>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "net/address.h"

namespace partita::net {

// An operation under way: the stream stores the outcome and resumes the coroutine.
struct PendingIo {
  std::coroutine_handle<> handle;
  size_t bytes = 0;  // 0: the end of the stream, or an error
};

// For the thread of its loop. At most one read and one write at a time.
class Stream {
 public:
  virtual ~Stream() = default;
  // Reads at least one byte into `into`, later. A `bulky` stream is read a piece at a time, after everything else that
  // is ready on the thread.
  virtual void start_read(std::span<char> into, bool bulky, PendingIo& io) = 0;
  // Writes both pieces whole. True: done at once, io.bytes is set and nothing is resumed.
  virtual bool start_write(std::string_view first, std::string_view second, PendingIo& io) = 0;
  // Ends the sending direction, after as much of `last` as can be sent at once. Not while a write is under way.
  virtual void shutdown(std::string_view last = {}) = 0;
  // Whether the bytes are encrypted and authenticated.
  virtual bool encrypted() const = 0;
  // The network address of the peer in digits, as it was when the connection began; empty for a Unix socket.
  virtual std::string peer() const = 0;
  // The network address of this end of the connection; nothing for a Unix socket, and once it is closed.
  virtual std::optional<Address> local() const { return std::nullopt; }
  // Whether the peer is known to read no further reply. Known at once for a Unix socket.
  virtual bool closed_by_peer() const { return false; }
  // Closes the connection. Operations under way are resumed with 0 bytes, later.
  virtual void close() = 0;
};

class ReadBytes {
 public:
  ReadBytes(Stream& stream, std::span<char> into, bool bulky = false) : stream_(stream), into_(into), bulky_(bulky) {}
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) {
    io_.handle = handle;
    stream_.start_read(into_, bulky_, io_);
  }
  // How many; 0 when there will be no more.
  size_t await_resume() const noexcept { return io_.bytes; }

 private:
  Stream& stream_;
  std::span<char> into_;
  bool bulky_;
  PendingIo io_;
};

class WriteBytes {
 public:
  WriteBytes(Stream& stream, std::string_view first, std::string_view second)
      : stream_(stream), first_(first), second_(second) {}
  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> handle) {
    io_.handle = handle;
    return !stream_.start_write(first_, second_, io_);
  }
  // Whether all of it was written.
  bool await_resume() const noexcept { return io_.bytes == first_.size() + second_.size(); }

 private:
  Stream& stream_;
  std::string_view first_;
  std::string_view second_;
  PendingIo io_;
};

}  // namespace partita::net
