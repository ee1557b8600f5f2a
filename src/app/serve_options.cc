#include <algorithm>
#include <array>

#include "app/engines.h"
#include "app/http_client.h"
#include "app/options.h"
#include "auth/words.h"
#include "base/clock.h"

namespace partita::app {

namespace {

Result<void> set_listen(Draft& draft, std::string_view text) {
  const size_t colon = text.rfind(':');
  const bool bracketed = text.starts_with('[');
  if (!bracketed && text.find(':') != colon) {
    return misuse("--listen takes an IPv6 address in brackets and with a port, such as [::1]:8000, not " +
                  quoted(text) + ".");
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
  if (!HttpPlace::parse(text).ok()) {
    return misuse("--trace-to takes an address such as http://localhost:4318, not " + quoted(text) + ".");
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
  draft.line.namespaces_by = text == "key" ? NamespacesBy::kKey : NamespacesBy::kHeader;
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
         "Where to listen (default localhost:8000, which is 127.0.0.1 and ::1). Port 0 takes a free one.", set_listen},
    Flag{"--insecure", "",
         "Listen beyond loopback too without --credentials or --users, so that anyone may do anything.", set_insecure},
    Flag{"--credentials", "FILE",
         "Verify signatures: only these access keys may call, and users of the store with theirs. The file is as the "
         "AWS CLI's ~/.aws/credentials; its keys may do everything.",
         set_text<&CommandLine::credentials>},
    Flag{"--users", "", "Verify signatures: only users of the store may call, see `partita user create`.",
         set_on<&CommandLine::users>},
    Flag{
        "--region", "REGION",
        "The region of all tables, in ARNs and policies (default us-east-1 with --credentials or --users, else the one "
        "that a request is signed for).",
        set_region},
    Flag{"--identities", "FILE",
         "Users, groups, roles and policies, as `aws iam get-account-authorization-details` writes them, instead of "
         "the store's: the credentials' profiles are these users, and may do what their policies allow.",
         set_text<&CommandLine::identities>},
    Flag{"--warn-only", "", "Log what policies would refuse, and let it pass.", set_on<&CommandLine::warn_only>},
    Flag{"--tls-cert", "FILE",
         "Speak TLS, and nothing else, with this certificate: PEM, the chain behind it. SIGHUP reads it again.",
         set_text<&CommandLine::tls_cert>},
    Flag{"--tls-key", "FILE", "The certificate's key: PEM, without a passphrase.", set_text<&CommandLine::tls_key>},
    Flag{"--metrics-token", "FILE",
         "Readers of /metrics have to send the first line of this file as a bearer token. Without it, /metrics answers "
         "requests whose Host is an address or a local name, and with --credentials or --users only the administration "
         "socket.",
         set_text<&CommandLine::metrics_token>},
    Flag{"--allow-origin", "ORIGIN",
         "Let web pages of this origin call, such as http://localhost:3000; '*' is all. May be given often.",
         add_allowed_origin},
    Flag{"--data", "DIR", "Where the data is; made if it is not there (default ./partita-data).", set_data},
    Flag{"--in-memory", "", "Keep everything in memory: nothing is left when the server stops.", set_in_memory},
    Flag{"--store", "URL", "Another place for the data than --data; the stores are listed below.", set_store},
    Flag{"--threads", "N",
         "Threads that serve connections (default: one for each processor that this process may use).", set_threads},
    Flag{
        "--max-connections", "N",
        "Connections at a time (default 10000, or fewer: a part of the open files is kept for the store). For one more "
        "the oldest idle one is closed.",
        set_max_connections},
    Flag{"--idle-timeout", "SECONDS", "How long a connection may be silent between two requests (default 120).",
         set_idle_timeout},
    Flag{"--request-timeout", "SECONDS",
         "How long a request's head, its body, and taking its reply may each take (default 30). Body and reply get a "
         "second more for each 256 KiB.",
         set_request_timeout},
    Flag{"--memory-budget", "MIB",
         "Memory for all requests together: bodies, what they are parsed to, and replies (default 512). Beyond it "
         "requests are answered 503.",
         set_memory_budget},
    Flag{"--vector-memory", "MIB",
         "Memory for graphs that make searches of many vectors fast (default 1024). Beyond it a search looks at every "
         "vector; 0 has all of them do so.",
         set_vector_memory},
    Flag{"--log-level", "LEVEL", "error, warn, info or debug (default info): how much is told on stderr.",
         set_log_level},
    Flag{"--log-format", "FORMAT",
         "text or json (default text): an object of JSON a line, with time, level and message.", set_log_format},
    Flag{"--slow-request", "MS", "Warn of requests that take as long as this (default 1000 milliseconds).",
         set_slow_request},
    Flag{"--request-rate", "N",
         "Requests a second that each user, or each key of --credentials alone, may make. More are throttled, and SDKs "
         "try them again later.",
         set_request_rate},
    Flag{"--audit-log", "FILE",
         "Append a line of JSON for each call about tables: who, what, from where, and what came of it. SIGHUP has the "
         "file opened again.",
         set_text<&CommandLine::audit_log>},
    Flag{"--audit-data", "", "In the audit log, also calls about items.", set_on<&CommandLine::audit_data>},
    Flag{"--trace-to", "URL",
         "Send a span of each request to a collector of OpenTelemetry (OTLP over HTTP), such as http://localhost:4318.",
         set_trace_to},
    Flag{"--trace-one-in", "N",
         "Begin a trace for one of N requests that come without one (default 1). Of the others the caller has decided.",
         set_trace_one_in},
    Flag{"--scrub", "HOURS",
         "Read all table files of --data in the background, again so many hours after each round, so that damage is "
         "found early. `partita status`, /ready and /metrics tell what it found.",
         set_scrub},
    Flag{"--scrub-rate", "MIB", "How much the scrub reads a second (default 16).", set_scrub_rate},
    Flag{"--admin-socket", "FILE",
         "Where administrators of this machine reach the server without a signature: a Unix socket of the owner's "
         "(default DIR/admin.sock of --data, else none).",
         set_text<&CommandLine::admin_socket>},
    Flag{"--seed", "DIR",
         "Begin with the tables of DIR's *.json files, each what CreateTable takes, and the items of its TABLE.jsonl "
         "files, each line {\"Item\": {...}}. Tables that are there already are left alone, but those "
         "whose seeding did not come to its end.",
         set_text<&CommandLine::seed>},
    Flag{
        "--namespaces", "BY",
        "Keep databases apart, each with its own tables: by key, one for each access key id, or by header, one for each "
        "X-Partita-Namespace of requests. Each begins with the seed.",
        set_namespaces},
    Flag{
        "--max-namespaces", "N",
        "Namespaces that are open at a time (default 64); for one more the one that was used longest ago is closed, and "
        "opened again when it is asked for.",
        set_max_namespaces},
    Flag{"--root-400", "", "Answer GET / with 400, as DynamoDB Local does and some tools wait for, not with 200.",
         set_root_400},
    Flag{"--clock", "OFFSET",
         "For development: run as if it were later, or earlier, by so many seconds, or +90m, -2h, +31d.", set_clock},
};

Result<void> check_callers(const CommandLine& line) {
  if (!line.identities.empty() && line.credentials.empty()) {
    return misuse("--identities needs --credentials: who calls is known by their keys.");
  }
  if (!line.identities.empty() && line.users) {
    return misuse("--users are those of the store, and --identities those of a file: give one of them.");
  }
  const bool verifies = line.users || !line.credentials.empty();
  if (line.warn_only && !verifies) return misuse("--warn-only is of no use without --credentials or --users.");
  if (line.request_rate != 0 && !verifies) {
    return misuse("--request-rate needs --credentials or --users: without them a client may call itself anything.");
  }
  if (line.most_namespaces != 0 && line.namespaces_by == NamespacesBy::kNothing) {
    return misuse("--max-namespaces is of no use without --namespaces.");
  }
  if (line.audit_data && line.audit_log.empty()) return misuse("--audit-data is of no use without --audit-log.");
  if (line.trace_one_in != 0 && line.trace_to.empty()) return misuse("--trace-one-in is of no use without --trace-to.");
  if (line.tls_cert.empty() != line.tls_key.empty()) return misuse("--tls-cert and --tls-key need each other.");
  return {};
}

}  // namespace

std::span<const Flag> serve_flags() { return kServeFlags; }

Result<void> finish_serve(Draft& draft) {
  PARTITA_TRY(draft.line.store, store_of(draft));
  if (draft.line.scrub_rest_ms != 0 && engine_of(draft.line.store).scrub == nullptr) {
    return misuse("--scrub is for a store in a directory: name one with --data.");
  }
  if (draft.line.scrub_rate != 0 && draft.line.scrub_rest_ms == 0) {
    return misuse("--scrub-rate is of no use without --scrub.");
  }
  return check_callers(draft.line);
}

}  // namespace partita::app
