// What became of requests: how many, with which errors, and how long they took.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/exposition.h"
#include "base/meter.h"
#include "ops/operation.h"
#include "ops/request_totals.h"
#include "wire/fault_table.h"

namespace partita::ops {

// Whether who gets it is asked to send the request again more slowly. Of no exception: false.
bool is_throttle(wire::Exception exception);

// Callable from any thread.
class RequestCounts {
 public:
  RequestCounts();

  // `operation`: null when none was named that there is. `exception`: kCount when there was none.
  void add(const Operation* operation, wire::Exception exception, uint64_t took_ns);

  // What was no request at all.
  void add_refused(int status);

  void report(Exposition& out) const;
  // Of the operations that there are; what named none is not in it.
  std::vector<OperationTotals> totals() const;

 private:
  struct One {
    Timing took;
    // Seldom moved by two threads at once.
    std::array<std::atomic<uint64_t>, static_cast<size_t>(wire::Exception::kCount)> errors{};
  };
  // By operation; the last is of none.
  std::unique_ptr<One[]> all_;
  static constexpr std::array<int, 3> kRefusals = {400, 403, 413};
  std::array<Meter, kRefusals.size()> refused_;
};

}  // namespace partita::ops
