// Samples of the request metrics, one for each of the last seconds, for the console's Watch page.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/capacity.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/thread.h"
#include "ops/request_totals.h"

namespace partita::admin {

// One interval.
struct MetricSample {
  struct Requests {
    uint64_t count = 0;
    uint64_t errors = 0;
    uint64_t throttled = 0;
    double p50_ms = 0;  // these two only if there were requests; estimated within a bucket
    double p99_ms = 0;
  };
  struct Operation {
    std::string_view name;  // static storage
    Requests requests;
  };
  struct Table {
    std::string space;  // the namespace, or empty
    std::string name;
    Requests requests;            // without errors
    uint64_t would_throttle = 0;  // see ops::TableTotals
    api::Capacity consumed;
  };

  int64_t time_ms = 0;  // its end, since 1970; greater than that of the sample before
  double seconds = 0;   // its length
  Requests all;
  HistogramTotals latency;            // of `all`
  std::vector<Operation> operations;  // with requests
  std::vector<Table> tables;          // with requests or units; the first 100 by units
};

// The value in milliseconds below which that part of the histogram is. Precondition: it counts something.
double quantile_ms(const HistogramTotals& totals, double part);

// The last samples. For one thread.
class MetricRing {
 public:
  static constexpr size_t kMost = 600;
  using Samples = std::vector<std::shared_ptr<const MetricSample>>;

  // The first sample is compared with these.
  void begin(ops::RequestTotals totals, int64_t now_ns);
  void add(ops::RequestTotals totals, int64_t now_ns, int64_t now_ms);
  void clear() { *this = {}; }

  // Those that ended after that, the oldest first.
  Samples since(int64_t time_ms) const;

 private:
  std::deque<std::shared_ptr<const MetricSample>> samples_;
  ops::RequestTotals before_;
  int64_t before_ns_ = 0;
};

// Takes a sample each second on a thread of its own, from the first call of since() until nobody has called it for ten
// minutes. Before and after that it costs nothing. Callable from any thread.
class MetricSampler {
 public:
  // The clock outlives it. `totals` is called from any thread.
  MetricSampler(std::function<ops::RequestTotals()> totals, const Clock& clock)
      : totals_(std::move(totals)), clock_(clock) {}

  // As MetricRing::since(). Error: kUnavailable if the system provides no thread.
  Result<MetricRing::Samples> since(int64_t time_ms);
  ops::RequestTotals totals() const { return totals_(); }

 private:
  void run(const std::stop_token& stop);
  // False: nobody asks any more, and all samples are dropped.
  bool sample();

  const std::function<ops::RequestTotals()> totals_;
  const Clock& clock_;
  Mutex mutex_;
  CondVar changed_;
  MetricRing ring_ PARTITA_GUARDED_BY(mutex_);
  bool running_ PARTITA_GUARDED_BY(mutex_) = false;
  int64_t asked_ns_ PARTITA_GUARDED_BY(mutex_) = 0;
  Thread thread_ PARTITA_GUARDED_BY(mutex_);
};

}  // namespace partita::admin
