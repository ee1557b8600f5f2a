#include "app/service_manager.h"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "net/sockets.h"

namespace partita::app {

void tell_service_manager(std::string_view state) {
  const char* const named = std::getenv("NOTIFY_SOCKET");
  const std::string_view name = named == nullptr ? "" : named;
  sockaddr_un address{};
  if ((!name.starts_with('/') && !name.starts_with('@')) || name.size() >= sizeof address.sun_path) return;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, name.data(), name.size());
  if (name.starts_with('@')) address.sun_path[0] = '\0';
  const int out = net::open_socket(AF_UNIX, SOCK_DGRAM, net::Blocking::kYes);
  if (out < 0) return;
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  // Its queue is short, and full while it starts much.
  constexpr timeval kPatience{.tv_sec = 5, .tv_usec = 0};
  setsockopt(out, SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
  sendto(out, state.data(), state.size(), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&address), bytes);
  close(out);
}

}  // namespace partita::app
