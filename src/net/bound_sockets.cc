#include "net/bound_sockets.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "net/sockets.h"

namespace partita::net {

namespace {

int bind_to(const Address& address, int socket) {
  const int yes = 1;
  if (address.family() == AF_INET6 && ::setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes) != 0) {
    return errno;
  }
  if (::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0) return errno;
  return ::bind(socket, address.get(), address.size()) == 0 ? 0 : errno;
}

}  // namespace

BoundSockets::~BoundSockets() {
  for (const Bound& bound : all_) ::close(bound.socket);
}

bool BoundSockets::beyond_loopback() const {
  return !std::ranges::all_of(all_, [](const Bound& bound) { return bound.place.is_loopback(); });
}

Error BoundSockets::failed(const std::string& why) const {
  const std::string address = address_.empty() ? "localhost" : address_;
  return Error(ErrorKind::kUnavailable, "Cannot listen on " + address + ":" + std::to_string(port_) + ": " + why + ".");
}

Error BoundSockets::failed(int error) const {
  const std::string next = error == EADDRINUSE ? "; stop what listens there, or name another port" : "";
  return failed(std::system_category().message(error) + next);
}

// 0, or why not, as errno says it.
int BoundSockets::add(Address address) {
  address.set_port(port_);
  const int socket = open_socket(address.family(), SOCK_STREAM, Blocking::kNo);
  if (socket < 0) return errno;
  if (const int error = bind_to(address, socket); error != 0) return ::close(socket), error;
  all_.push_back({Address::of_socket(socket), socket});
  port_ = all_.back().place.port();
  return 0;
}

Result<BoundSockets> BoundSockets::bind(const std::string& address, uint16_t port, bool beyond_loopback) {
  BoundSockets sockets(address, port);
  const auto addresses = Address::named(address);
  if (!addresses.ok()) return sockets.failed(std::string(addresses.error().sentence()));
  if (!beyond_loopback && !std::ranges::all_of(*addresses, &Address::is_loopback)) {
    return sockets.failed(
        "it is not a loopback address, and without --credentials or --users no signature is verified; add --insecure to "
        "give everything to anyone who reaches the port");
  }
  for (const Address& each : *addresses) {
    const int error = sockets.add(each);
    // A machine without IPv6 still has the other loopback address.
    const bool optional = !sockets.all_.empty() && (error == EAFNOSUPPORT || error == EADDRNOTAVAIL);
    if (error != 0 && !optional) return sockets.failed(error);
  }
  return sockets;
}

}  // namespace partita::net
