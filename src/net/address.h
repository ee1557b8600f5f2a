// An IPv4 or IPv6 address and a port.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace partita::net {

class Address {
 public:
  Address() = default;
  // All addresses of a name, or the one in digits; both loopback addresses for "" and "localhost", IPv4 first.
  // Resolving a name may block. Error: kUnavailable, with the reason in a few words.
  static Result<std::vector<Address>> named(const std::string& text);
  // Of the socket itself. Precondition: it is bound.
  static Address of_socket(int socket);
  // Of its peer; nothing if the peer has gone.
  static std::optional<Address> of_peer(int socket);

  int family() const { return held_.ss_family; }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&held_); }
  socklen_t size() const { return family() == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in); }
  uint16_t port() const;
  void set_port(uint16_t port);
  bool is_loopback() const;
  // As URLs have it: "127.0.0.1:8000", "[::1]:8000".
  std::string text() const;
  // Without the port and brackets; empty for another family, such as that of Unix sockets.
  std::string host() const;
  bool same_host(const Address& other) const;
  // In network order: 4 bytes, or 16; none for another family. Points into the address.
  std::string_view bytes() const;

 private:
  static Address loopback(int family);
  sockaddr_in* four() { return reinterpret_cast<sockaddr_in*>(&held_); }
  sockaddr_in6* six() { return reinterpret_cast<sockaddr_in6*>(&held_); }
  const sockaddr_in* four() const { return reinterpret_cast<const sockaddr_in*>(&held_); }
  const sockaddr_in6* six() const { return reinterpret_cast<const sockaddr_in6*>(&held_); }

  sockaddr_storage held_{};
};

}  // namespace partita::net
