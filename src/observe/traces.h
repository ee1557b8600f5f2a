// Exports a span for each call to an OpenTelemetry collector: OTLP 1 over HTTP, as JSON (docs/decisions/025).
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

  // Empty ids if the header is invalid.
  static TraceParent parse(std::string_view header);
};

// Callable from any thread. A thread of its own sends the spans; callers never wait. The queue is bounded in spans and
// bytes; what the collector does not accept in time is dropped and counted.
class Traces {
 public:
  struct Options {
    net::Url collector;
    uint64_t one_in = 1;   // of calls without a trace of their own, one in so many begins one
    std::string version;   // of this program
    std::string instance;  // identifies this server
  };
  // Clock and random outlive this. Errors: kInvalid (reason 0) without libcurl; kUnavailable without a thread.
  static Result<std::unique_ptr<Traces>> start(Options options, const Clock& clock, Random& random);
  // Sends the remaining spans, for at most a few seconds.
  ~Traces();
  Traces(const Traces&) = delete;
  Traces& operator=(const Traces&) = delete;

  // A call that ends now. `space`: its namespace, or empty.
  void note(const ops::Call& call, std::string_view space, const ops::Reply& reply, int64_t took_ns);
  void report(Exposition& out) const;

 private:
  Traces(Options options, net::HttpClient http, const Clock& clock, Random& random);
  void send_all(const std::stop_token& stop);
  // The number of spans accepted.
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
