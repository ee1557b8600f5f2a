// A Stream over a socket, TCP or Unix, on a Loop.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "net/address.h"
#include "net/loop.h"
#include "net/stream.h"

namespace partita::net {

class SocketStream;

// Delays the writes of one loop while more events of the same poll are to be delivered, and then sends up to eight
// together (docs/decisions/018): a client that reads them on another core is woken once, and waking it costs the writer
// more than writing. For the loop's thread.
class WriteBatcher {
 public:
  explicit WriteBatcher(Loop& loop) : loop_(loop), async_(loop, [this] { send(); }) {}
  // Whether a write should be added now, instead of being sent at once.
  bool batches() const { return loop_.has_more_events() && !sending_; }
  // A stream with unwritten bytes; it stays until they are sent or it is removed.
  void add(SocketStream& stream);
  void remove(SocketStream& stream);

 private:
  void send();

  static constexpr size_t kTogether = 8;
  Loop& loop_;
  std::array<SocketStream*, kTogether> waiting_{};
  size_t count_ = 0;
  bool sending_ = false;
  Loop::Async async_;
};

// Streams of one loop with bytes to read that are resumed one per iteration of the loop, so that whatever else became
// ready goes before the next of them. For the loop's thread.
class ReadScheduler {
 public:
  explicit ReadScheduler(Loop& loop) : async_(loop, [this] { resume_one(); }) {}
  // Precondition: it is not in the queue.
  void add(SocketStream& stream);

 private:
  void resume_one();

  SocketStream* first_ = nullptr;
  SocketStream* last_ = nullptr;
  Loop::Async async_;
};

// What the streams of one loop share.
struct StreamQueues {
  explicit StreamQueues(Loop& loop) : writes(loop), reads(loop) {}
  WriteBatcher writes;
  ReadScheduler reads;
};

// For the loop's thread.
class SocketStream final : public Stream, private Loop::Watcher {
 public:
  // Owns the socket, which is non-blocking and connected. open() must succeed before any other call but close().
  SocketStream(int socket, Loop& loop, StreamQueues& queues) : socket_(socket), loop_(loop), queues_(queues) {}
  ~SocketStream() override;
  SocketStream(const SocketStream&) = delete;
  SocketStream& operator=(const SocketStream&) = delete;

  // False: the system refuses to watch it, or the peer has gone.
  [[nodiscard]] bool open();
  std::string peer() const override { return peer_.host(); }
  std::optional<Address> local() const override;

  void start_read(std::span<char> into, bool bulky, PendingIo& io) override;
  bool start_write(std::string_view first, std::string_view second, PendingIo& io) override;
  void shutdown(std::string_view last) override;
  bool encrypted() const override { return false; }
  bool closed_by_peer() const override;
  void close() override;

 private:
  friend class WriteBatcher;
  friend class ReadScheduler;

  void ready(bool readable, bool writable, bool ended) override;
  void read();
  enum class Sent : uint8_t { kAll, kFull, kBroken };
  ssize_t send_both() const;
  Sent write_rest();
  void write_waiting();
  void resume_read();
  void schedule();
  void finish(PendingIo*& io, size_t bytes);

  int socket_;
  Address peer_;
  Loop& loop_;
  StreamQueues& queues_;
  SocketStream* next_ = nullptr;  // in queues_.reads
  bool scheduled_ = false;        // it is there
  bool batched_ = false;          // it is in queues_.writes
  bool readable_ = false;         // there may be something to read
  bool ended_ = false;            // there will be no further edge
  bool bulky_ = false;            // each read is scheduled
  PendingIo* reader_ = nullptr;
  PendingIo* writer_ = nullptr;
  std::span<char> into_;
  std::array<std::string_view, 2> unwritten_;
  size_t written_ = 0;
};

}  // namespace partita::net
