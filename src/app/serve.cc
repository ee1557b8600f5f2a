#include "app/serve.h"

#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "admin/admin.h"
#include "admin/backup_maker.h"
#include "admin/operator_calls.h"
#include "admin/simulation.h"
#include "app/codec_handler.h"
#include "app/service_manager.h"
#include "app/signals.h"
#include "app/sockets.h"
#include "auth/sign_request.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/nonblocking_writer.h"
#include "base/random.h"
#include "base/reserve.h"
#include "cli/callers.h"
#include "cli/seed.h"
#include "console/console.h"
#include "dax/protocol.h"
#include "engines/stores.h"
#include "http/protocol.h"
#include "iam/directory.h"
#include "namespaces/database_host.h"
#include "namespaces/namespaces.h"
#include "net/bound_sockets.h"
#include "net/certificate.h"
#include "net/server.h"
#include "net/unix_socket.h"
#include "observe/alarm_hook.h"
#include "observe/audit_log.h"
#include "observe/pages.h"
#include "observe/request_log.h"
#include "observe/server_status.h"
#include "observe/traces.h"
#include "ops/metrics_thread.h"
#include "ops/service.h"
#include "sinks/carry_job.h"
#include "table/open/database.h"

namespace partita::app {

namespace {

constexpr size_t kDefaultNamespaces = 64;  // open at a time

class ServiceHandler final : public http::Handler {
 public:
  // `audit` and `traces` may be null.
  ServiceHandler(namespaces::Namespaces& namespaces, const admin::Admin& admin, observe::Pages& pages,
                 observe::AuditLog* audit, observe::Traces* traces, int64_t slow_ms, admin::ConsoleFacts facts)
      : service_(namespaces.root().service()),
        admin_(admin),
        namespaces_(namespaces),
        pages_(pages),
        audit_(audit),
        traces_(traces),
        log_(slow_ms),
        console_(facts.console),
        operator_calls_(namespaces_, std::move(facts)) {}
  Task<ops::Reply> call(const ops::Call& call) override {
    if (call.target.starts_with(admin::kAdminPrefix)) [[unlikely]] {
      const admin::Admin::Answer* const answer = admin_.find(call);
      return answer != nullptr ? (*answer)(call) : operator_calls_.call(call);
    }
    return namespaces_.is_default(call) ? service_.call(call) : namespaces_.call(call);
  }
  size_t memory_of(const ops::Call& call) const override { return ops::Service::memory_of(call); }
  void answered(const ops::Call& call, const ops::Reply& reply, int64_t took_ns) override {
    service_.answered(call, reply, took_ns);
    if (!namespaces_.is_default(call)) namespaces_.answered(call, reply);
    log_.write(call, namespaces_.name_of(call), reply, took_ns);
    if (audit_ != nullptr) audit_->write(call, namespaces_.name_of(call), reply);
    if (traces_ != nullptr) traces_->note(call, namespaces_.name_of(call), reply, took_ns);
  }
  void refused(int status) override { service_.refused(status); }
  std::optional<http::File> file(std::string_view path, const ops::Source& source) override {
    return console_ ? console::find(path, source) : std::nullopt;
  }
  Task<std::optional<ops::Reply>> page(std::string_view path, const ops::Source& source) override {
    return pages_.page(path, source);
  }
  Task<std::string> trouble() override { return pages_.trouble(); }

