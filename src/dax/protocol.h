// DAX, the protocol of DynamoDB Accelerator, as a protocol of net::Server: each connection's calls of items go to an
// ops::CallHandler. It answers from the store, or from caches that may be stale if the options have some (caches.h).
//
//   dax::Protocol dax(options, handler, system_clock(), system_random(), http.resources());
//   PARTITA_TRY_VOID(server.listen(std::move(sockets), dax.listener(dax::Encryption::kNone)));
//
// Threads, order and the end of connections: as http/protocol.h. A connection that sends what is no DAX is closed
// without a word.
#pragma once

#include <cstdint>
#include <memory>

#include "base/clock.h"
#include "base/random.h"
#include "dax/options.h"
#include "net/request_resources.h"
#include "net/server.h"
#include "ops/call_codec.h"

namespace partita::dax {

enum class Encryption : uint8_t { kNone, kTls };

class Protocol {
 public:
  // The references outlive the server.
  Protocol(const Options& options, ops::CallHandler& handler, const Clock& clock, Random& random,
           std::shared_ptr<net::RequestResources> resources);

  // For net::Server::listen(). Precondition of kTls: the options have a certificate.
  net::Protocol listener(Encryption encryption) const;

 private:
  struct Shared;
  class Factory;
  std::shared_ptr<Shared> shared_;
};

}  // namespace partita::dax
