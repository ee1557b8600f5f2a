// What the server says of itself to those who operate it: "/health", "/ready" and "/metrics".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "base/task.h"
#include "base/workers.h"
#include "http/protocol.h"
#include "namespaces/namespaces.h"
#include "net/server.h"
#include "observe/audit_log.h"
#include "observe/traces.h"
#include "ops/service.h"
#include "storage/engine.h"
#include "table/open/readiness.h"

namespace partita::observe {

// Callable from any thread.
class Pages {
 public:
  struct Sources {
    const storage::Engine& engine;
    std::string_view store;  // its scheme
    Random& random;
    ops::Service& service;
    namespaces::Namespaces& namespaces;
    std::string_view version;
    // The bearer token that "/metrics" requires; empty: none, if the request names a local host (http/host.h).
    // Nothing: nobody may read it. The administration socket requires none.
    std::optional<std::string> token;
    const Traces* traces = nullptr;   // null: there are none
    const AuditLog* audit = nullptr;  // the same
  };
  // All that `sources` refers to outlives it.
  explicit Pages(Sources sources) : sources_(std::move(sources)), readiness_(sources_.random) {}

  // Once, before the first page is asked for. Both outlive the last page.
  void set_server(const net::Server& server, const http::Protocol& http) {
    server_ = &server;
    http_ = &http;
  }

  // As http::Handler::page().
  Task<std::optional<ops::Reply>> page(std::string_view path, const ops::Source& source);

  // Why the server is not ready, as one sentence; empty when it is. While a snapshot is made or rolled back to, it
  // waits for the end of that.
  Task<std::string> trouble();
  // The same; nothing where it would wait.
  Task<std::optional<std::string>> trouble_now();
  // A line for each job of the store's own database, as table::JobStatus::lines(); none where it would wait.
  std::vector<std::string> jobs_now() const;

 private:
  // The caller holds a shared guard of the drain lock.
  Task<std::string> trouble_inside();
  bool may_read(const ops::Source& source) const;
  std::string metrics(bool ready);

  const Sources sources_;
  table::Readiness readiness_;
  const net::Server* server_ = nullptr;
  const http::Protocol* http_ = nullptr;
  Workers writer_{1};  // whoever asks often keeps nobody else waiting
};

}  // namespace partita::observe
