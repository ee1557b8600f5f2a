#include "app/serve.h"

#include <malloc.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "admin/admin.h"
#include "admin/operator_calls.h"
#include "app/service_manager.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/nonblocking_writer.h"
#include "base/random.h"
#include "base/reserve.h"
#include "base/thread.h"
#include "cli/backup.h"
#include "cli/callers.h"
#include "cli/seed.h"
#include "cli/simulate.h"
#include "cli/status.h"
#include "engines/stores.h"
#include "http/protocol.h"
#include "iam/directory.h"
#include "namespaces/namespaces.h"
#include "namespaces/tenant.h"
#include "net/bound_sockets.h"
#include "net/certificate.h"
#include "net/server.h"
#include "net/unix_socket.h"
#include "observe/audit_log.h"
#include "observe/pages.h"
#include "observe/request_log.h"
#include "observe/traces.h"
#include "ops/service.h"
#include "table/open/database.h"

namespace partita::app {

namespace {

constexpr size_t kUsualNamespaces = 64;  // open at a time
constexpr int kLastWordsMs = 500;        // for the reader of stderr, at the end

class ServiceHandler final : public http::Handler {
 public:
  // Without an audit log it is null, and without traces they are.
  ServiceHandler(namespaces::Namespaces& namespaces, const admin::Admin& admin, observe::Pages& pages,
                 observe::AuditLog* audit, observe::Traces* traces, int64_t slow_ms)
      : service_(namespaces.root().service()),
        admin_(admin),
        namespaces_(namespaces),
        pages_(pages),
        audit_(audit),
        traces_(traces),
        log_(slow_ms) {}
  Task<ops::Reply> call(const ops::Call& call) override {
    if (call.target.starts_with(admin::kAdminPrefix)) [[unlikely]] {
      const admin::Admin::Answer* const answer = admin_.find(call);
      return answer != nullptr ? (*answer)(call) : operator_calls_.call(call);
    }
    return namespaces_.is_plain(call) ? service_.call(call) : namespaces_.call(call);
  }
  size_t memory_of(const ops::Call& call) const override { return ops::Service::memory_of(call); }
  void answered(const ops::Call& call, const ops::Reply& reply, int64_t took_ns) override {
    service_.answered(call, reply, took_ns);
    if (!namespaces_.is_plain(call)) namespaces_.answered(call, reply);
    log_.write(call, namespaces_.name_of(call), reply, took_ns);
    if (audit_ != nullptr) audit_->write(call, namespaces_.name_of(call), reply);
    if (traces_ != nullptr) traces_->note(call, namespaces_.name_of(call), reply, took_ns);
  }
  void refused(int status) override { service_.refused(status); }
  Task<std::optional<ops::Reply>> page(std::string_view path, const ops::Source& source) override {
    return pages_.page(path, source);
  }
  Task<std::string> trouble() override { return pages_.trouble(); }

 private:
  ops::Service& service_;
  const admin::Admin& admin_;
  namespaces::Namespaces& namespaces_;
  admin::OperatorCalls operator_calls_{namespaces_};
  observe::Pages& pages_;
  observe::AuditLog* const audit_;
  observe::Traces* const traces_;
  observe::RequestLog log_;
};

sigset_t set_of(std::initializer_list<int> list) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : list) sigaddset(&signals, signal);
  return signals;
}

