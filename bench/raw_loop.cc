// The least that any HTTP server on epoll can do: whatever arrives is one request, and the answer is always the same
// N bytes. What Partita uses more than this is what it does for a living.
//
//   raw_loop BODY_BYTES         prints the port that it listens on (loopback only)
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

int listen_on_loopback() {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(fd, 128) != 0) std::exit(1);
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  std::printf("%d\n", ntohs(address.sin_port));
  std::fflush(stdout);
  return fd;
}

void watch(int epoll, int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

void accept_one(int epoll, int listener) {
  const int fd = accept(listener, nullptr, nullptr);
  if (fd < 0) return;
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  watch(epoll, fd);
}

void answer(int fd, const std::string& reply) {
  char request[65536];
  if (recv(fd, request, sizeof(request), 0) <= 0) {
    close(fd);
    return;
  }
  size_t sent = 0;
  while (sent < reply.size()) {
    const ssize_t wrote = send(fd, reply.data() + sent, reply.size() - sent, MSG_NOSIGNAL);
    if (wrote <= 0) return;
    sent += static_cast<size_t>(wrote);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const size_t body_bytes = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 300;
  const std::string reply =
      "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body_bytes) + "\r\n\r\n" + std::string(body_bytes, 'x');
  const int epoll = epoll_create1(0);
  const int listener = listen_on_loopback();
  watch(epoll, listener);
  for (;;) {
    epoll_event events[64];
    const int count = epoll_wait(epoll, events, 64, -1);
    for (int i = 0; i < count; ++i) {
      if (events[i].data.fd == listener) {
        accept_one(epoll, listener);
      } else {
        answer(events[i].data.fd, reply);
      }
    }
  }
}
