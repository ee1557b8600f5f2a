#include "net/address.h"

#include <arpa/inet.h>
#include <netdb.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <memory>

#include "base/check.h"

namespace partita::net {

Address Address::loopback(int family) {
  Address address;
  address.held_.ss_family = static_cast<sa_family_t>(family);
  if (family == AF_INET6) {
    address.six()->sin6_addr = in6addr_loopback;
  } else {
    address.four()->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  }
  return address;
}

Result<std::vector<Address>> Address::named(const std::string& text) {
  if (text.empty() || text == "localhost") return std::vector{loopback(AF_INET), loopback(AF_INET6)};
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE;
  addrinfo* list = nullptr;
  const int failed = ::getaddrinfo(text.c_str(), nullptr, &wanted, &list);
  if (failed != 0) return Error(ErrorKind::kUnavailable, ::gai_strerror(failed));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, &::freeaddrinfo);
  std::vector<Address> found;
  for (const addrinfo* each = list; each != nullptr; each = each->ai_next) {
    Address address;
    std::memcpy(&address.held_, each->ai_addr, std::min<size_t>(each->ai_addrlen, sizeof address.held_));
    const auto same = [&](const Address& other) { return address.same_host(other); };
    if (std::ranges::none_of(found, same)) found.push_back(address);
  }
  return found;
}

Address Address::of_socket(int socket) {
  Address address;
  socklen_t size = sizeof address.held_;
  PARTITA_CHECK(::getsockname(socket, reinterpret_cast<sockaddr*>(&address.held_), &size) == 0);
  return address;
}

uint16_t Address::port() const { return ntohs(family() == AF_INET6 ? six()->sin6_port : four()->sin_port); }

void Address::set_port(uint16_t port) {
  if (family() == AF_INET6) {
    six()->sin6_port = htons(port);
  } else {
    four()->sin_port = htons(port);
  }
}

bool Address::is_loopback() const {
  if (family() == AF_INET6) return IN6_IS_ADDR_LOOPBACK(&six()->sin6_addr) != 0;
  return ntohl(four()->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

std::optional<Address> Address::of_peer(int socket) {
  Address address;
  socklen_t size = sizeof address.held_;
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&address.held_), &size) != 0) return std::nullopt;
  return address;
}

std::string Address::host() const {
  if (family() != AF_INET && family() != AF_INET6) return {};
  std::array<char, INET6_ADDRSTRLEN> digits{};
  if (family() == AF_INET6) {
    PARTITA_CHECK(::inet_ntop(AF_INET6, &six()->sin6_addr, digits.data(), digits.size()) != nullptr);
    return digits.data();
  }
  // inet_ntop() takes longer than all that a policy asks of the text.
  const uint32_t bytes = ntohl(four()->sin_addr.s_addr);
  char* end = digits.data();
  for (int shift = 24; shift >= 0; shift -= 8) {
    end = std::to_chars(end, digits.data() + digits.size(), bytes >> shift & 0xff).ptr;
    if (shift > 0) *end++ = '.';
  }
  return {digits.data(), end};
}

std::string Address::text() const {
  const std::string name = host();
  return (family() == AF_INET6 ? "[" + name + "]" : name) + ":" + std::to_string(port());
}

bool Address::same_host(const Address& other) const {
  if (family() != other.family()) return false;
  if (family() == AF_INET6) return std::memcmp(&six()->sin6_addr, &other.six()->sin6_addr, sizeof(in6_addr)) == 0;
  return four()->sin_addr.s_addr == other.four()->sin_addr.s_addr;
}

std::string_view Address::bytes() const {
  if (family() == AF_INET6) return {reinterpret_cast<const char*>(&six()->sin6_addr), sizeof(in6_addr)};
  if (family() == AF_INET) return {reinterpret_cast<const char*>(&four()->sin_addr), sizeof(in_addr)};
  return {};
}

}  // namespace partita::net