// They then wait for the Stopper, on every thread that is begun from now on.
void hold(std::initializer_list<int> list) {
  const sigset_t signals = set_of(list);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

void begin_with_signals() {
  hold({SIGHUP});
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // A limit on the size of files is then an error of the disk, as a full one is.
}

std::string_view name_of(int signal) { return signal == SIGTERM ? "SIGTERM" : signal == SIGINT ? "SIGINT" : "SIGHUP"; }

// Safe for the data: what was acknowledged is on disk, as it is after kill -9.
[[noreturn]] void leave() {
  log(LogLevel::kError, "Some requests did not end in time; stopping without them.");
  flush_log(kLastWordsMs);
  std::_Exit(EXIT_FAILURE);
}

// Ends the server when a signal says so, and the process when that takes too long. SIGHUP calls `read_again`.
class Stopper {
 public:
  Stopper(net::Server& server, int64_t patience_ms, std::function<void()> read_again)
      : server_(server), patience_(patience_ms), read_again_(std::move(read_again)) {}

  // Error: kUnavailable, when the system makes no thread.
  Result<void> start() {
    PARTITA_TRY(thread_, Thread::start("signals", [this](const std::stop_token& done) { watch(server_, done); }));
    return {};
  }

 private:
  using Deadline = std::chrono::steady_clock::time_point;
  static constexpr auto kTick = std::chrono::milliseconds(10);

  // Waits for a signal that says stop; 0 when there was none until the deadline, or nothing is left to watch over.
  int stop_signal(const std::stop_token& done, Deadline deadline) const {
    const sigset_t signals = set_of({SIGTERM, SIGINT, SIGHUP});
    const timespec tick{.tv_sec = 0, .tv_nsec = std::chrono::nanoseconds(kTick).count()};
    while (!done.stop_requested() && std::chrono::steady_clock::now() < deadline) {
      const bool forever = deadline == Deadline::max();
      const int signal = forever ? sigwaitinfo(&signals, nullptr) : sigtimedwait(&signals, nullptr, &tick);
      if (done.stop_requested()) return 0;
      if (signal == SIGHUP) read_again_();
      if (signal == SIGTERM || signal == SIGINT) return signal;
    }
    return 0;
  }

  void watch(net::Server& server, const std::stop_token& done) const {
    // A start that fails after this began asks it to stop.
    const std::stop_callback wake(done, [self = pthread_self()] { pthread_kill(self, SIGHUP); });
    const int first = stop_signal(done, Deadline::max());
    if (first == 0) return;
    log(LogLevel::kInfo, {"Stopping on ", name_of(first), "."});
    tell_service_manager("STOPPING=1");
    server.stop();
    const Deadline stopped = std::chrono::steady_clock::now();
    int second = 0;
    do {
      second = stop_signal(done, stopped + patience_ + kRest);
    } while (second != 0 && std::chrono::steady_clock::now() < stopped + kSameWish);
    if (second != 0) {
      log(LogLevel::kWarn, {"Stopping at once on another ", name_of(second), "."});
      server.stop_now();
      stop_signal(done, std::chrono::steady_clock::now() + kRest);
    }
    if (!done.stop_requested()) leave();
  }

  // Whoever ends a group of processes often tells each twice, within a moment.
  static constexpr auto kSameWish = std::chrono::seconds(1);
  static constexpr auto kRest = std::chrono::seconds(3);
  net::Server& server_;
  const std::chrono::milliseconds patience_;
  const std::function<void()> read_again_;
  Thread thread_;
};

// What SIGHUP is for.
void read_again(net::Certificate* certificate, observe::AuditLog* audit) {
  if (certificate == nullptr && audit == nullptr) log(LogLevel::kInfo, "SIGHUP: there is nothing to reload.");
  if (certificate != nullptr) {
    const auto read = certificate->reload();
    if (read.ok()) log(LogLevel::kInfo, "SIGHUP: the certificate was reloaded.");
    if (!read.ok()) log(LogLevel::kError, {"SIGHUP: the previous certificate is kept. ", read.error().sentence()});
  }
  if (audit != nullptr) {
    const auto opened = audit->reopen();
    if (opened.ok()) log(LogLevel::kInfo, "SIGHUP: the audit log was reopened.");
    if (!opened.ok()) log(LogLevel::kError, {"SIGHUP: the previous audit log is kept. ", opened.error().sentence()});
  }
}

// Memory of large requests goes back to the system at once, and little of the rest is kept by whichever thread had it.
void return_large_memory() {
#ifdef __GLIBC__
  constexpr int kLarge = 256 << 10;
  // Else the memory of one request's reply goes back, page by page, before the next one asks for it again.
  constexpr int kKept = 4 << 20;
  mallopt(M_MMAP_THRESHOLD, kLarge);
  mallopt(M_TRIM_THRESHOLD, kKept);
#endif
}

std::vector<std::string> urls_of(const cli::CommandLine& line, const net::Server& server) {
  std::vector<std::string> urls;
  for (const net::Address& address : server.addresses()) {
    urls.push_back((line.tls_cert.empty() ? "http://" : "https://") + address.text());
  }
  return urls;
}

constexpr int kReadyTries = 50;
constexpr auto kReadyPause = std::chrono::milliseconds(10);

void say_ready(const cli::CommandLine& line, std::string_view version, const net::Server& server) {
  std::string urls;
  for (const std::string& url : urls_of(line, server)) urls += (urls.empty() ? "" : " and ") + url;
  const std::string text = "partita " + std::string(version) + " is serving DynamoDB on " + urls + ", data in " +
                           place_of_store(line.store) + "\n";
  // A full pipe on stdout delays no request.
  NonblockingWriter writer(STDOUT_FILENO);
  for (int tries = 0; writer.write(text.substr(0, NonblockingWriter::kMostAtOnce)) < 0; ++tries) {
    if (errno == EAGAIN && tries < kReadyTries) {
      std::this_thread::sleep_for(kReadyPause);
      continue;
    }
    log(LogLevel::kWarn, "The server is ready, but its ready line could not be written to stdout.");
    break;
  }
  tell_service_manager("READY=1");
}

void log_settings(const cli::CommandLine& line, const net::Server& server) {
  if (!logs(LogLevel::kInfo)) return;
  std::string origins;
  for (const std::string& origin : line.http.allowed_origins) origins += " " + origin;
  const auto number = [](auto value) { return std::to_string(value); };
  log(LogLevel::kInfo,
      {"Serving with ", number(line.http.threads), line.http.threads == 1 ? " thread" : " threads", ", at most ",
       number(server.connection_limit()), " connections, ", number(line.http.memory_budget >> 20),
       " MiB for requests, timeouts of ", number(line.http.idle_timeout_ms / 1000), " s idle and ",
       number(line.http.request_timeout_ms / 1000),
       " s for a request; pages may call from:", origins.empty() ? " nowhere" : origins, "."});
  if (server.connection_limit() < line.http.max_connections) {
    log(LogLevel::kWarn, "Fewer connections than requested: the limit of open files (ulimit -n) allows no more.");
  }
  if (line.clock_ms != 0) {
    log(LogLevel::kWarn, {"The clock is moved by ", std::to_string(line.clock_ms / 1000), " s: for development only."});
  }
  if (line.http.keys != nullptr) {
    const size_t keys = line.http.keys->size();
    log(LogLevel::kInfo,
        {"Signatures are verified; there ", keys == 1 ? "is 1 access key." : "are " + number(keys) + " access keys."});
    if (keys == 0) {
      log(LogLevel::kWarn,
          "Nobody has an access key, so all calls are refused: `partita user create` and `partita user "
          "key create` make one.");
    }
    if (server.beyond_loopback() && line.tls_cert.empty()) {
      log(LogLevel::kWarn,
          "Other machines may connect without TLS: anyone who can read the connections sees items, and the secrets of keys "
          "when they are created. Give --tls-cert and --tls-key, or let only a proxy with TLS reach the port.");
    }
  } else if (server.beyond_loopback()) {
    log(LogLevel::kWarn, "Anyone who reaches the port may do anything: signatures are not verified.");
  }
}

void log_users(const auth::Identities& identities, bool warn_only) {
  const size_t users = identities.size();
  log(LogLevel::kInfo, {"Policies are enforced for ", std::to_string(users), users == 1 ? " user." : " users."});
  if (warn_only) log(LogLevel::kWarn, "Requests that policies refuse are logged and allowed.");
}

// Names of tables are not for everybody where callers have to say who they are.
Result<std::optional<std::string>> token_for(const cli::CommandLine& line, bool verifies) {
  std::optional<std::string> token;
  if (!verifies) token.emplace();
  if (!line.metrics_token.empty()) {
    PARTITA_TRY(token, cli::read_token(line.metrics_token));
  }
  return token;
}

// Null when nobody wants them.
Result<std::unique_ptr<observe::Traces>> begin_traces(const cli::CommandLine& line, std::string_view version) {
  if (line.trace_to.empty()) return std::unique_ptr<observe::Traces>();
  auto collector = net::Url::parse(line.trace_to);
  PARTITA_CHECK(collector.ok());
  // The default path of OpenTelemetry's environment variables.
  if (collector->path == "/") collector->path = "/v1/traces";
  observe::Traces::Options options{std::move(*collector), std::max<uint64_t>(1, line.trace_one_in),
                                   std::string(version), system_random().uuid()};
  return observe::Traces::start(std::move(options), system_clock(), system_random());
}

// Without a reserve of memory every request would be refused.
Result<void> check_memory() {
  if (memory_reserve_held()) return {};
  return Error(ErrorKind::kUnavailable,
               "There is too little memory to serve requests: raise its limit (ulimit -v, MemoryMax=).");
}

Result<void> prepare_memory() {
  return_large_memory();
  hold_memory_reserve();
  return check_memory();
}

Result<void> listen(net::Server& server, const http::Protocol& http, net::BoundSockets sockets,
                    const net::UnixSocket* admin_socket) {
  PARTITA_TRY_VOID(server.listen(std::move(sockets), http.for_clients()));
  if (admin_socket == nullptr) return {};
  return server.listen(admin_socket->socket(), http.for_administrators());
}

Result<void> start_server(net::Server& server) {
  PARTITA_TRY_VOID(check_memory());
  return server.start();
}

// Whether it can be made before the store is: its directory is not the store's.
bool is_beside_store(const std::string& admin_socket, std::string_view store) {
  if (!engine_of(store).is_directory) return true;
  const auto resolved = [](const std::filesystem::path& directory) {
    std::error_code unknown;
    return std::filesystem::weakly_canonical(std::filesystem::absolute(directory, unknown) / "", unknown);
  };
  const auto parent = std::filesystem::path(admin_socket).parent_path();
  return resolved(parent.empty() ? "." : parent) != resolved(place_of_store(store));
}

// Where the server will be reached.
struct Places {
  net::BoundSockets sockets;
  std::unique_ptr<net::UnixSocket> admin;
};

// What the options ask for and this machine may refuse, before a store is opened: a refused server makes none.
Result<Places> take_places(const cli::CommandLine& line, bool verifies) {
  PARTITA_TRY(net::BoundSockets sockets,
              net::BoundSockets::bind(line.http.address, line.http.port, line.http.beyond_loopback || verifies));
  Places places{std::move(sockets), nullptr};
  if (!line.admin_socket.empty() && is_beside_store(line.admin_socket, line.store)) {
    PARTITA_TRY(places.admin, net::UnixSocket::listen(line.admin_socket));
  }
  if (!line.seed.empty()) PARTITA_TRY_VOID(cli::check_seed(line.seed));
  return places;
}

// A moved clock deletes what expires: not where data outlives the process and others depend on it, unless asked for.
bool may_move_clock(const cli::CommandLine& line, bool verifies, const net::BoundSockets& sockets) {
  const bool keeps_data = engine_of(line.store).format != 0;
  return line.clock_moves || !keeps_data || !(verifies || sockets.beyond_loopback());
}

// Null when it was not asked for and is not available. Error: when it was asked for.
Result<std::unique_ptr<net::UnixSocket>> open_admin_socket(const cli::CommandLine& line, Places& taken) {
  if (taken.admin != nullptr) return std::move(taken.admin);
  const bool asked = !line.admin_socket.empty();
  if (!asked && !engine_of(line.store).is_directory) return std::unique_ptr<net::UnixSocket>();
  const std::string path = asked ? line.admin_socket : admin_socket_of(place_of_store(line.store));
  auto socket = net::UnixSocket::listen(path);
  if (socket.ok() || asked) return socket;
  log(LogLevel::kWarn, {"Verbs such as `partita status` cannot reach this server. ", socket.error().sentence()});
  return std::unique_ptr<net::UnixSocket>();
}

// Null when it was not asked for.
Result<std::unique_ptr<Scrub>> begin_scrub(const cli::CommandLine& line, storage::Engine& engine) {
  if (line.scrub_rest_ms == 0) return std::unique_ptr<Scrub>();
  ScrubOptions options{.rest_ms = line.scrub_rest_ms};
  if (line.scrub_rate != 0) options.bytes_per_second = line.scrub_rate;
  return engine_of(line.store).scrub(engine, options);
}

// Null without --audit-log.
Result<std::unique_ptr<observe::AuditLog>> open_audit_log(const cli::CommandLine& line) {
  if (line.audit_log.empty()) return std::unique_ptr<observe::AuditLog>();
  const auto calls = line.audit_data ? observe::AuditLog::Calls::kAll : observe::AuditLog::Calls::kControl;
  return observe::AuditLog::open(line.audit_log, calls, system_clock());
}

}  // namespace

