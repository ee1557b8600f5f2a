// The options of `partita serve`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "dax/options.h"
#include "http/protocol.h"
#include "namespaces/namespaces.h"
#include "throttle/capacity_limits.h"

namespace partita::cli {

// An empty string or optional: the option was not given.

struct StoreOptions {
  std::string url;  // as in engines/stores.h; never empty
  size_t vector_bytes = size_t{1} << 30;
  int64_t scrub_rest_ms = 0;           // between two rounds; 0: no scrub
  std::optional<uint64_t> scrub_rate;  // bytes a second
};

struct AccessOptions {
  std::string credentials;    // a file
  std::string identities;     // a file
  std::string metrics_token;  // a file
  std::string admin_socket;   // a path; empty: in the data directory, if there is one
  bool users = false;         // whether users of the store may call
  bool warn_only = false;
  std::vector<std::string> sink_hosts;  // that CreateSink may name over the public port
  uint64_t request_rate = 0;            // for each principal, a second; 0: unlimited
  throttle::CapacityModes capacity;

  bool verifies() const { return users || !credentials.empty(); }
};

struct TlsFiles {
  std::string certificate;  // a file; empty if `key` is, and only then
  std::string key;          // a file
};

struct DaxListener {
  std::string address;
  uint16_t port = 0;
};

struct DaxOptions {
  std::optional<DaxListener> plain;
  std::optional<DaxListener> encrypted;     // only with a certificate
  std::vector<dax::Advertised> advertised;  // with a port, unless both listeners are given
  size_t cache_bytes = 0;                   // of both caches; 0: none; only with a listener
};

struct LogOptions {
  LogLevel level = LogLevel::kInfo;
  LogFormat format = LogFormat::kText;
  int64_t slow_request_ms = 1'000;  // requests that take this long are logged as slow
  std::string audit_file;
  bool audit_data = false;
  std::string trace_url;                 // of a collector
  std::optional<uint64_t> trace_one_in;  // default 1
};

struct DevelopmentOptions {
  std::string seed;  // a directory
  namespaces::NamespacesBy namespaces_by = namespaces::NamespacesBy::kNothing;
  std::optional<size_t> max_namespaces;  // open at a time; default 64
  int64_t clock_ms = 0;                  // added to the machine's clock
  bool clock_moves = false;              // whether --clock was given, even as 0
};

struct KinesisOptions {
  std::string endpoint;     // a URL
  std::string credentials;  // a file; only with an endpoint
};

struct ServeOptions {
  http::Options http;
  StoreOptions store;
  AccessOptions access;
  TlsFiles tls;
  DaxOptions dax;
  LogOptions log;
  DevelopmentOptions development;
  std::string alarm_hook;  // a URL
  KinesisOptions kinesis;
  bool no_console = false;
};

}  // namespace partita::cli
