// A Unix socket beside a server's port, for those who administer it: who may open the file may do everything, and signs
// nothing. Only the owner of the process may.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"

namespace partita::http {

class AdminSocket {
 public:
  // Listens at that path, in the place of a socket that nobody listens at any more. The path may be as long as paths
  // may be. Error: kUnavailable, with one sentence.
  static Result<std::unique_ptr<AdminSocket>> listen(const std::string& path);
  // Removes the file, unless another server has put its own there since.
  ~AdminSocket();
  AdminSocket(const AdminSocket&) = delete;
  AdminSocket& operator=(const AdminSocket&) = delete;

  // Does not block.
  int socket() const { return socket_; }
  const std::string& path() const { return path_; }

 private:
  AdminSocket(std::string path, int socket) : path_(std::move(path)), socket_(socket) {}
  std::string path_;
  int socket_;
  unsigned long long inode_ = 0;
};

// A connection to the server that listens at that path, which blocks; the caller closes it. Where more wait for the
// server already than the system lets, it is waited for, some seconds. Error: kUnavailable, with one sentence: nobody
// listens there, or he may not, or does not answer.
Result<int> connect_to_admin(const std::string& path);

}  // namespace partita::http
