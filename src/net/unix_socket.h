// A Unix socket that listens at a path, and connections to one.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"

namespace partita::net {

// For one thread.
class UnixSocket {
 public:
  // Only the owner of the process may connect. Replaces a socket that no process listens at any more. On Linux
  // the path may be longer than the 107 bytes of a socket's address. Error: kUnavailable, with one sentence.
  static Result<std::unique_ptr<UnixSocket>> listen(const std::string& path);
  // Removes the file, unless another server has put its own there since.
  ~UnixSocket();
  UnixSocket(const UnixSocket&) = delete;
  UnixSocket& operator=(const UnixSocket&) = delete;

  // Non-blocking; listens.
  int socket() const { return socket_; }
  const std::string& path() const { return path_; }

 private:
  UnixSocket(std::string path, int socket) : path_(std::move(path)), socket_(socket) {}
  std::string path_;
  int socket_;
  unsigned long long inode_ = 0;
};

// Connects to the server that listens at that path: 0, and `socket` is a blocking one, which the caller closes; or an
// errno. If the server's queue of connections is full, waits some seconds for room; then the errno is EAGAIN. Callable
// from any thread.
int connect_unix(const std::string& path, int& socket);

}  // namespace partita::net
