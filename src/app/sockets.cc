#include "app/sockets.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "cli/seed.h"
#include "dax/protocol.h"
#include "engines/stores.h"

namespace partita::app {

namespace {

// Whether the socket can be created before the store: it is not in the store's directory.
bool is_beside_store(const std::string& admin_socket, std::string_view store) {
  if (!engine_of(store).is_directory) return true;
  const auto resolved = [](const std::filesystem::path& directory) {
    std::error_code unknown;
    return std::filesystem::weakly_canonical(std::filesystem::absolute(directory, unknown) / "", unknown);
  };
  const auto parent = std::filesystem::path(admin_socket).parent_path();
  return resolved(parent.empty() ? "." : parent) != resolved(place_of_store(store));
}

Result<void> bind_dax(const std::optional<cli::DaxListener>& listener, bool beyond_loopback,
                      std::optional<net::BoundSockets>& bound) {
  if (!listener) return {};
  PARTITA_TRY(net::BoundSockets taken, net::BoundSockets::bind(listener->address, listener->port, beyond_loopback));
  bound.emplace(std::move(taken));
  return {};
}

std::vector<clusters::DaxAddress::Place> places_of(const std::optional<cli::DaxListener>& listener,
                                                   const std::optional<net::BoundSockets>& bound,
                                                   const std::vector<dax::Advertised>& advertised) {
  if (!listener || !bound) return {};
  std::vector<clusters::DaxAddress::Place> places;
  for (const dax::Advertised& one : advertised) places.push_back({one.host, one.port != 0 ? one.port : bound->port()});
  if (!places.empty()) return places;
  const bool anywhere = listener->address == "0.0.0.0" || listener->address == "::";
  places.push_back({anywhere ? std::string() : listener->address, bound->port()});
  return places;
}

// Nothing without --dax and --dax-tls.
Result<void> listen_dax(net::Server& server, const cli::ServeOptions& options, Sockets& sockets, const DaxCalls& calls,
                        const http::Protocol& http) {
  if (!sockets.dax && !sockets.dax_encrypted) return {};
  const dax::Options of_dax{.region = options.http.region,
                            .keys = options.http.keys,
                            .certificate = options.http.certificate,
                            .caches = calls.caches.get(),
                            .nodes = std::move(sockets.dax_nodes),
                            .request_timeout_ms = options.http.request_timeout_ms};
  if (sockets.dax && sockets.dax->beyond_loopback() && options.http.certificate != nullptr) {
    log(LogLevel::kWarn,
        "Other machines may connect to --dax without TLS: anyone who can read the connections sees items. Give --dax-tls "
        "instead.");
  }
  const dax::Protocol dax(of_dax, *calls.handler, system_clock(), system_random(), http.resources());
  if (sockets.dax) PARTITA_TRY_VOID(server.listen(*std::move(sockets.dax), dax.listener(dax::Encryption::kNone)));
  if (sockets.dax_encrypted)
    PARTITA_TRY_VOID(server.listen(*std::move(sockets.dax_encrypted), dax.listener(dax::Encryption::kTls)));
  return {};
}

}  // namespace

Result<DaxCalls> DaxCalls::make(ops::CallHandler& handler, size_t cache_bytes, ops::Service& service) {
  DaxCalls calls{&handler};
  if (cache_bytes == 0) return calls;
  PARTITA_TRY(calls.times, CacheTimesThread::start(service));
  const CacheTimesThread& times = *calls.times;
  calls.caches = std::make_unique<dax::Caches>(cache_bytes, [&times] { return times.times(); });
  return calls;
}

void DaxCalls::report(Exposition& out) const {
  if (caches != nullptr) caches->report(out);
}

bool Sockets::beyond_loopback() const {
  const auto reached = [](const std::optional<net::BoundSockets>& some) { return some && some->beyond_loopback(); };
  return clients.beyond_loopback() || reached(dax) || reached(dax_encrypted);
}

Result<Sockets> bind_sockets(const cli::ServeOptions& options) {
  const bool beyond_loopback = options.http.beyond_loopback || options.access.verifies();
  PARTITA_TRY(net::BoundSockets clients,
              net::BoundSockets::bind(options.http.address, options.http.port, beyond_loopback));
  Sockets sockets{std::move(clients), std::nullopt, std::nullopt, {}, nullptr};
  PARTITA_TRY_VOID(bind_dax(options.dax.plain, beyond_loopback, sockets.dax));
  PARTITA_TRY_VOID(bind_dax(options.dax.encrypted, beyond_loopback, sockets.dax_encrypted));
  PARTITA_TRY(sockets.dax_nodes, dax::nodes_of(options.dax.advertised));
  if (!options.access.admin_socket.empty() && is_beside_store(options.access.admin_socket, options.store.url)) {
    PARTITA_TRY(sockets.admin, net::UnixSocket::listen(options.access.admin_socket));
  }
  if (!options.development.seed.empty()) PARTITA_TRY_VOID(cli::check_seed(options.development.seed));
  return sockets;
}

clusters::DaxAddress dax_address_of(const cli::DaxOptions& options, const Sockets& sockets) {
  return {places_of(options.plain, sockets.dax, options.advertised),
          places_of(options.encrypted, sockets.dax_encrypted, options.advertised)};
}

Result<std::unique_ptr<net::UnixSocket>> open_admin_socket(const cli::ServeOptions& options, Sockets& taken) {
  if (taken.admin != nullptr) return std::move(taken.admin);
  const bool asked = !options.access.admin_socket.empty();
  if (!asked && !engine_of(options.store.url).is_directory) return std::unique_ptr<net::UnixSocket>();
  const std::string path = asked ? options.access.admin_socket : admin_socket_of(place_of_store(options.store.url));
  auto socket = net::UnixSocket::listen(path);
  if (socket.ok() || asked) return socket;
  log(LogLevel::kWarn, {"Verbs such as `partita status` cannot reach this server. ", socket.error().sentence()});
  return std::unique_ptr<net::UnixSocket>();
}

Result<void> listen(net::Server& server, const cli::ServeOptions& options, Sockets& sockets, const http::Protocol& http,
                    const DaxCalls& dax, const net::UnixSocket* admin_socket) {
  PARTITA_TRY_VOID(server.listen(std::move(sockets.clients), http.for_clients()));
  PARTITA_TRY_VOID(listen_dax(server, options, sockets, dax, http));
  if (admin_socket == nullptr) return {};
  return server.listen(admin_socket->socket(), http.for_administrators());
}

}  // namespace partita::app
