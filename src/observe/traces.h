// A span of each call for a collector of OpenTelemetry: OTLP 1 over HTTP, as JSON (docs/decisions/025).
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/exposition.h"
#include "base/mutex.h"
#include "base/random.h"
#include "base/result.h"
#include "base/thread.h"
#include "net/http_client.h"
#include "ops/service.h"

namespace partita::observe {

// The caller's part of W3C's traceparent header.
struct TraceParent {
  std::string trace_id;   // 32 hexadecimal digits
  std::string parent_id;  // 16
  bool sampled = false;

  // Empty ids for what is no such header.
  static TraceParent parse(std::string_view header);
};

// Callable from any thread. Spans are sent from a thread of its own, and nobody waits for it: what the collector does
// not take in time is dropped, and counted. What waits is bounded, in spans and in bytes.
class Traces {
 public:
  struct Options {
    net::Url collector;
    uint64_t one_in = 1;   // so many calls without a trace of their own begin one
    std::string version;   // of this program
    std::string instance;  // what tells this server from others
  };
  // Clock and random outlive it. Error: kInvalid (reason 0), if libcurl is missing; kUnavailable, if the system makes
  // no thread.
  static Result<std::unique_ptr<Traces>> start(Options options, const Clock& clock, Random& random);
  // Sends what is there, with little patience: within a few seconds, whatever the collector does.
  ~Traces();
  Traces(const Traces&) = delete;
  Traces& operator=(const Traces&) = delete;

  // A call that ends now, and took so long. `space`: the namespace that it was for, if any.
  void note(const ops::Call& call, std::string_view space, const ops::Reply& reply, int64_t took_ns);
  void report(Exposition& out) const;

 private:
  Traces(Options options, net::HttpClient http, const Clock& clock, Random& random);
  void send_all(const std::stop_token& stop);
  // How many were taken.
  size_t send(std::span<const std::string> spans, const std::stop_token& stop);
  std::string request_of(std::span<const std::string> spans) const;

  const Options options_;
  const Clock& clock_;
  Random& random_;
  std::atomic<uint64_t> sent_{0};
  std::atomic<uint64_t> dropped_{0};
  Mutex mutex_;
  std::condition_variable_any some_;
  std::vector<std::string> waiting_ PARTITA_GUARDED_BY(mutex_);  // as JSON
  size_t waiting_bytes_ PARTITA_GUARDED_BY(mutex_) = 0;
  net::HttpClient http_;  // of the thread below
  Thread sender_;
};

}  // namespace partita::observe
