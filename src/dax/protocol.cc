#include "dax/protocol.h"

#include <string>
#include <utility>

#include "base/check.h"
#include "dax/connection.h"
#include "dax/other_protocol.h"

namespace partita::dax {

struct Protocol::Shared {
  Options options;
  ops::CallHandler& handler;
  const Clock& clock;
  Random& random;
  std::shared_ptr<net::RequestResources> resources;
  Verifier verifier{options.keys, clock, options.region};
};

// On one thread.
class Protocol::Factory final : public net::ConnectionFactory {
 public:
  Factory(std::shared_ptr<Shared> shared, const net::WorkerState& worker)
      : shared_(std::move(shared)),
        context_{.options = shared_->options,
                 .handler = shared_->handler,
                 .clock = shared_->clock,
                 .resources = *shared_->resources,
                 .worker = worker,
                 .verifier = shared_->verifier,
                 .ids = ops::RequestIds(shared_->random)} {}

  std::unique_ptr<net::Connection> make(std::unique_ptr<net::Stream> stream) override {
    return std::make_unique<Connection>(context_, std::move(stream));
  }

 private:
  const std::shared_ptr<Shared> shared_;
  ThreadContext context_;
};

Protocol::Protocol(const Options& options, ops::CallHandler& handler, const Clock& clock, Random& random,
                   std::shared_ptr<net::RequestResources> resources)
    : shared_(std::make_shared<Shared>(options, handler, clock, random, std::move(resources))) {}

net::Protocol Protocol::listener(Encryption encryption) const {
  const bool tls = encryption == Encryption::kTls;
  PARTITA_CHECK(!tls || shared_->options.certificate != nullptr);
  return {.make_factory =
              [shared = shared_](const net::WorkerState& worker) { return std::make_unique<Factory>(shared, worker); },
          .scheme = tls ? "daxs" : "dax",
          .tls = {.certificate = tls ? shared_->options.certificate : nullptr, .plain_http_reply = kReplyToPlainHttp}};
}

}  // namespace partita::dax
