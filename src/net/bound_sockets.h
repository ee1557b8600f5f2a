// The sockets that a server will listen on, bound before anything else is started: if the port is taken, the server
// fails before it opens a store. Connections are refused until a Server listens.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "net/address.h"

namespace partita::net {

class BoundSockets {
 public:
  // `address` as for Address::named(). `port` 0 takes a free one, the same for all addresses. `beyond_loopback`:
  // whether an address may be reachable from other machines. Resolving a name may block. Error: kUnavailable, with one
  // sentence for the operator (address in use, not permitted, no such name, not a loopback address).
  static Result<BoundSockets> bind(const std::string& address, uint16_t port, bool beyond_loopback);
  ~BoundSockets();
  BoundSockets(BoundSockets&&) = default;
  BoundSockets& operator=(BoundSockets&&) = delete;

  struct Bound {
    Address place;  // with the port that was taken
    int socket;
  };
  const std::vector<Bound>& all() const { return all_; }
  // The same for all.
  uint16_t port() const { return port_; }
  // Whether one of them can be reached from other machines.
  bool beyond_loopback() const;
  // The error for a server that cannot listen on these sockets because of this errno.
  Error failed(int error) const;

 private:
  BoundSockets(std::string address, uint16_t port) : address_(std::move(address)), port_(port) {}
  Error failed(const std::string& why) const;
  int add(Address address);

  std::string address_;
  uint16_t port_;
  std::vector<Bound> all_;
};

}  // namespace partita::net
