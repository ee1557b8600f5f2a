// Counters of requests by operation: how many, their errors, and their times.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "base/exposition.h"
#include "base/meter.h"
#include "metrics/counts.h"
#include "ops/operation.h"
#include "ops/request_totals.h"
#include "wire/fault_table.h"

namespace partita::ops {

// Whether the exception asks the caller to slow down. kCount, which stands for no exception: false.
bool is_throttle(wire::Exception exception);

// Callable from any thread.
class RequestCounts {
 public:
  RequestCounts();
  RequestCounts(const RequestCounts&) = delete;
  RequestCounts& operator=(const RequestCounts&) = delete;
  ~RequestCounts();

  // `operation`: null if the request named none that exists. `exception`: kCount if there was none.
  void add(const Operation* operation, wire::Exception exception, uint64_t took_ns);

  // Counts what the reader of HTTP refused with that status, so that it was no request.
  void add_refused(int status);

  void report(Exposition& out) const;
  // Only of operations that exist.
  std::vector<OperationTotals> totals() const;
  // Of the operations of DynamoDB and its streams: what CloudWatch shows. For one reader, which takes the extremes.
  std::vector<metrics::OperationCounts> operation_counts();
  // Requests of these that were the caller's fault, without throttled ones and failed conditions.
  uint64_t user_errors() const;

 private:
  struct One {
    Timing took;
    Histogram<14, 34, 1, 1> failed;  // of those with an error
    Extremes succeeded;              // of the others, in nanoseconds
    // Rarely changed by two threads at a time.
    std::array<std::atomic<uint64_t>, static_cast<size_t>(wire::Exception::kCount)> errors{};
  };
  // Made with its first request: each takes 6 KiB, which most servers would keep for calls that never come.
  One& of(size_t place);
  // Null: there was no such request.
  One* find(size_t place) const { return all_[place].load(std::memory_order_acquire); }
  One& make(size_t place);

  // By operation; the last element counts requests without one.
  std::vector<std::atomic<One*>> all_;
  static constexpr std::array<int, 3> kRefusals = {400, 403, 413};
  std::array<Meter, kRefusals.size()> refused_;
};

}  // namespace partita::ops
