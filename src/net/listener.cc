#include "net/listener.h"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

#include "base/log.h"
#include "net/sockets.h"

namespace partita::net {

namespace {

constexpr auto kAcceptPause = std::chrono::milliseconds(50);

}  // namespace

int Listener::open(int socket, const Address& address) {
  if (::listen(socket, SOMAXCONN) != 0) return errno;
  address_ = address;
  return open(socket);
}

int Listener::open(int socket) {
  socket_ = ::fcntl(socket, F_DUPFD_CLOEXEC, 0);
  return socket_ < 0 ? errno : 0;
}

void Listener::close() {
  if (socket_ < 0) return;
  loop_.unwatch(socket_, *this);
  ::close(std::exchange(socket_, -1));
  pause_.cancel();
}

void Listener::ready(bool, bool, bool) { accept_all(); }

void Listener::accept_all() {
  while (socket_ >= 0) {
    const int accepted = accept_socket(socket_);
    if (accepted >= 0) {
      const int yes = 1;
      ::setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
      take_(accepted);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return;
    } else if (errno != EINTR && errno != ECONNABORTED) {
      return recover(errno);
    }
  }
}

// For example, there are no file descriptors left.
void Listener::recover(int error) {
  static LogThrottle throttle;
  uint64_t unsaid = 0;
  if (throttle.pass(unsaid)) {
    log(LogLevel::kWarn, {"A connection could not be accepted: ", std::system_category().message(error), "."});
  }
  make_room_();
  pause_.start(kAcceptPause);
}

}  // namespace partita::net
