#include <algorithm>
#include <array>

#include "auth/words.h"
#include "base/clock.h"
#include "cli/options.h"
#include "engines/stores.h"
#include "net/url.h"

namespace partita::cli {

namespace {

Result<void> set_listen(Draft& draft, std::string_view text) {
  const size_t colon = text.rfind(':');
  const bool bracketed = text.starts_with('[');
  if (!bracketed && text.find(':') != colon) {
    return misuse("--listen takes an IPv6 address in brackets with a port, such as [::1]:8000, not " + quoted(text) +
                  ".");
  }
  std::string_view address = text.substr(0, std::min(colon, text.size()));
  if (bracketed && address.size() > 2 && address.ends_with(']')) {
    address = address.substr(1, address.size() - 2);
  } else if (bracketed || colon == std::string_view::npos || colon == 0) {
    return misuse("--listen takes HOST:PORT, such as localhost:8000 or [::1]:8000, not " + quoted(text) + ".");
  }
  PARTITA_TRY(const uint64_t port, read_number("--listen HOST:PORT", text.substr(colon + 1), 0, 65535));
  draft.line.http.address = address;
  draft.line.http.port = static_cast<uint16_t>(port);
  return {};
}

Result<void> set_threads(Draft& draft, std::string_view text) {
  PARTITA_TRY(const uint64_t threads, read_number("--threads", text, 1, 1024));
  draft.line.http.threads = static_cast<unsigned>(threads);
  return {};
}

Result<void> set_max_connections(Draft& draft, std::string_view text) {
  PARTITA_TRY(draft.line.http.max_connections, read_number("--max-connections", text, 1, 1'000'000));
  return {};
}

Result<void> set_seconds(int64_t& milliseconds, std::string_view flag, std::string_view text) {
  PARTITA_TRY(const uint64_t seconds, read_number(flag, text, 1, 86'400));
  milliseconds = static_cast<int64_t>(seconds) * 1000;
  return {};
}

Result<void> set_idle_timeout(Draft& draft, std::string_view text) {
  return set_seconds(draft.line.http.idle_timeout_ms, "--idle-timeout", text);
}

Result<void> set_request_timeout(Draft& draft, std::string_view text) {
  return set_seconds(draft.line.http.request_timeout_ms, "--request-timeout", text);
}

Result<void> set_region(Draft& draft, std::string_view text) {
  if (!auth::is_region(text)) return misuse("--region takes a region, such as eu-west-1, not " + quoted(text) + ".");
  draft.line.http.region = text;
  return {};
}

Result<void> set_request_rate(Draft& draft, std::string_view text) {
  PARTITA_TRY(draft.line.request_rate, read_number("--request-rate", text, 1, 1'000'000));
  return {};
}

Result<void> set_scrub(Draft& draft, std::string_view text) {
  constexpr int64_t kHourMs = 3'600'000;
  PARTITA_TRY(const uint64_t hours, read_number("--scrub", text, 1, 8'760));
  draft.line.scrub_rest_ms = static_cast<int64_t>(hours) * kHourMs;
  return {};
}

Result<void> set_scrub_rate(Draft& draft, std::string_view text) {
  PARTITA_TRY(const uint64_t mebibytes, read_number("--scrub-rate", text, 1, 1 << 20));
  draft.line.scrub_rate = mebibytes << 20;
  return {};
}

Result<void> set_trace_to(Draft& draft, std::string_view text) {
  if (!net::Url::parse(text).ok()) {
    return misuse("--trace-to takes a URL such as http://localhost:4318, not " + quoted(text) + ".");
  }
  draft.line.trace_to = text;
  return {};
}

Result<void> set_trace_one_in(Draft& draft, std::string_view text) {
  PARTITA_TRY(draft.line.trace_one_in, read_number("--trace-one-in", text, 1, 1'000'000'000));
  return {};
}

Result<void> set_namespaces(Draft& draft, std::string_view text) {
  if (text != "key" && text != "header") {
    return misuse("--namespaces takes key or header, not " + quoted(text) + ".");
  }
  draft.line.namespaces_by = text == "key" ? namespaces::NamespacesBy::kKey : namespaces::NamespacesBy::kHeader;
  return {};
}

Result<void> set_max_namespaces(Draft& draft, std::string_view text) {
  PARTITA_TRY(draft.line.most_namespaces, read_number("--max-namespaces", text, 1, 10'000));
  return {};
}

Result<void> set_root_400(Draft& draft, std::string_view) {
  draft.line.http.root_refuses = true;
  return {};
}

Result<void> set_insecure(Draft& draft, std::string_view) {
  draft.line.http.beyond_loopback = true;
  return {};
}

Result<void> add_allowed_origin(Draft& draft, std::string_view text) {
  const size_t scheme = text.find("://");
  const bool whole = scheme != std::string_view::npos && scheme > 0 && text.size() > scheme + 3 &&
                     text.find_first_of("/ \t", scheme + 3) == std::string_view::npos;
  if (text != "*" && text != "null" && !whole) {
    return misuse("--allow-origin takes an origin as browsers send it, such as http://localhost:3000, or '*', not " +
                  quoted(text) + ".");
  }
  draft.line.http.allowed_origins.emplace_back(text);
  return {};
}

Result<void> set_memory_budget(Draft& draft, std::string_view text) {
  PARTITA_TRY(const uint64_t mebibytes, read_number("--memory-budget", text, 16, 1 << 20));
  draft.line.http.memory_budget = mebibytes << 20;
  return {};
}

Result<void> set_vector_memory(Draft& draft, std::string_view text) {
  PARTITA_TRY(const uint64_t mebibytes, read_number("--vector-memory", text, 0, 1 << 20));
  draft.line.vector_bytes = mebibytes << 20;
  return {};
}

Result<void> set_log_level(Draft& draft, std::string_view text) {
  const auto level = log_level_named(text);
  if (!level) return misuse("--log-level takes error, warn, info or debug, not " + quoted(text) + ".");
  draft.line.log_level = *level;
  return {};
}

Result<void> set_log_format(Draft& draft, std::string_view text) {
  if (text != "text" && text != "json") return misuse("--log-format takes text or json, not " + quoted(text) + ".");
  draft.line.log_format = text == "json" ? LogFormat::kJson : LogFormat::kText;
  return {};
}

Result<void> set_clock(Draft& draft, std::string_view text) {
  constexpr int64_t kAfter9999Ms = 253'402'300'800'000;
  PARTITA_TRY(const int64_t seconds, read_offset("--clock", text));
  draft.line.clock_ms = seconds * 1'000;
  draft.line.clock_moves = true;
  const int64_t then_ms = system_clock().now_ms() + draft.line.clock_ms;
  if (then_ms < 0 || then_ms >= kAfter9999Ms) {
    return misuse("--clock takes an offset to a time from 1970 to 9999, not " + quoted(text) + ".");
  }
  return {};
}

Result<void> set_slow_request(Draft& draft, std::string_view text) {
  PARTITA_TRY(const uint64_t milliseconds, read_number("--slow-request", text, 0, 86'400'000));
  draft.line.slow_request_ms = static_cast<int64_t>(milliseconds);
  return {};
}

constexpr std::array kServeFlags = {
    Flag{"--listen", "HOST:PORT",
         "The address to listen on (default localhost:8000, which is 127.0.0.1 and ::1). Port 0 chooses a free port. "
         "An address that other machines reach needs --credentials, --users or --insecure.",
         set_listen},
    Flag{"--insecure", "",
         "Allow an address beyond loopback without --credentials or --users. Anyone who reaches the port may then do "
         "anything.",
         set_insecure},
    Flag{"--credentials", "FILE",
         "Verify signatures. The access keys in this file may do everything; users of the store may call with their "
         "own keys. The format is that of the AWS CLI's ~/.aws/credentials.",
         set_text<&CommandLine::credentials>},
    Flag{"--users", "", "Verify signatures. Only users of the store may call; see `partita user create`.",
         set_on<&CommandLine::users>},
    Flag{"--region", "REGION",
         "The region of all tables, in ARNs and policies (default: us-east-1 with --credentials or --users, otherwise "
         "the region of each request's signature).",
         set_region},
    Flag{
        "--identities", "FILE",
        "Read users, groups, roles and policies from this file instead of the store. It has the format of `aws iam "
        "get-account-authorization-details`. Each profile of --credentials then belongs to the user of that name, whose "
        "policies apply.",
        set_text<&CommandLine::identities>},
    Flag{"--warn-only", "", "Allow and log requests that policies would refuse.", set_on<&CommandLine::warn_only>},
    Flag{"--tls-cert", "FILE",
         "Serve HTTPS only, with this certificate: PEM, followed by its chain. SIGHUP reloads it.",
         set_text<&CommandLine::tls_cert>},
    Flag{"--tls-key", "FILE", "The certificate's private key: PEM, without a passphrase.",
         set_text<&CommandLine::tls_key>},
    Flag{"--metrics-token", "FILE",
         "Require the first line of this file as a bearer token for /metrics. Without a token, /metrics is answered "
         "only if the Host header is an address or a local name. With --credentials or --users and no token, it is "
         "answered only over the administration socket.",
         set_text<&CommandLine::metrics_token>},
    Flag{"--allow-origin", "ORIGIN",
         "Allow web pages of this origin, such as http://localhost:3000, to call; '*' allows all. Repeat the option "
         "for more origins.",
         add_allowed_origin},
    Flag{"--data", "DIR", "The data directory (default ./partita-data). It is created if missing.", set_data},
    Flag{"--in-memory", "", "Keep all data in memory. It is gone when the server stops.", set_in_memory},
    Flag{"--store", "URL", "Keep the data in this store instead of a directory. Stores are listed below.", set_store},
    Flag{"--threads", "N",
         "The number of threads that serve connections (default: one for each processor that this process may use).",
         set_threads},
    Flag{"--max-connections", "N",
         "The maximum number of connections (default 10000, or fewer where `ulimit -n` is low). A further connection "
         "closes the one that has been idle longest.",
         set_max_connections},
    Flag{"--idle-timeout", "SECONDS", "Close a connection that is idle for this long between requests (default 120).",
         set_idle_timeout},
    Flag{"--request-timeout", "SECONDS",
         "The time limit for each of three steps: receiving a request's header, receiving its body, and sending its "
         "reply (default 30). Bodies and replies get another second for each 256 KiB.",
         set_request_timeout},
    Flag{"--memory-budget", "MIB",
         "The memory for all requests in progress: bodies, parsed bodies and replies (default 512). Requests beyond "
         "it are answered 503, and SDKs retry them.",
         set_memory_budget},
    Flag{"--vector-memory", "MIB",
         "The memory for graphs that speed up vector search (default 1024). Indexes that do not fit are searched "
         "vector by vector; with 0, all are.",
         set_vector_memory},
    Flag{"--log-level", "LEVEL", "The detail of the log on stderr: error, warn, info or debug (default info).",
         set_log_level},
    Flag{"--log-format", "FORMAT",
         "The format of the log: text or json (default text). json writes one object per line, with time, level and "
         "message.",
         set_log_format},
    Flag{"--slow-request", "MS",
         "Log a warning for each request that takes at least this many milliseconds (default 1000).", set_slow_request},
    Flag{"--request-rate", "N",
         "The number of requests that each user may make in a second; without users, each access key. Further "
         "requests are throttled, and SDKs retry them.",
         set_request_rate},
    Flag{"--audit-log", "FILE",
         "Append one line of JSON for each call that concerns tables, users or policies: caller, operation, address "
         "and outcome. SIGHUP reopens the file.",
         set_text<&CommandLine::audit_log>},
    Flag{"--audit-data", "", "Also write calls that read or write items to the audit log.",
         set_on<&CommandLine::audit_data>},
    Flag{"--trace-to", "URL",
         "Send a span of each request to an OpenTelemetry collector (OTLP over HTTP), such as http://localhost:4318.",
         set_trace_to},
    Flag{"--trace-one-in", "N",
         "Start a trace for one in N requests that carry no trace context (default 1). Requests that carry one follow "
         "its sampling flag.",
         set_trace_one_in},
    Flag{"--scrub", "HOURS",
         "Check all table files of --data in the background, and again this many hours after each round. `partita "
         "status`, /ready and /metrics report damage.",
         set_scrub},
    Flag{"--scrub-rate", "MIB", "The most that the scrub reads in a second (default 16).", set_scrub_rate},
    Flag{"--admin-socket", "FILE",
         "The administration socket: a Unix socket for verbs such as `partita status` (default: admin.sock in --data; "
         "none for other stores). It needs no signature; only the user who runs the server can open it.",
         set_text<&CommandLine::admin_socket>},
    Flag{"--seed", "DIR",
         "Create the tables described in DIR/*.json (the input of CreateTable) with the items in DIR/TABLE.jsonl (one "
         "{\"Item\": {...}} per line). Existing tables are left unchanged, except that an interrupted seeding is "
         "completed.",
         set_text<&CommandLine::seed>},
    Flag{"--namespaces", "BY",
         "Give each namespace its own tables. `key` makes each access key id a namespace; `header` takes the name "
         "from the request's X-Partita-Namespace. New namespaces start with the seed.",
         set_namespaces},
    Flag{"--max-namespaces", "N",
         "The maximum number of open namespaces (default 64). Beyond it, opening one closes the least recently used "
         "one. The closed one keeps its data, and its next request opens it again.",
         set_max_namespaces},
    Flag{"--root-400", "", "Answer GET / with 400, as DynamoDB Local does and some tools expect.", set_root_400},
    Flag{"--clock", "OFFSET",
         "Shift the server's clock, for development: seconds, or a number followed by s, m, h or d, such as +90m, -2h "
         "or +31d. If a server stores data, and verifies signatures or listens beyond loopback, `partita clock` moves "
         "its clock only if this option is given; 0 suffices.",
         set_clock},
};

Result<void> check_callers(const CommandLine& line) {
  if (!line.identities.empty() && line.credentials.empty()) {
    return misuse("--identities needs --credentials, which holds the users' access keys.");
  }
  if (!line.identities.empty() && line.users) {
    return misuse("--users uses the users of the store, and --identities those of a file: give one of them.");
  }
  const bool verifies = line.users || !line.credentials.empty();
  if (line.warn_only && !verifies)
    return misuse("--warn-only needs --credentials or --users: without them no policy is evaluated.");
  if (line.request_rate != 0 && !verifies) {
    return misuse("--request-rate needs --credentials or --users: without them a client may use any name.");
  }
  if (line.most_namespaces != 0 && line.namespaces_by == namespaces::NamespacesBy::kNothing) {
    return misuse("--max-namespaces needs --namespaces.");
  }
  if (line.audit_data && line.audit_log.empty()) return misuse("--audit-data needs --audit-log.");
  if (line.trace_one_in != 0 && line.trace_to.empty()) return misuse("--trace-one-in needs --trace-to.");
  if (line.tls_cert.empty() != line.tls_key.empty()) return misuse("--tls-cert and --tls-key must be given together.");
  return {};
}

}  // namespace

std::span<const Flag> serve_flags() { return kServeFlags; }

Result<void> finish_serve(Draft& draft) {
  PARTITA_TRY(draft.line.store, store_of(draft));
  if (draft.line.scrub_rest_ms != 0 && engine_of(draft.line.store).scrub == nullptr) {
    return misuse("--scrub needs a store in a directory: name it with --data.");
  }
  if (draft.line.scrub_rate != 0 && draft.line.scrub_rest_ms == 0) {
    return misuse("--scrub-rate needs --scrub.");
  }
  return check_callers(draft.line);
}

}  // namespace partita::cli