Result<void> serve(const cli::CommandLine& given, std::string_view version, std::string_view revision) {
  cli::CommandLine line = given;
  begin_with_signals();
  set_log_level(line.log_level);
  set_log_format(line.log_format);
  cli::Callers callers;
  PARTITA_TRY_VOID(cli::read_callers(line, callers));
  const bool verifies = callers.credentials || line.users;
  if (verifies && line.http.region.empty()) line.http.region = "us-east-1";
  std::unique_ptr<net::Certificate> certificate;
  if (!line.tls_cert.empty()) {
    PARTITA_TRY(certificate, net::Certificate::load(line.tls_cert, line.tls_key));
  }
  line.http.certificate = certificate.get();
  PARTITA_TRY(std::optional<std::string> token, token_for(line, verifies));
  PARTITA_TRY(Places places, take_places(line, verifies));
  PARTITA_TRY(const std::unique_ptr<observe::AuditLog> audit, open_audit_log(line));
  hold({SIGTERM, SIGINT});
  PARTITA_TRY_VOID(prepare_memory());
  // Before the store is opened: it may want as many files.
  net::Server::raise_file_limit();
  PARTITA_TRY(const std::unique_ptr<storage::Engine> engine, open_store(line.store));
  PARTITA_TRY(const std::unique_ptr<Scrub> scrub, begin_scrub(line, *engine));
  const ShiftedClock clock(system_clock(), line.clock_ms);
  iam::Directory directory(*engine, clock, callers.credentials ? &*callers.credentials : nullptr,
                           callers.account ? &*callers.account : nullptr);
  if (verifies) line.http.keys = &directory;
  const table::Options options{.graph_bytes = line.vector_bytes};
  const namespaces::Tenant::Ground ground{*engine,         system_clock(),
                                          system_random(), options,
                                          &directory,      engine_of(line.store).alone,
                                          line.clock_ms,   may_move_clock(line, verifies, places.sockets)};
  const namespaces::Tenant::Serve answer = [&](table::Database& database) {
    return std::make_unique<ops::Service>(
        database, line.warn_only ? ops::Enforcement::kWarn : ops::Enforcement::kRefuse, line.request_rate, &directory);
  };
  PARTITA_TRY(const std::unique_ptr<namespaces::Tenant> root, namespaces::Tenant::open(ground, {}, answer));
  ops::Service& service = root->service();
  std::function<Result<void>(ops::Service&)> begin;
  if (!line.seed.empty()) begin = [&](ops::Service& of) { return cli::seed(line.seed, of, ground.alone); };
  if (begin) PARTITA_TRY_VOID(begin(service));
  namespaces::Namespaces namespaces(ground, *root, begin, line.namespaces_by,
                                    line.most_namespaces == 0 ? kUsualNamespaces : line.most_namespaces);
  PARTITA_TRY_VOID(namespaces.begin());
  PARTITA_TRY(const std::unique_ptr<observe::Traces> traces, begin_traces(line, version));
  observe::Pages pages({*engine, scheme_of(line.store), system_random(), service, namespaces, version, std::move(token),
                        traces.get(), audit.get()});
  PARTITA_TRY(const std::unique_ptr<net::UnixSocket> admin_socket, open_admin_socket(line, places));
  cli::BackupMaker backups(*engine, engine_of(line.store));
  admin::Admin admin;
  backups.answer(admin);
  cli::answer_simulations(admin, directory, service);
  ServiceHandler handler(namespaces, admin, pages, audit.get(), traces.get(), line.slow_request_ms);
  const http::Protocol http(line.http, handler, system_clock(), system_random());
  net::Server server(line.http, system_clock());
  PARTITA_TRY_VOID(listen(server, http, std::move(places.sockets), admin_socket.get()));
  pages.set_server(server, http);
  cli::answer_status(admin, pages,
                     {std::string(version), std::string(revision), place_of_store(line.store),
                      !engine_of(line.store).alone, urls_of(line, server), system_clock().now_ms(), scrub.get()});
  PARTITA_TRY_VOID(start_server(server));
  Stopper stopper(server, line.http.stop_timeout_ms, [&] { read_again(certificate.get(), audit.get()); });
  PARTITA_TRY_VOID(stopper.start());
  log_settings(line, server);
  if (callers.identities) log_users(*callers.identities, line.warn_only);
  say_ready(line, version, server);
  if (!server.run()) leave();
  return {};
}

}  // namespace partita::app
