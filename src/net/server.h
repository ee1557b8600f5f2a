// Worker threads that serve the connections of some listeners. It knows no protocol: each listener names the one that
// is spoken on its connections.
//
//   net::Server server({.threads = 4}, system_clock());
//   PARTITA_TRY_VOID(server.listen(std::move(sockets), http.protocol()));
//   PARTITA_TRY_VOID(server.listen(std::move(more_sockets), line_protocol));
//   PARTITA_TRY_VOID(server.start());
//   server.run();  // until another thread calls server.stop()
//
// An accepted connection goes to the worker with the fewest, and stays there: its coroutines are resumed on that thread
// through the Executor that is current.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/exposition.h"
#include "base/result.h"
#include "net/address.h"
#include "net/bound_sockets.h"
#include "net/protocol.h"

namespace partita::net {

struct ServerOptions {
  unsigned threads = 1;             // workers, at least 1
  size_t max_connections = 10'000;  // for one more the oldest idle one is closed; if there is none: full_reply
  int64_t stop_timeout_ms = 5'000;  // for what is being answered when the server stops
};

class Server {
 public:
  // The clock outlives it.
  Server(const ServerOptions& options, const Clock& clock);
  // If connections never ended (see run()), what they use, and what their factories hold, is never destroyed.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Sets the limit of open files to the most that this process may have. listen() does it too; call it earlier for what
  // opens files before.
  static void raise_file_limit();

  // Listens on each of the sockets; connections wait until run(). Before start(). Error: kUnavailable, with one
  // sentence for the operator.
  Result<void> listen(BoundSockets sockets, const Protocol& protocol);
  // The same with a socket that listens already and does not block, which stays the caller's: a Unix socket.
  Result<void> listen(int socket, const Protocol& protocol);

  // The network addresses that it listens on, with their ports, in the order of the calls of listen().
  std::vector<Address> addresses() const;
  // The same with the schemes of their protocols: "http://127.0.0.1:8000".
  std::vector<std::string> urls() const;
  // Whether one of them can be reached from other machines.
  bool beyond_loopback() const;
  // At most what the options say: file descriptors are reserved for the store. Known after start().
  size_t connection_limit() const;
  // Its connections, for an operator. Callable from any thread.
  void report(Exposition& out) const;

  // Starts the `threads - 1` other workers. Once, before run(). Error: kUnavailable, with one sentence: the system
  // makes no more threads, or too few file descriptors are left for a store and its connections.
  Result<void> start();
  // Serves on this thread and the others; returns after stop(), when every connection has ended. Once only.
  // False: some connections did not end in time. What they use must then live until the process ends.
  [[nodiscard]] bool run();

  // Accepts no more, closes connections that are not being answered, gives the others `stop_timeout_ms`, then closes
  // them too. Callable from any thread, before or during run(), more than once. Does not wait.
  void stop();
  // The same without that time: every connection is closed now.
  void stop_now();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace partita::net
