// What a protocol makes of an accepted stream, and what the server that accepted it asks of it.
//
//   class LineConnection final : public net::Connection {
//    public:
//     using net::Connection::Connection;
//     Task<> serve() override;  // answers the lines of stream(), until it ends or the worker is stopping
//   };
//   class LineFactory final : public net::ConnectionFactory {
//     std::unique_ptr<net::Connection> make(std::unique_ptr<net::Stream> stream) override {
//       return std::make_unique<LineConnection>(std::move(stream));
//     }
//   };
//   net::Protocol lines{.make_factory = [](const net::WorkerState&) { return std::make_unique<LineFactory>(); },
//                       .scheme = "lines"};  // for net::Server::listen()
//
// http/two_protocols_test.cc has the whole of it. A connection belongs to one worker thread of net::Server: it is made,
// called and destroyed there only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/task.h"
#include "net/stream.h"

namespace partita::net {

// What the worker thread tells its connections. For that thread alone.
struct WorkerState {
  int64_t now_ns = 0;     // monotonic, at most a quarter of a second old
  bool stopping = false;  // the server stops: a connection begins no further request
};

class Connection {
 public:
  explicit Connection(std::unique_ptr<Stream> stream) : stream_(std::move(stream)) {}
  virtual ~Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Called once. The connection is destroyed when this has ended, never before. It must end soon after the stream is
  // closed, by either side. Throws std::bad_alloc if there is no memory; nothing else.
  virtual Task<> serve() = 0;
  // Called about four times a second: closes the connection if it has used up its time.
  virtual void sweep() {}
  // The server stops: closes the connection unless it is answering a request, which is then its last.
  virtual void stop() { abandon(); }
  // When an idle connection will time out, on the monotonic clock; nothing while it is not idle. If the server has too
  // many connections, it closes the idle ones whose time runs out first.
  virtual std::optional<int64_t> idle_until_ns() const { return std::nullopt; }

  // Closes the connection now. What serve() waits for ends with 0 bytes, later.
  void abandon() { stream_->close(); }

 protected:
  Stream& stream() const { return *stream_; }

 private:
  std::unique_ptr<Stream> stream_;
};

// Makes the connections of one listener on one worker thread, and holds what they have in common there. For that thread
// alone; outlives its connections.
class ConnectionFactory {
 public:
  virtual ~ConnectionFactory() = default;
  // Throws std::bad_alloc if there is no memory; nothing else.
  virtual std::unique_ptr<Connection> make(std::unique_ptr<Stream> stream) = 0;
};

}  // namespace partita::net
