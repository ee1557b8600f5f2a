// A Stream over a TCP socket, on a Loop.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "net/address.h"
#include "net/loop.h"
#include "net/stream.h"

namespace partita::net {

class TcpStream;

// Replies of one loop that wait until others that were ready with them are made, a few at a time: a client that reads
// them on another core is then woken once for all of them, and being woken costs the writer more than writing.
class Outbox {
 public:
  explicit Outbox(Loop& loop) : loop_(loop), call_(loop, [this] { send(); }) {}
  // Whether there is anything to wait for.
  bool takes() const { return loop_.is_telling() && !sending_; }
  // A stream with something to write, until it is written or removed.
  void add(TcpStream& stream);
  void remove(TcpStream& stream);

 private:
  void send();

  static constexpr size_t kTogether = 8;
  Loop& loop_;
  std::array<TcpStream*, kTogether> waiting_{};
  size_t count_ = 0;
  bool sending_ = false;
  Loop::Call call_;
};

// Streams of one loop that are to go on when their turn comes: one for each round of the loop, so that whatever became
// ready goes before the next.
class Turns {
 public:
  explicit Turns(Loop& loop) : outbox_(loop), call_(loop, [this] { take_one(); }) {}
  // A stream that does not wait yet.
  void add(TcpStream& stream);
  Outbox& outbox() { return outbox_; }

 private:
  void take_one();

  Outbox outbox_;
  TcpStream* first_ = nullptr;
  TcpStream* last_ = nullptr;
  Loop::Call call_;
};

class TcpStream final : public Stream, private Loop::Watch {
 public:
  // Owns the socket, which does not block. It is of no use until open().
  TcpStream(int socket, Loop& loop, Turns& turns) : socket_(socket), loop_(loop), turns_(turns) {}
  ~TcpStream() override;
  TcpStream(const TcpStream&) = delete;
  TcpStream& operator=(const TcpStream&) = delete;

  // False: the system has no room for it, or the client has gone.
  [[nodiscard]] bool open();
  std::string peer() const override { return peer_.host(); }

  void start_read(std::span<char> into, bool bulky, Waiter& waiter) override;
  bool start_write(std::string_view first, std::string_view second, Waiter& waiter) override;
  void shutdown(std::string_view last) override;
  bool encrypted() const override { return false; }
  bool gone() const override;
  void close() override;

 private:
  friend class Outbox;
  friend class Turns;

  void ready(bool readable, bool writable, bool ended) override;
  void read();
  enum class Sent : uint8_t { kAll, kFull, kBroken };
  ssize_t send_both() const;
  Sent write_rest();
  void write_waiting();
  void take_turn();
  void await_turn();
  void finish(Waiter*& waiter, size_t bytes);

  int socket_;
  Address peer_;
  Loop& loop_;
  Turns& turns_;
  TcpStream* behind_ = nullptr;  // in the queue of turns_
  bool in_turn_ = false;         // it stands there
  bool in_outbox_ = false;
  bool readable_ = false;  // there may be something to read
  bool ended_ = false;     // there will be no edge any more
  bool bulky_ = false;     // each read waits for its turn
  Waiter* reader_ = nullptr;
  Waiter* writer_ = nullptr;
  std::span<char> into_;
  std::array<std::string_view, 2> unwritten_;
  size_t written_ = 0;
};

}  // namespace partita::net
