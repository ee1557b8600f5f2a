// The pages for operators and monitoring: "/health", "/ready" and "/metrics".
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/exposition.h"
#include "base/random.h"
#include "base/task.h"
#include "base/workers.h"
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
    std::string_view store;  // the scheme of its URL
    Random& random;
    ops::Service& service;
    std::string_view version;
    // The bearer token that "/metrics" requires. Empty: none, if the request names a local host (http/host.h). Absent:
    // "/metrics" is refused. The administration socket needs no token.
    std::optional<std::string> token;
    const Traces* traces = nullptr;   // null: no traces
    const AuditLog* audit = nullptr;  // null: no audit log
  };
  // Everything in `sources` outlives this.
  explicit Pages(Sources sources) : sources_(std::move(sources)), readiness_(sources_.random) {}

  // Adds a source of metrics, which outlives this. Call before the first page is requested.
  void add_report(std::function<void(Exposition&)> report) { reports_.push_back(std::move(report)); }

  // As http::Handler::page().
  Task<std::optional<ops::Reply>> page(std::string_view path, const ops::Source& source);

  // Why the server is not ready, as one sentence; empty if it is. Waits for the end of a snapshot or rollback.
  Task<std::string> trouble();
  // The same, or nothing instead of waiting.
  Task<std::optional<std::string>> trouble_now();
  // A line for each job of the default database, as table::JobStatus::lines(), or nothing instead of waiting.
  std::vector<std::string> jobs_now() const;

 private:
  // The caller holds a shared guard of the drain lock.
  Task<std::string> trouble_inside();
  bool may_read(const ops::Source& source) const;
  std::string metrics(bool ready);

  const Sources sources_;
  table::Readiness readiness_;
  std::vector<std::function<void(Exposition&)>> reports_;
  Workers writer_{1};  // scrapes do not delay other requests
};

}  // namespace partita::observe
