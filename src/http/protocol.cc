#include "http/protocol.h"

#include <utility>

#include "auth/identities.h"
#include "http/connection.h"

namespace partita::http {

namespace {

constexpr std::string_view kFull =
    "HTTP/1.1 503 Service Unavailable\r\nx-amz-retry-after: 1000\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
constexpr std::string_view kPlainHttp =
    "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 63\r\n"
    "Connection: close\r\n\r\nThis port speaks TLS: use an address that begins with https://\n";

std::shared_ptr<const auth::Caller> administrator(const Options& options) {
  return std::make_shared<auth::Caller>(auth::Caller{.access_key_id = "administrator",
                                                     .region = options.region.empty() ? "us-east-1" : options.region,
                                                     .account_id = std::string(auth::kAccountId)});
}

}  // namespace

struct Protocol::Shared {
  Options options;
  Handler& handler;
  const Clock& clock;
  Random& random;
  std::shared_ptr<net::RequestResources> resources;
};

Protocol::Protocol(const Options& options, Handler& handler, const Clock& clock, Random& random)
    : shared_(
          std::make_shared<Shared>(options, handler, clock, random,
                                   std::make_shared<net::RequestResources>(options.memory_budget, options.threads))) {}

// On one thread.
class Protocol::Factory final : public net::ConnectionFactory {
 public:
  Factory(std::shared_ptr<Shared> shared, const net::WorkerState& worker, bool administrators)
      : shared_(std::move(shared)),
        context_{.options = shared_->options,
                 .handler = shared_->handler,
                 .clock = shared_->clock,
                 .budget = shared_->resources->budget,
                 .background = shared_->resources->background,
                 .worker = worker,
                 .authenticator = {shared_->options.keys, shared_->clock, shared_->options.region},
                 .ids = ops::RequestIds(shared_->random)} {
    if (administrators) context_.administrator = administrator(shared_->options);
  }

  std::unique_ptr<net::Connection> make(std::unique_ptr<net::Stream> stream) override {
    return std::make_unique<Connection>(context_, std::move(stream));
  }

 private:
  const std::shared_ptr<Shared> shared_;
  ThreadContext context_;
};

net::Protocol Protocol::protocol(bool administrators) const {
  const net::Certificate* const certificate = administrators ? nullptr : shared_->options.certificate;
  return {.make_factory =
              [shared = shared_, administrators](const net::WorkerState& worker) {
                return std::make_unique<Factory>(shared, worker, administrators);
              },
          .scheme = certificate != nullptr ? "https" : "http",
          .tls = {.certificate = certificate, .protocol = "http/1.1", .plain_http_reply = kPlainHttp},
          .full_reply = kFull,
          .limited = !administrators};
}

net::Protocol Protocol::for_clients() const { return protocol(false); }
net::Protocol Protocol::for_administrators() const { return protocol(true); }
std::shared_ptr<net::RequestResources> Protocol::resources() const { return shared_->resources; }

void Protocol::report(Exposition& out) const {
  const Budget& budget = shared_->resources->budget;
  out.gauge("partita_request_memory_bytes", "Memory of --memory-budget that requests use.",
            static_cast<double>(budget.used()));
  out.gauge("partita_request_memory_limit_bytes", "Limit set by --memory-budget.", static_cast<double>(budget.limit()));
}

}  // namespace partita::http
