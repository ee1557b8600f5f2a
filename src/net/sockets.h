// Sockets that exec() closes. Linux makes such a socket in one call; other systems need more.
#pragma once

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace partita::net {

enum class Blocking : uint8_t { kYes, kNo };

// `type`: SOCK_STREAM or SOCK_DGRAM. -1: the system refuses, errno says why.
int open_socket(int family, int type, Blocking blocking);
// Accepts a connection, whose socket does not block. -1: there is none, errno says why.
int accept_socket(int listening);

#if defined(__linux__)

inline int open_socket(int family, int type, Blocking blocking) {
  return ::socket(family, type | SOCK_CLOEXEC | (blocking == Blocking::kNo ? SOCK_NONBLOCK : 0), 0);
}

inline int accept_socket(int listening) { return ::accept4(listening, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC); }

#else

// -1: closed, errno says why.
inline int prepare_socket(int socket, Blocking blocking) {
  if (socket < 0) return socket;
  const int flags = blocking == Blocking::kNo ? O_NONBLOCK : 0;
  if (::fcntl(socket, F_SETFD, FD_CLOEXEC) == 0 && ::fcntl(socket, F_SETFL, flags) == 0) return socket;
  const int error = errno;
  ::close(socket);
  errno = error;
  return -1;
}

inline int open_socket(int family, int type, Blocking blocking) {
  return prepare_socket(::socket(family, type, 0), blocking);
}

inline int accept_socket(int listening) { return prepare_socket(::accept(listening, nullptr, nullptr), Blocking::kNo); }

#endif

}  // namespace partita::net
