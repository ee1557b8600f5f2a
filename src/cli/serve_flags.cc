#include "cli/serve_flags.h"

#include <algorithm>
#include <array>

#include "auth/text_util.h"
#include "base/clock.h"
#include "engines/stores.h"
#include "net/url.h"
#include "sinks/sink_hosts.h"
#include "table/maintenance/namespaces.h"

namespace partita::cli {

namespace {

// An address to listen on: the paths of the members for its host and its port.
template <auto kHost, auto kPort>
Result<void> set_address(Draft& draft, const Flag& flag, std::string_view text) {
  const std::string name(flag.name);
  const size_t colon = text.rfind(':');
  const bool bracketed = text.starts_with('[');
  if (!bracketed && text.find(':') != colon) {
    return misuse(name + " takes an IPv6 address in brackets with a port, such as [::1]:8000, not " + quoted(text) +
                  ".");
  }
  std::string_view address = text.substr(0, std::min(colon, text.size()));
  if (bracketed && address.size() > 2 && address.ends_with(']')) {
    address = address.substr(1, address.size() - 2);
  } else if (bracketed || colon == std::string_view::npos || colon == 0) {
    return misuse(name + " takes HOST:PORT, such as localhost:8000 or [::1]:8000, not " + quoted(text) + ".");
  }
  PARTITA_TRY(const uint64_t port, read_number(name + " HOST:PORT", text.substr(colon + 1), 0, 65535));
  kHost(draft) = address;
  kPort(draft) = static_cast<uint16_t>(port);
  return {};
}

template <auto kListener>
Result<void> set_dax(Draft& draft, const Flag& flag, std::string_view text) {
  kListener(draft).emplace();
  return set_address<[](Draft& in) -> auto& { return kListener(in)->address; },
                     [](Draft& in) -> auto& { return kListener(in)->port; }>(draft, flag, text);
}

// HOST, or HOST:PORT. An IPv6 address is in brackets.
Result<void> add_dax_advertised(Draft& draft, const Flag& flag, std::string_view text) {
  const bool bracketed = text.starts_with('[');
  const size_t end = std::min(text.find(bracketed ? ']' : ':'), text.size());
  std::string_view host = text.substr(0, end);
  std::string_view rest = text.substr(end);
  if (bracketed) {
    host.remove_prefix(1);
    rest.remove_prefix(std::min<size_t>(1, rest.size()));
  }
  const bool closed = !bracketed || end < text.size();
  const bool ends_well = rest.empty() || (rest.starts_with(':') && rest.rfind(':') == 0);
  if (host.empty() || !closed || !ends_well) {
    return misuse("--dax-advertise takes HOST or HOST:PORT, such as db.example.com:8111 or [2001:db8::1]:8111, not " +
                  quoted(text) + ".");
  }
  if (host == "0.0.0.0" || host == "::") {
    return misuse("--dax-advertise takes the address at which clients reach this server, not " + quoted(text) +
                  ", which stands for all addresses.");
  }
  dax::Advertised advertised{std::string(host)};
  if (!rest.empty()) {
    PARTITA_TRY(const uint64_t port, read_number(std::string(flag.name) + " HOST:PORT", rest.substr(1), 1, 65535));
    advertised.port = static_cast<uint16_t>(port);
  }
  draft.line.serve.dax.advertised.push_back(std::move(advertised));
  return {};
}

Result<void> set_region(Draft& draft, const Flag&, std::string_view text) {
  if (!auth::is_region(text)) return misuse("--region takes a region, such as eu-west-1, not " + quoted(text) + ".");
  draft.line.serve.http.region = text;
  return {};
}

Result<void> set_trace_to(Draft& draft, const Flag&, std::string_view text) {
  if (!net::Url::parse(text).ok()) {
    return misuse("--trace-to takes a URL such as http://localhost:4318, not " + quoted(text) + ".");
  }
  draft.line.serve.log.trace_url = text;
  return {};
}

Result<void> set_alarm_hook(Draft& draft, const Flag&, std::string_view text) {
  if (!net::Url::parse(text).ok()) {
    return misuse("--alarm-hook takes a URL such as http://localhost:9000/alarms, not " + quoted(text) + ".");
  }
  draft.line.serve.alarm_hook = text;
  return {};
}

Result<void> set_kinesis_endpoint(Draft& draft, const Flag&, std::string_view text) {
  const auto url = net::Url::parse(text);
  if (!url.ok() || url->path != "/") {
    return misuse("--kinesis-endpoint takes a URL such as https://kinesis.us-east-1.amazonaws.com, not " +
                  quoted(text) + ".");
  }
  draft.line.serve.kinesis.endpoint = text;
  return {};
}

Result<void> set_namespaces(Draft& draft, const Flag&, std::string_view text) {
  if (text != "key" && text != "header") {
    return misuse("--namespaces takes key or header, not " + quoted(text) + ".");
  }
  draft.line.serve.development.namespaces_by =
      text == "key" ? namespaces::NamespacesBy::kKey : namespaces::NamespacesBy::kHeader;
  return {};
}

Result<void> add_allowed_origin(Draft& draft, const Flag&, std::string_view text) {
  const size_t scheme = text.find("://");
  const bool whole = scheme != std::string_view::npos && scheme > 0 && text.size() > scheme + 3 &&
                     text.find_first_of("/ \t", scheme + 3) == std::string_view::npos;
  if (text != "*" && text != "null" && !whole) {
    return misuse("--allow-origin takes an origin as browsers send it, such as http://localhost:3000, or '*', not " +
                  quoted(text) + ".");
  }
  draft.line.serve.http.allowed_origins.emplace_back(text);
  return {};
}

Result<void> set_sink_hosts(Draft& draft, const Flag&, std::string_view text) {
  std::vector<std::string> hosts;
  bool sound = !text.empty();
  auth::split(text, ',', [&](std::string_view host) {
    sound = sound && sinks::is_sink_host(host);
    hosts.emplace_back(host);
  });
  if (!sound) {
    return misuse(
        "--sink-hosts takes hosts such as search.example.com or search.example.com:9200, with commas between, not " +
        quoted(text) + ".");
  }
  draft.line.serve.access.sink_hosts = std::move(hosts);
  return {};
}

Result<void> set_log_level(Draft& draft, const Flag&, std::string_view text) {
  const auto level = log_level_named(text);
  if (!level) return misuse("--log-level takes error, warn, info or debug, not " + quoted(text) + ".");
  draft.line.serve.log.level = *level;
  return {};
}

Result<void> set_capacity(Draft& draft, const Flag&, std::string_view text) {
  const auto mode = throttle::capacity_mode_named(text);
  if (!mode) return misuse("--capacity takes record or enforce, not " + quoted(text) + ".");
  draft.line.serve.access.capacity.server = *mode;
  return {};
}

Result<void> add_capacity_of(Draft& draft, const Flag&, std::string_view text) {
  const size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  const auto mode =
      equals == std::string_view::npos ? std::nullopt : throttle::capacity_mode_named(text.substr(equals + 1));
  if (!table::is_namespace_name(name) || !mode) {
    return misuse("--capacity-of takes NAMESPACE=MODE, such as worker1=enforce, not " + quoted(text) + ".");
  }
  draft.line.serve.access.capacity.namespaces.insert_or_assign(std::string(name), *mode);
  return {};
}

Result<void> set_log_format(Draft& draft, const Flag&, std::string_view text) {
  if (text != "text" && text != "json") return misuse("--log-format takes text or json, not " + quoted(text) + ".");
  draft.line.serve.log.format = text == "json" ? LogFormat::kJson : LogFormat::kText;
  return {};
}

Result<void> set_clock(Draft& draft, const Flag&, std::string_view text) {
  constexpr int64_t kAfter9999Ms = 253'402'300'800'000;
  PARTITA_TRY(const int64_t seconds, read_offset("--clock", text));
  draft.line.serve.development.clock_ms = seconds * 1'000;
  draft.line.serve.development.clock_moves = true;
  const int64_t then_ms = system_clock().now_ms() + draft.line.serve.development.clock_ms;
  if (then_ms < 0 || then_ms >= kAfter9999Ms) {
    return misuse("--clock takes an offset to a time from 1970 to 9999, not " + quoted(text) + ".");
  }
  return {};
}

constexpr std::array kServeFlags = {
    Flag{"--listen", "HOST:PORT",
         "The address to listen on (default localhost:8000, which is 127.0.0.1 and ::1). Port 0 chooses a free port. "
         "An address that other machines reach needs --credentials, --users or --insecure.",
         set_address<PARTITA_OPTION(serve.http.address), PARTITA_OPTION(serve.http.port)>},
    Flag{"--insecure", "",
         "Allow an address beyond loopback without --credentials or --users. Anyone who reaches the port may then do "
         "anything.",
         set_on<PARTITA_OPTION(serve.http.beyond_loopback)>},
    Flag{"--credentials", "FILE",
         "Verify signatures. The access keys in this file may do everything; users of the store may call with their "
         "own keys. The format is that of the AWS CLI's ~/.aws/credentials.",
         set_text<PARTITA_OPTION(serve.access.credentials)>},
    Flag{"--users", "", "Verify signatures. Only users of the store may call; see `partita user create`.",
         set_on<PARTITA_OPTION(serve.access.users)>},
    Flag{"--region", "REGION",
         "The region of all tables, in ARNs and policies (default: us-east-1 with --credentials or --users, otherwise "
         "the region of each request's signature).",
         set_region},
    Flag{
        "--identities", "FILE",
        "Read users, groups, roles and policies from this file instead of the store. It has the format of `aws iam "
        "get-account-authorization-details`. Each profile of --credentials then belongs to the user of that name, whose "
        "policies apply.",
        set_text<PARTITA_OPTION(serve.access.identities)>},
    Flag{"--warn-only", "", "Allow and log requests that policies would refuse.",
         set_on<PARTITA_OPTION(serve.access.warn_only)>},
    Flag{"--tls-cert", "FILE",
         "Serve HTTPS only, with this certificate: PEM, followed by its chain. SIGHUP reloads it.",
         set_text<PARTITA_OPTION(serve.tls.certificate)>},
    Flag{"--tls-key", "FILE", "The certificate's private key: PEM, without a passphrase.",
         set_text<PARTITA_OPTION(serve.tls.key)>},
    Flag{"--dax", "HOST:PORT",
         "Also serve the protocol of DynamoDB Accelerator (DAX) at this address; its usual port is 8111. The same rule "
         "as for --listen holds for addresses that other machines reach.",
         set_dax<PARTITA_OPTION(serve.dax.plain)>},
    Flag{"--dax-tls", "HOST:PORT",
         "The same over TLS (daxs://), with the certificate of --tls-cert; the usual port is 9111.",
         set_dax<PARTITA_OPTION(serve.dax.encrypted)>},
    Flag{"--dax-advertise", "HOST[:PORT]",
         "The address that DAX clients are told to connect to (default: the one at which they reached the server). A "
         "name is resolved once, at the start. Without PORT it is that of the listener. Repeat the option for each "
         "server of the store.",
         add_dax_advertised},
    Flag{"--dax-cache", "MIB",
         "Answer eventually consistent reads over DAX from caches as DynamoDB Accelerator does, which may be 5 minutes "
         "old, with this much memory for both of them (default 0: no cache).",
         set_number<PARTITA_OPTION(serve.dax.cache_bytes), 0, 1 << 20, 1 << 20>},
    Flag{"--metrics-token", "FILE",
         "Require the first line of this file as a bearer token for /metrics. Without a token, /metrics is answered "
         "only if the Host header is an address or a local name. With --credentials or --users and no token, it is "
         "answered only over the administration socket.",
         set_text<PARTITA_OPTION(serve.access.metrics_token)>},
    Flag{"--allow-origin", "ORIGIN",
         "Allow web pages of this origin, such as http://localhost:3000, to call; '*' allows all. Repeat the option "
         "for more origins.",
         add_allowed_origin},
    Flag{"--no-console", "",
         "Do not serve the console, the web application at /console/. Without this option its pages may call if they "
         "were loaded from localhost or an address, and under any name if signatures are verified.",
         set_on<PARTITA_OPTION(serve.no_console)>},
    Flag{"--data", "DIR", "The data directory (default ./partita-data). It is created if missing.", set_data},
    Flag{"--in-memory", "", "Keep all data in memory. It is gone when the server stops.", set_in_memory},
    Flag{"--store", "URL", "Keep the data in this store instead of a directory. Stores are listed below.", set_store},
    Flag{"--threads", "N",
         "The number of threads that serve connections (default: one for each processor that this process may use).",
         set_number<PARTITA_OPTION(serve.http.threads), 1, 1024>},
    Flag{"--max-connections", "N",
         "The maximum number of connections (default 10000, or fewer where `ulimit -n` is low). A further connection "
         "closes the one that has been idle longest.",
         set_number<PARTITA_OPTION(serve.http.max_connections), 1, 1'000'000>},
    Flag{"--idle-timeout", "SECONDS", "Close a connection that is idle for this long between requests (default 120).",
         set_number<PARTITA_OPTION(serve.http.idle_timeout_ms), 1, 86'400, 1000>},
    Flag{"--request-timeout", "SECONDS",
         "The time limit for each of three steps: receiving a request's header, receiving its body, and sending its "
         "reply (default 30). Bodies and replies get another second for each 256 KiB.",
         set_number<PARTITA_OPTION(serve.http.request_timeout_ms), 1, 86'400, 1000>},
    Flag{"--memory-budget", "MIB",
         "The memory for all requests in progress: bodies, parsed bodies and replies (default 512). Requests beyond "
         "it are answered 503, and SDKs retry them.",
         set_number<PARTITA_OPTION(serve.http.memory_budget), 16, 1 << 20, 1 << 20>},
    Flag{"--vector-memory", "MIB",
         "The memory for graphs that speed up vector search (default 1024). Indexes that do not fit are searched "
         "vector by vector; with 0, all are.",
         set_number<PARTITA_OPTION(serve.store.vector_bytes), 0, 1 << 20, 1 << 20>},
    Flag{"--log-level", "LEVEL", "The detail of the log on stderr: error, warn, info or debug (default info).",
         set_log_level},
    Flag{"--log-format", "FORMAT",
         "The format of the log: text or json (default text). json writes one object per line, with time, level and "
         "message.",
         set_log_format},
    Flag{"--slow-request", "MS",
         "Log a warning for each request that takes at least this many milliseconds (default 1000).",
         set_number<PARTITA_OPTION(serve.log.slow_request_ms), 0, 86'400'000>},
    Flag{"--request-rate", "N",
         "The number of requests that each user may make in a second; without users, each access key. Further "
         "requests are throttled, and SDKs retry them.",
         set_number<PARTITA_OPTION(serve.access.request_rate), 1, 1'000'000>},
    Flag{"--capacity", "MODE",
         "What happens to requests beyond the capacity of their table or index: record (the default) serves and counts "
         "them, enforce throttles them as DynamoDB does. A table's tag partita:capacity has precedence.",
         set_capacity},
    Flag{"--capacity-of", "NAMESPACE=MODE", "The --capacity of one namespace. Repeat the option for more.",
         add_capacity_of},
    Flag{"--audit-log", "FILE",
         "Append one line of JSON for each call that concerns tables, users or policies: caller, operation, address "
         "and outcome. SIGHUP reopens the file.",
         set_text<PARTITA_OPTION(serve.log.audit_file)>},
    Flag{"--audit-data", "", "Also write calls that read or write items to the audit log.",
         set_on<PARTITA_OPTION(serve.log.audit_data)>},
    Flag{"--trace-to", "URL",
         "Send a span of each request to an OpenTelemetry collector (OTLP over HTTP), such as http://localhost:4318.",
         set_trace_to},
    Flag{"--trace-one-in", "N",
         "Start a trace for one in N requests that carry no trace context (default 1). Requests that carry one follow "
         "its sampling flag.",
         set_number<PARTITA_OPTION(serve.log.trace_one_in), 1, 1'000'000'000>},
    Flag{
        "--sink-hosts", "HOST[:PORT],...",
        "The hosts that CreateSink may name in its Url. Without this option, sinks are created over the administration "
        "socket alone, as `partita sink create` does, where any host may be named.",
        set_sink_hosts},
    Flag{"--kinesis-endpoint", "URL",
         "Where Kinesis streaming of tables sends changes to: the endpoint of Kinesis, or of a server that speaks its "
         "protocol. Without this option, EnableKinesisStreamingDestination is refused.",
         set_kinesis_endpoint},
    Flag{"--kinesis-credentials", "FILE",
         "The access key for --kinesis-endpoint: profile `default`, or the only one, of a file in the format of the "
         "AWS CLI's ~/.aws/credentials. Only its owner may be able to read it. It is read for each request.",
         set_text<PARTITA_OPTION(serve.kinesis.credentials)>},
    Flag{"--alarm-hook", "URL",
         "Send a request to this URL for each action of an alarm that changes its state. The request is a notification "
         "of SNS to an HTTP subscriber, without a signature. Without this option, actions are not carried out.",
         set_alarm_hook},
    Flag{"--scrub", "HOURS",
         "Check all table files of --data in the background, and again this many hours after each round. `partita "
         "status`, /ready and /metrics report damage.",
         set_number<PARTITA_OPTION(serve.store.scrub_rest_ms), 1, 8'760, 3'600'000>},
    Flag{"--scrub-rate", "MIB", "The most that the scrub reads in a second (default 16).",
         set_number<PARTITA_OPTION(serve.store.scrub_rate), 1, 1 << 20, 1 << 20>},
    Flag{"--admin-socket", "FILE",
         "The administration socket: a Unix socket for verbs such as `partita status` (default: admin.sock in --data; "
         "none for other stores). It needs no signature; only the user who runs the server can open it.",
         set_text<PARTITA_OPTION(serve.access.admin_socket)>},
    Flag{"--seed", "DIR",
         "Create the tables described in DIR/*.json (the input of CreateTable) with the items in DIR/TABLE.jsonl (one "
         "{\"Item\": {...}} per line). Existing tables are left unchanged, except that an interrupted seeding is "
         "completed.",
         set_text<PARTITA_OPTION(serve.development.seed)>},
    Flag{"--namespaces", "BY",
         "Give each namespace its own tables. `key` makes each access key id a namespace; `header` takes the name "
         "from the request's X-Partita-Namespace. New namespaces start with the seed.",
         set_namespaces},
    Flag{"--max-namespaces", "N",
         "The maximum number of open namespaces (default 64). Beyond it, opening one closes the least recently used "
         "one. The closed one keeps its data, and its next request opens it again.",
         set_number<PARTITA_OPTION(serve.development.max_namespaces), 1, 10'000>},
    Flag{"--root-400", "", "Answer GET / with 400, as DynamoDB Local does and some tools expect.",
         set_on<PARTITA_OPTION(serve.http.root_refuses)>},
    Flag{"--clock", "OFFSET",
         "Shift the server's clock, for development: seconds, or a number followed by s, m, h or d, such as +90m, -2h "
         "or +31d. If a server stores data, and verifies signatures or listens beyond loopback, `partita clock` moves "
         "its clock only if this option is given; 0 suffices.",
         set_clock},
};

Result<void> check_access(const AccessOptions& access) {
  if (!access.identities.empty() && access.credentials.empty()) {
    return misuse("--identities needs --credentials, which holds the users' access keys.");
  }
  if (!access.identities.empty() && access.users) {
    return misuse("--users uses the users of the store, and --identities those of a file: give one of them.");
  }
  if (access.warn_only && !access.verifies()) {
    return misuse("--warn-only needs --credentials or --users: without them no policy is evaluated.");
  }
  if (access.request_rate != 0 && !access.verifies()) {
    return misuse("--request-rate needs --credentials or --users: without them a client may use any name.");
  }
  return {};
}

Result<void> check_dax(const DaxOptions& dax, const TlsFiles& tls) {
  if (dax.encrypted && tls.certificate.empty()) return misuse("--dax-tls needs --tls-cert and --tls-key.");
  if (dax.cache_bytes != 0 && !dax.plain && !dax.encrypted) return misuse("--dax-cache needs --dax or --dax-tls.");
  if (dax.advertised.empty()) return {};
  if (!dax.plain && !dax.encrypted) return misuse("--dax-advertise needs --dax or --dax-tls.");
  const bool has_port = std::ranges::any_of(dax.advertised, [](const auto& one) { return one.port != 0; });
  if (dax.plain && dax.encrypted && has_port) {
    return misuse(
        "--dax-advertise takes no port with both --dax and --dax-tls, whose ports differ: give the host alone.");
  }
  return {};
}

}  // namespace

std::span<const Flag> serve_flags() { return kServeFlags; }

Result<void> finish_serve(Draft& draft) {
  ServeOptions& options = draft.line.serve;
  PARTITA_TRY(options.store.url, store_of(draft));
  if (options.store.scrub_rest_ms != 0 && !engine_of(options.store.url).is_directory) {
    return misuse("--scrub needs a store in a directory: name it with --data.");
  }
  if (options.store.scrub_rate && options.store.scrub_rest_ms == 0) return misuse("--scrub-rate needs --scrub.");
  PARTITA_TRY_VOID(check_access(options.access));
  const DevelopmentOptions& development = options.development;
  if (development.max_namespaces && development.namespaces_by == namespaces::NamespacesBy::kNothing) {
    return misuse("--max-namespaces needs --namespaces.");
  }
  if (!options.access.capacity.namespaces.empty() && development.namespaces_by == namespaces::NamespacesBy::kNothing) {
    return misuse("--capacity-of needs --namespaces.");
  }
  const LogOptions& log = options.log;
  if (log.audit_data && log.audit_file.empty()) return misuse("--audit-data needs --audit-log.");
  if (log.trace_one_in && log.trace_url.empty()) return misuse("--trace-one-in needs --trace-to.");
  if (!options.kinesis.credentials.empty() && options.kinesis.endpoint.empty()) {
    return misuse("--kinesis-credentials needs --kinesis-endpoint.");
  }
  if (options.tls.certificate.empty() != options.tls.key.empty()) {
    return misuse("--tls-cert and --tls-key must be given together.");
  }
  return check_dax(options.dax, options.tls);
}

}  // namespace partita::cli
