// Where a server listens: an address of IPv4 or IPv6, and a port.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace partita::net {

class Address {
 public:
  Address() = default;
  // All that the text names, digits or a name; both loopback addresses for "" and "localhost", IPv4 first. Resolves a
  // name, which may block. Error: kUnavailable, why not in a few words.
  static Result<std::vector<Address>> named(const std::string& text);
  // Where that socket is bound.
  static Address of_socket(int socket);
  // Of its other side; nothing when it has gone.
  static std::optional<Address> of_peer(int socket);

  int family() const { return held_.ss_family; }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&held_); }
  socklen_t size() const { return family() == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in); }
  uint16_t port() const;
  void set_port(uint16_t port);
  bool is_loopback() const;
  // As URLs have it: "127.0.0.1:8000", "[::1]:8000".
  std::string text() const;
  // Without the port and brackets; empty for an address of another family than the two.
  std::string host() const;
  bool same_host(const Address& other) const;

 private:
  static Address loopback(int family);
  sockaddr_in* four() { return reinterpret_cast<sockaddr_in*>(&held_); }
  sockaddr_in6* six() { return reinterpret_cast<sockaddr_in6*>(&held_); }
  const sockaddr_in* four() const { return reinterpret_cast<const sockaddr_in*>(&held_); }
  const sockaddr_in6* six() const { return reinterpret_cast<const sockaddr_in6*>(&held_); }

  sockaddr_storage held_{};
};

}  // namespace partita::net
