// The addresses that a server will listen on, taken before anything else is begun: a server that cannot have its port
// says so while it has opened no store. Connections are refused until a Server listens.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "net/address.h"

namespace partita::net {

class BoundSockets {
 public:
  // `port` 0 takes any free one, the same of all addresses. `beyond_loopback`: whether other machines may be offered
  // the port. Resolves a name, which may block. Error: kUnavailable, with one sentence for the operator (address in
  // use, not permitted, no such name, not a loopback address).
  static Result<BoundSockets> bind(const std::string& address, uint16_t port, bool beyond_loopback);
  ~BoundSockets();
  BoundSockets(BoundSockets&&) = default;
  BoundSockets& operator=(BoundSockets&&) = delete;

  struct Bound {
    Address place;  // with the port that was taken
    int socket;
  };
  const std::vector<Bound>& all() const { return all_; }
  // The same of all.
  uint16_t port() const { return port_; }
  // Whether one of them can be reached from other machines.
  bool beyond_loopback() const;
  // That it does not listen, and why, as errno says it.
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