 private:
  ops::Service& service_;
  const admin::Admin& admin_;
  namespaces::Namespaces& namespaces_;
  observe::Pages& pages_;
  observe::AuditLog* const audit_;
  observe::Traces* const traces_;
  observe::RequestLog log_;
  const bool console_;  // whether it is served
  admin::OperatorCalls operator_calls_;
};

// Returns the memory of large requests to the system at once, and limits what each thread keeps.
void return_large_memory() {
#ifdef __GLIBC__
  constexpr int kLarge = 256 << 10;
  // With less, the memory of one reply is returned page by page before the next request needs it.
  constexpr int kKept = 4 << 20;
  mallopt(M_MMAP_THRESHOLD, kLarge);
  mallopt(M_TRIM_THRESHOLD, kKept);
#endif
}

constexpr int kReadyTries = 50;
constexpr auto kReadyPause = std::chrono::milliseconds(10);

void say_ready(const cli::ServeOptions& options, std::string_view version, const net::Server& server) {
  const std::vector<std::string> all = server.urls();
  std::string urls;
  for (const std::string& url : all) urls += (urls.empty() ? "" : " and ") + url;
  std::string text = "partita " + std::string(version) + " is serving DynamoDB on " + urls + ", data in " +
                     place_of_store(options.store.url);
  if (!options.no_console) text += ", console at " + all.front() + std::string(console::kPath);
  text += "\n";
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

void log_settings(const cli::ServeOptions& options, const net::Server& server) {
  if (!logs(LogLevel::kInfo)) return;
  std::string origins;
  for (const std::string& origin : options.http.allowed_origins) origins += " " + origin;
  const auto number = [](auto value) { return std::to_string(value); };
  log(LogLevel::kInfo,
      {"Serving with ", number(options.http.threads), options.http.threads == 1 ? " thread" : " threads", ", at most ",
       number(server.connection_limit()), " connections, ", number(options.http.memory_budget >> 20),
       " MiB for requests, timeouts of ", number(options.http.idle_timeout_ms / 1000), " s idle and ",
       number(options.http.request_timeout_ms / 1000),
       " s for a request; allowed browser origins:", origins.empty() ? " none" : origins,
       options.access.capacity.server == throttle::CapacityMode::kEnforce ? "; capacity is enforced." : "."});
  if (server.connection_limit() < options.http.max_connections) {
    log(LogLevel::kWarn, "Fewer connections than requested: the limit of open files (ulimit -n) allows no more.");
  }
  if (options.development.clock_ms != 0) {
    log(LogLevel::kWarn,
        {"The clock is moved by ", std::to_string(options.development.clock_ms / 1000), " s: for development only."});
  }
  if (options.http.keys != nullptr) {
    const size_t keys = options.http.keys->size();
    log(LogLevel::kInfo,
        {"Signatures are verified; there ", keys == 1 ? "is 1 access key." : "are " + number(keys) + " access keys."});
    if (keys == 0) {
      log(LogLevel::kWarn,
          "Nobody has an access key, so all calls are refused: `partita user create` and `partita user "
          "key create` make one.");
    }
    if (server.beyond_loopback() && options.tls.certificate.empty()) {
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

// The token of /metrics (observe::Pages): without --metrics-token, a server with authentication refuses the page, since
// it names tables.
Result<std::optional<std::string>> token_for(const cli::AccessOptions& options) {
  std::optional<std::string> token;
  if (!options.verifies()) token.emplace();
  if (!options.metrics_token.empty()) {
    PARTITA_TRY(token, cli::read_token(options.metrics_token));
  }
  return token;
}

// Null without --trace-to.
Result<std::unique_ptr<observe::Traces>> begin_traces(const cli::LogOptions& options, std::string_view version) {
  if (options.trace_url.empty()) return std::unique_ptr<observe::Traces>();
  auto collector = net::Url::parse(options.trace_url);
  PARTITA_CHECK(collector.ok());
  // OTLP's default path, as for OpenTelemetry's environment variables.
  if (collector->path == "/") collector->path = "/v1/traces";
  observe::Traces::Options traces{std::move(*collector), options.trace_one_in.value_or(1), std::string(version),
                                  system_random().uuid()};
  return observe::Traces::start(std::move(traces), system_clock(), system_random());
}

// The threads that record metrics and carry out the actions of alarms.
struct MetricThreads {
  std::unique_ptr<observe::AlarmHook> alarm_hook;  // null without --alarm-hook
  std::unique_ptr<ops::MetricsThread> recorder;
};

// Before the first call of the service.
Result<MetricThreads> start_metrics(const std::string& alarm_hook, ops::Service& service) {
  MetricThreads threads;
  if (!alarm_hook.empty()) {
    auto url = net::Url::parse(alarm_hook);
    PARTITA_CHECK(url.ok());
    service.set_alarm_actions(metrics::AlarmActions::kSent);
    PARTITA_TRY(threads.alarm_hook, observe::AlarmHook::start(std::move(*url), service, system_random()));
  }
  PARTITA_TRY(threads.recorder, ops::MetricsThread::start(service, system_random()));
  return threads;
}

// Without the reserve every request would be refused.
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

// Before the store is opened, which may need as many files as the connections.
Result<void> prepare_process() {
  block_stop_signals();
  net::Server::raise_file_limit();
  return prepare_memory();
}

Result<void> start_server(net::Server& server) {
  PARTITA_TRY_VOID(check_memory());
  return server.start();
}

// A moved clock deletes expired items. It is refused if others may depend on stored data, unless --clock allows it.
bool may_move_clock(const cli::ServeOptions& options, const Sockets& sockets) {
  const bool keeps_data = engine_of(options.store.url).format != 0;
  return options.development.clock_moves || !keeps_data || !(options.access.verifies() || sockets.beyond_loopback());
}

// Null without --scrub.
Result<std::unique_ptr<storage::Scrub>> start_scrub(const cli::StoreOptions& options, storage::Engine& engine) {
  if (options.scrub_rest_ms == 0) return std::unique_ptr<storage::Scrub>();
  storage::ScrubOptions scrub{.rest_ms = options.scrub_rest_ms};
  if (options.scrub_rate) scrub.bytes_per_second = *options.scrub_rate;
  return engine.maintenance()->start_scrub(scrub);
}

// Null without --audit-log.
Result<std::unique_ptr<observe::AuditLog>> open_audit_log(const cli::LogOptions& options) {
  if (options.audit_file.empty()) return std::unique_ptr<observe::AuditLog>();
  const auto calls = options.audit_data ? observe::AuditLog::Calls::kAll : observe::AuditLog::Calls::kControl;
  return observe::AuditLog::open(options.audit_file, calls, system_clock());
}

// What is read before the store is opened: a server that fails there leaves no new store.
struct Inputs {
  cli::Callers callers;
  std::unique_ptr<net::Certificate> certificate;  // null without --tls-cert
  std::optional<std::string> token;
};

// On SIGHUP.
void reload(net::Certificate* certificate, observe::AuditLog* audit) {
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

Result<void> read_inputs(const cli::ServeOptions& options, Inputs& inputs) {
  PARTITA_TRY_VOID(cli::read_callers(options.access, inputs.callers));
  if (!options.tls.certificate.empty()) {
    PARTITA_TRY(inputs.certificate, net::Certificate::load(options.tls.certificate, options.tls.key));
  }
  PARTITA_TRY(inputs.token, token_for(options.access));
  // It is read again for each request; a mistake is better told now.
  if (!options.kinesis.credentials.empty()) PARTITA_TRY_VOID(auth::read_signing_key(options.kinesis.credentials));
  return {};
}

// The options of HTTP that follow from others. `certificate` may be null.
void complete_http(cli::ServeOptions& options, const iam::Directory& directory, const net::Certificate* certificate) {
  options.http.certificate = certificate;
  options.http.serves_pages = !options.no_console;
  if (!options.access.verifies()) return;
  options.http.keys = &directory;
  if (options.http.region.empty()) options.http.region = "us-east-1";
}

admin::ConsoleFacts facts_of(const cli::ServeOptions& options, const namespaces::DatabaseHost::Environment& environment,
                             std::string_view version) {
  return {.version = std::string(version),
          .console = !options.no_console,
          .verified = options.access.verifies(),
          .region = options.http.region,
          .namespaces_by = options.development.namespaces_by,
          .snapshots = environment.exclusive,
          .clock_moves = environment.exclusive && environment.clock_moves,
          .began_ns = system_clock().monotonic_ns(),
          .sink_hosts = options.access.sink_hosts};
}

std::unique_ptr<ops::Service> make_service_of(const cli::AccessOptions& options, iam::Directory& directory,
                                              table::Database& database) {
  const auto enforcement = options.warn_only ? ops::Enforcement::kWarn : ops::Enforcement::kRefuse;
  return std::make_unique<ops::Service>(database, enforcement, options.request_rate, &directory, options.capacity);
}

table::DatabaseOptions database_options(const cli::ServeOptions& options) {
  table::DatabaseOptions made{.graph_bytes = options.store.vector_bytes};
  made.make_job = sinks::job_maker(options.http.region, {options.kinesis.endpoint, options.kinesis.credentials});
  if (options.kinesis.endpoint.empty()) {
    made.no_kinesis =
        "Kinesis streaming needs an endpoint of Kinesis: start the server with `partita serve --kinesis-endpoint URL`.";
  }
  return made;
}

void set_up_log(const cli::LogOptions& options) {
  set_log_level(options.level);
  set_log_format(options.format);
}

}  // namespace

Result<void> serve(const cli::ServeOptions& given, const cli::Build& build) {
  cli::ServeOptions options = given;
  set_up_signals();
  set_up_log(options.log);
  Inputs inputs;
  PARTITA_TRY_VOID(read_inputs(options, inputs));
  cli::Callers& callers = inputs.callers;
  PARTITA_TRY(Sockets sockets, bind_sockets(options));
  PARTITA_TRY(const std::unique_ptr<observe::AuditLog> audit, open_audit_log(options.log));
  PARTITA_TRY_VOID(prepare_process());
  const EngineRow& engine_row = engine_of(options.store.url);
  PARTITA_TRY(const std::unique_ptr<storage::Engine> engine, open_store(options.store.url));
  PARTITA_TRY(const std::unique_ptr<storage::Scrub> scrub, start_scrub(options.store, *engine));
  const MovableClock clock(system_clock(), options.development.clock_ms);
  iam::Directory directory(*engine, clock, callers.credentials ? &*callers.credentials : nullptr,
                           callers.account ? &*callers.account : nullptr);
  const namespaces::DatabaseHost::Environment environment{.store = *engine,
                                                          .clock = system_clock(),
                                                          .random = system_random(),
                                                          .options = database_options(options),
                                                          .follower = &directory,
                                                          .exclusive = engine_row.exclusive,
                                                          .clock_ms = options.development.clock_ms,
                                                          .clock_moves = may_move_clock(options, sockets)};
  const namespaces::DatabaseHost::MakeService make_service = [&](table::Database& database) {
    return make_service_of(options.access, directory, database);
  };
  PARTITA_TRY(const std::unique_ptr<namespaces::DatabaseHost> root,
              namespaces::DatabaseHost::open(environment, {}, make_service));
  ops::Service& service = root->service();
  service.set_dax_address(dax_address_of(options.dax, sockets));
  namespaces::Namespaces::Seed seed;
  if (!options.development.seed.empty()) {
    seed = [&](ops::Service& of) { return cli::seed(options.development.seed, of, environment.exclusive); };
    PARTITA_TRY_VOID(seed(service));
  }
  namespaces::Namespaces namespaces(environment, *root, seed, options.development.namespaces_by,
                                    options.development.max_namespaces.value_or(kDefaultNamespaces));
  PARTITA_TRY_VOID(namespaces.start());
  PARTITA_TRY(const MetricThreads metrics, start_metrics(options.alarm_hook, service));
  PARTITA_TRY(const std::unique_ptr<observe::Traces> traces, begin_traces(options.log, build.version));
  observe::Pages pages({*engine, scheme_of(options.store.url), system_random(), service, build.version,
                        std::move(inputs.token), traces.get(), audit.get()});
  PARTITA_TRY(const std::unique_ptr<net::UnixSocket> admin_socket, open_admin_socket(options, sockets));
  admin::BackupMaker backups(*engine, engine_row.backed_up_by);
  admin::Admin admin;
  backups.add_to(admin);
  admin::answer_simulations(admin, directory, service);
  complete_http(options, directory, inputs.certificate.get());
  ServiceHandler handler(namespaces, admin, pages, audit.get(), traces.get(), options.log.slow_request_ms,
                         facts_of(options, environment, build.version));
  CodecHandler codec_handler(namespaces, audit.get(), traces.get(), options.log.slow_request_ms);
  PARTITA_TRY(const DaxCalls dax_calls, DaxCalls::make(codec_handler, options.dax.cache_bytes, service));
  const http::Protocol http(options.http, handler, system_clock(), system_random());
  net::Server server(options.http, system_clock());
  PARTITA_TRY_VOID(listen(server, options, sockets, http, dax_calls, admin_socket.get()));
  pages.add_report(
      [&](Exposition& out) { namespaces.report(out), server.report(out), http.report(out), dax_calls.report(out); });
  observe::answer_status(admin, pages,
                         {std::string(build.version), std::string(build.revision), place_of_store(options.store.url),
                          !engine_row.exclusive, server.urls(), system_clock().now_ms(), scrub.get()});
  PARTITA_TRY_VOID(start_server(server));
  SignalThread signals(server, options.http.stop_timeout_ms, [&] { reload(inputs.certificate.get(), audit.get()); });
  PARTITA_TRY_VOID(signals.start());
  log_settings(options, server);
  if (callers.identities) log_users(*callers.identities, options.access.warn_only);
  say_ready(options, build.version, server);
  if (!server.run()) exit_now();
  return {};
}

}  // namespace partita::app
