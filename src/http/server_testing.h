// An HTTP server of one listener, for tests.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "http/protocol.h"
#include "net/bound_sockets.h"
#include "net/server.h"

namespace partita::http {

class Server final : public net::Server {
 public:
  static Result<std::unique_ptr<Server>> listen(const Options& options, Handler& handler, const Clock& clock,
                                                Random& random) {
    const bool beyond_loopback = options.beyond_loopback || options.keys != nullptr;
    PARTITA_TRY(auto sockets, net::BoundSockets::bind(options.address, options.port, beyond_loopback));
    return listen(options, std::move(sockets), handler, clock, random);
  }
  static Result<std::unique_ptr<Server>> listen(const Options& options, net::BoundSockets sockets, Handler& handler,
                                                const Clock& clock, Random& random) {
    std::unique_ptr<Server> server(new Server(options, clock));
    const Protocol http(options, handler, clock, random);
    PARTITA_TRY_VOID(static_cast<net::Server&>(*server).listen(std::move(sockets), http.for_clients()));
    return server;
  }
  uint16_t port() const { return addresses().front().port(); }
  std::vector<std::string> places() const {
    std::vector<std::string> places;
    for (const net::Address& address : addresses()) places.push_back(address.text());
    return places;
  }

 private:
  using net::Server::Server;
};

}  // namespace partita::http
