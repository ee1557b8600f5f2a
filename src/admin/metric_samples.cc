#include "admin/metric_samples.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stop_token>
#include <utility>

namespace partita::admin {

namespace {

constexpr auto kEvery = std::chrono::seconds(1);
constexpr int64_t kKeptUpNs = 600'000'000'000;
constexpr size_t kMostTables = 100;
constexpr double kMsPerNs = 1e-6;

// What was counted in between. A count that has shrunk began again: the table is another one of the same name.
uint64_t grown(uint64_t before, uint64_t after) { return after >= before ? after - before : after; }

api::Capacity grown(const api::Capacity& before, const api::Capacity& after) {
  return {after.read >= before.read ? after.read - before.read : after.read,
          after.write >= before.write ? after.write - before.write : after.write};
}

HistogramTotals grown(const HistogramTotals* before, const HistogramTotals& after) {
  HistogramTotals between = after;
  if (before == nullptr || before->counts.size() != after.counts.size() || before->count() > after.count()) {
    return between;
  }
  for (size_t i = 0; i < between.counts.size(); ++i) between.counts[i] = grown(before->counts[i], after.counts[i]);
  between.sum = grown(before->sum, after.sum);
  return between;
}

void set_times(MetricSample::Requests& requests, const HistogramTotals& took) {
  requests.count = took.count();
  if (requests.count == 0) return;
  requests.p50_ms = quantile_ms(took, 0.5);
  requests.p99_ms = quantile_ms(took, 0.99);
}

void add_operations(MetricSample& sample, const ops::RequestTotals& before, const ops::RequestTotals& after) {
  for (const ops::OperationTotals& now : after.operations) {
    const auto found = std::ranges::find(before.operations, now.name, &ops::OperationTotals::name);
    const ops::OperationTotals* const then = found == before.operations.end() ? nullptr : &*found;
    const HistogramTotals took = grown(then == nullptr ? nullptr : &then->took, now.took);
    MetricSample::Operation operation{now.name, {}};
    set_times(operation.requests, took);
    if (operation.requests.count == 0) continue;
    operation.requests.errors = grown(then == nullptr ? 0 : then->errors, now.errors);
    operation.requests.throttled = grown(then == nullptr ? 0 : then->throttled, now.throttled);
    sample.all.errors += operation.requests.errors;
    sample.all.throttled += operation.requests.throttled;
    if (sample.latency.counts.empty()) {
      sample.latency = took;
    } else {
      for (size_t i = 0; i < took.counts.size(); ++i) sample.latency.counts[i] += took.counts[i];
    }
    sample.operations.push_back(operation);
  }
  set_times(sample.all, sample.latency);
}

void add_tables(MetricSample& sample, const ops::RequestTotals& before, const ops::RequestTotals& after) {
  for (const ops::TableTotals& now : after.tables) {
    const auto is_same = [&](const ops::TableTotals& one) { return one.table == now.table && one.space == now.space; };
    const auto found = std::ranges::find_if(before.tables, is_same);
    const ops::TableTotals then = found == before.tables.end() ? ops::TableTotals() : *found;
    MetricSample::Table table{now.space, now.table, {}, 0, {}};
    set_times(table.requests, grown(&then.took, now.took));
    table.requests.throttled = grown(then.throttled, now.throttled);
    table.would_throttle = grown(then.would_throttle, now.would_throttle);
    table.consumed = grown(then.consumed, now.consumed);
    if (table.requests.count != 0 || table.consumed.total() != 0) sample.tables.push_back(std::move(table));
  }
  const auto more = [](const MetricSample::Table& one, const MetricSample::Table& other) {
    return one.consumed.total() > other.consumed.total();
  };
  std::ranges::stable_sort(sample.tables, more);
  if (sample.tables.size() > kMostTables) sample.tables.resize(kMostTables);
}

}  // namespace

double quantile_ms(const HistogramTotals& totals, double part) {
  const double wanted = part * static_cast<double>(totals.count());
  double below = 0;
  for (size_t i = 0; i < totals.counts.size(); ++i) {
    const auto count = static_cast<double>(totals.counts[i]);
    const double upper = std::ldexp(kMsPerNs, totals.first + static_cast<int>(i) * totals.step);
    const double lower = i == 0 ? 0 : std::ldexp(kMsPerNs, totals.first + (static_cast<int>(i) - 1) * totals.step);
    if (count > 0 && below + count >= wanted) {
      const bool unbounded = i + 1 == totals.counts.size();
      return unbounded ? lower : lower + (upper - lower) * (wanted - below) / count;
    }
    below += count;
  }
  return 0;
}

void MetricRing::begin(ops::RequestTotals totals, int64_t now_ns) {
  before_ = std::move(totals);
  before_ns_ = now_ns;
}

void MetricRing::add(ops::RequestTotals totals, int64_t now_ns, int64_t now_ms) {
  auto sample = std::make_shared<MetricSample>();
  sample->time_ms = samples_.empty() ? now_ms : std::max(now_ms, samples_.back()->time_ms + 1);
  sample->seconds = static_cast<double>(now_ns - before_ns_) * 1e-9;
  add_operations(*sample, before_, totals);
  add_tables(*sample, before_, totals);
  if (samples_.size() == kMost) samples_.pop_front();
  samples_.push_back(std::move(sample));
  begin(std::move(totals), now_ns);
}

MetricRing::Samples MetricRing::since(int64_t time_ms) const {
  const auto from = std::ranges::upper_bound(samples_, time_ms, {}, [](const auto& one) { return one->time_ms; });
  return {from, samples_.end()};
}

Result<MetricRing::Samples> MetricSampler::since(int64_t time_ms) {
  Thread ended;  // is joined without the mutex
  const MutexLock lock(mutex_);
  asked_ns_ = clock_.monotonic_ns();
  if (!running_) {
    ended = std::exchange(thread_, Thread());
    ring_.begin(totals_(), asked_ns_);
    PARTITA_TRY(thread_, Thread::start("metrics", [this](const std::stop_token& stop) { run(stop); }));
    running_ = true;
  }
  return ring_.since(time_ms);
}

void MetricSampler::run(const std::stop_token& stop) {
  const std::stop_callback wake(stop, [this] {
    const MutexLock lock(mutex_);
    changed_.notify_all();
  });
  auto next = std::chrono::steady_clock::now();
  while (true) {
    next = std::max(next + kEvery, std::chrono::steady_clock::now());
    {
      const MutexLock lock(mutex_);
      if (changed_.wait_until(mutex_, next, [&] { return stop.stop_requested(); })) return;
    }
    if (!sample()) return;
  }
}

bool MetricSampler::sample() {
  ops::RequestTotals totals = totals_();
  const int64_t now_ns = clock_.monotonic_ns();
  const MutexLock lock(mutex_);
  running_ = now_ns - asked_ns_ < kKeptUpNs;
  if (running_) {
    ring_.add(std::move(totals), now_ns, clock_.now_ms());
  } else {
    ring_.clear();
  }
  return running_;
}

}  // namespace partita::admin
