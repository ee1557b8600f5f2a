#include "ops/request_counts.h"

#include <algorithm>
#include <memory>
#include <new>
#include <span>
#include <string>

#include "base/check.h"
#include "ops/account_call.h"
#include "ops/monitoring_call.h"
#include "ops/operation_counts.h"

namespace partita::ops {

namespace {

using wire::Exception;

constexpr size_t kExceptions = static_cast<size_t>(Exception::kCount);

// Those that take JSON, those of IAM and STS, those of CloudWatch, and then that of none.
size_t place_of_none() { return operations().size() + account_operations().size() + monitoring_operations().size(); }

std::string_view name_at(size_t index) {
  // The second operation of a name is known by its action.
  if (index < operations().size()) {
    const Operation& operation = operations()[index];
    return find_operation(operation.name) == &operation ? operation.name : operation.action;
  }
  index -= operations().size();
  for (const std::span<const Operation> some : {account_operations(), monitoring_operations()}) {
    if (index < some.size()) return some[index].name;
    index -= some.size();
  }
  return "unknown";
}

size_t place_of(const Operation* operation) {
  if (operation == nullptr) return place_of_none();
  const auto place = [operation](std::span<const Operation> some) {
    return static_cast<size_t>(operation - some.data());
  };
  switch (operation->api) {
    case Api::kDynamoDb:
    case Api::kStreams:
    case Api::kAutoScaling:
    case Api::kDax:
      return place(operations());
    case Api::kIam:
    case Api::kSts:
      return operations().size() + place(account_operations());
    case Api::kCloudWatch:
      break;
  }
  return operations().size() + account_operations().size() + place(monitoring_operations());
}

// Whether it is one of those in the namespace AWS/DynamoDB.
bool is_of_dynamodb(const Operation& operation) {
  return operation.api == Api::kDynamoDb || operation.api == Api::kStreams;
}

// Whether CloudWatch counts the exception under UserErrors.
bool is_user_error(Exception exception) {
  return wire::name_of(exception).status == 400 && !is_throttle(exception) &&
         exception != Exception::kConditionalCheckFailed;
}

}  // namespace

bool is_throttle(Exception exception) {
  return exception == Exception::kProvisionedThroughputExceeded || exception == Exception::kThrottling ||
         exception == Exception::kRequestLimitExceeded;
}

RequestCounts::RequestCounts() : all_(place_of_none() + 1) { all_.back() = new One; }

RequestCounts::~RequestCounts() {
  for (std::atomic<One*>& one : all_) delete one.load(std::memory_order_relaxed);
}

RequestCounts::One& RequestCounts::make(size_t place) {
  std::unique_ptr<One> fresh(new (std::nothrow) One);
  // Without memory, it counts as a request without an operation, which is there from the start.
  if (fresh == nullptr) return *find(place_of_none());
  One* before = nullptr;
  if (!all_[place].compare_exchange_strong(before, fresh.get(), std::memory_order_acq_rel)) return *before;
  return *fresh.release();
}

RequestCounts::One& RequestCounts::of(size_t place) {
  One* const one = find(place);
  return one != nullptr ? *one : make(place);
}

void RequestCounts::add(const Operation* operation, Exception exception, uint64_t took_ns) {
  One& one = of(place_of(operation));
  one.took.add(took_ns);
  if (exception == Exception::kCount) [[likely]] {
    one.succeeded.note(static_cast<int64_t>(took_ns));
    return;
  }
  one.failed.add(took_ns);
  one.errors[static_cast<size_t>(exception)].fetch_add(1, std::memory_order_relaxed);
}

void RequestCounts::add_refused(int status) {
  const auto* const found = std::ranges::find(kRefusals, status);
  PARTITA_CHECK(found != kRefusals.end());
  refused_[static_cast<size_t>(found - kRefusals.begin())].add();
}

std::vector<OperationTotals> RequestCounts::totals() const {
  std::vector<OperationTotals> totals;
  for (size_t i = 0; i < place_of_none(); ++i) {
    const One* const counted = find(i);
    if (counted == nullptr) continue;
    OperationTotals one{name_at(i), counted->took.totals()};
    if (one.took.count() == 0) continue;
    for (size_t e = 0; e < kExceptions; ++e) {
      const uint64_t count = counted->errors[e].load(std::memory_order_relaxed);
      one.errors += count;
      if (is_throttle(static_cast<Exception>(e))) one.throttled += count;
    }
    totals.push_back(std::move(one));
  }
  return totals;
}

std::vector<metrics::OperationCounts> RequestCounts::operation_counts() {
  std::vector<metrics::OperationCounts> all;
  for (size_t i = 0; i < operations().size(); ++i) {
    One* const counted = find(i);
    if (counted == nullptr || !is_of_dynamodb(operations()[i])) continue;
    One& one = *counted;
    const HistogramTotals took = one.took.totals();
    if (took.count() == 0) continue;
    metrics::OperationCounts counts;
    counts.name = operations()[i].name;
    set_succeeded(counts, took, one.failed.totals());
    counts.extremes_ns = one.succeeded.take();
    for (size_t e = 0; e < kExceptions; ++e) {
      const uint64_t count = one.errors[e].load(std::memory_order_relaxed);
      if (is_throttle(static_cast<Exception>(e))) counts.throttled += count;
      if (wire::name_of(static_cast<Exception>(e)).status >= 500) counts.server_errors += count;
    }
    all.push_back(std::move(counts));
  }
  return all;
}

uint64_t RequestCounts::user_errors() const {
  uint64_t sum = 0;
  for (size_t i = 0; i < operations().size(); ++i) {
    const One* const counted = find(i);
    if (counted == nullptr || !is_of_dynamodb(operations()[i])) continue;
    for (size_t e = 0; e < kExceptions; ++e) {
      if (is_user_error(static_cast<Exception>(e))) sum += counted->errors[e].load(std::memory_order_relaxed);
    }
  }
  return sum;
}

void RequestCounts::report(Exposition& out) const {
  uint64_t throttled = 0;
  for (size_t i = 0; i <= place_of_none(); ++i) {
    const One* const counted = find(i);
    if (counted == nullptr) continue;
    const HistogramTotals took = counted->took.totals();
    if (took.count() == 0) continue;
    out.histogram("partita_request_seconds",
                  "Duration of requests, from the last byte read to the first byte of the reply.", took, 1e-9,
                  {{"operation", name_at(i)}});
  }
  for (size_t i = 0; i <= place_of_none(); ++i) {
    const One* const counted = find(i);
    if (counted == nullptr) continue;
    for (size_t e = 0; e < kExceptions; ++e) {
      const auto exception = static_cast<Exception>(e);
      const uint64_t count = counted->errors[e].load(std::memory_order_relaxed);
      if (is_throttle(exception)) throttled += count;
      if (count == 0) continue;
      out.counter("partita_errors_total", "Requests that ended with this error.", static_cast<double>(count),
                  {{"operation", name_at(i)}, {"error", wire::name_of(exception).name}});
    }
  }
  for (size_t i = 0; i < kRefusals.size(); ++i) {
    out.counter("partita_refused_total", "Malformed requests, and requests of web pages without permission.",
                static_cast<double>(refused_[i].total()), {{"status", std::to_string(kRefusals[i])}});
  }
  out.counter("partita_throttled_total", "Throttled requests.", static_cast<double>(throttled));
}

}  // namespace partita::ops
