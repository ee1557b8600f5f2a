#include "throttle/table_capacity.h"

#include <algorithm>
#include <utility>

#include "base/log.h"

namespace partita::throttle {

namespace {

using model::ThroughputLimit;
using table::IndexInfo;
using table::TableInfo;

// "Quotas in Amazon DynamoDB": of reads and of writes, for a table or an index on demand.
constexpr int64_t kOnDemandQuota = 40'000;
// "On-demand capacity mode": throttling can occur if the previous peak doubles within this time.
constexpr int64_t kDoublingNs = 1'800'000'000'000;
// Burst does not lift what partitions serve, which is what limits a table on demand.
constexpr int64_t kOnDemandDepthNs = 1'000'000'000;

constexpr std::string_view kOtherTables = "(other)";  // no table's name

CapacityMode mode_of(const TableInfo& table, CapacityMode server) {
  const auto found = table.tags.find(std::string(kModeTag));
  return found == table.tags.end() ? server : capacity_mode_named(found->second).value_or(server);
}

void warn_of_tag(const TableInfo& table) {
  const auto found = table.tags.find(std::string(kModeTag));
  if (found == table.tags.end() || capacity_mode_named(found->second)) return;
  log(LogLevel::kWarn, {"The tag ", kModeTag, " of the table ", table.name, " is ignored: \"", found->second,
                        "\" is neither record nor enforce."});
}

// What a table and a global index have in common.
template <class Owner>
std::pair<int64_t, int64_t> provisioned_units(const Owner& owner) {
  const table::Throughput& throughput = owner.throughput;
  if (throughput.next) return {throughput.next->value.read, throughput.next->value.write};
  return {throughput.read_units, throughput.write_units};
}

template <class Owner>
table::WarmThroughput warmth_of(const Owner& owner, api::BillingMode mode) {
  const table::WarmThroughput warm = warmer(owner.warm, initial_warmth(mode, owner.throughput));
  return owner.next_warm ? warmer(warm, owner.next_warm->value) : warm;
}

void add_events(ThrottleEvents& sum, const ThrottleEvents& one) {
  sum.refused.read += one.refused.read;
  sum.refused.write += one.refused.write;
  sum.recorded.read += one.recorded.read;
  sum.recorded.write += one.recorded.write;
}

}  // namespace

std::optional<CapacityMode> capacity_mode_named(std::string_view name) {
  if (name == "record") return CapacityMode::kRecord;
  if (name == "enforce") return CapacityMode::kEnforce;
  return std::nullopt;
}

TableCapacity::Level TableCapacity::level_of(const TableInfo& table, const IndexInfo* index, bool write) {
  if (table.billing_mode == api::BillingMode::kProvisioned) {
    const auto [reads, writes] = index == nullptr ? provisioned_units(table) : provisioned_units(*index);
    return {std::max<int64_t>(write ? writes : reads, 1), kBurstNs, ThroughputLimit::kProvisioned};
  }
  const api::OnDemandLimits& limits = index == nullptr ? table.on_demand : index->on_demand;
  const int64_t most = (write ? limits.max_write_units : limits.max_read_units).value_or(0);
  if (most > 0) return {most, kBurstNs, ThroughputLimit::kMaxOnDemand};
  const auto warm = index == nullptr ? warmth_of(table, table.billing_mode) : warmth_of(*index, table.billing_mode);
  return {write ? warm.write_units : warm.read_units, kOnDemandDepthNs, ThroughputLimit::kKeyRange};
}

void TableCapacity::set(Bucket& bucket, Level level, bool first, int64_t now_ns) {
  if (level.limit == ThroughputLimit::kKeyRange) {
    // What it has grown to stays, as long as the table stays on demand.
    const ThroughputLimit before = bucket.limit();
    const bool stays = !first && (before == ThroughputLimit::kKeyRange || before == ThroughputLimit::kAccount);
    if (stays) level.per_second = std::max(level.per_second, bucket.tokens.per_second());
    if (!stays) bucket.grown_at_ns_ = now_ns;
    if (level.per_second >= kOnDemandQuota) level.limit = ThroughputLimit::kAccount;
  }
  bucket.limit_.store(level.limit, std::memory_order_relaxed);
  bucket.tokens.set_rate(now_ns, level.per_second, level.depth_ns);
}

void TableCapacity::refresh(const TableInfo& table, const IndexInfo* index, CapacityMode server, int64_t now_ns) {
  const MutexLock lock(mutex_);
  const uint64_t before = revision_.load(std::memory_order_relaxed);
  if (before >= table.revision) return;
  for (const bool write : {false, true}) set(bucket(write), level_of(table, index, write), before == 0, now_ns);
  if (before == 0) {
    for (Bucket& one : buckets_) one.tokens.fill(now_ns);
  }
  mode_.store(mode_of(table, server), std::memory_order_relaxed);
  if (index == nullptr) warn_of_tag(table);
  revision_.store(table.revision, std::memory_order_release);
}

bool TableCapacity::grow(bool write, int64_t now_ns) {
  Bucket& grown = bucket(write);
  if (grown.limit() != ThroughputLimit::kKeyRange) return false;
  const MutexLock lock(mutex_);
  const bool waits = now_ns - grown.grown_at_ns_ < kDoublingNs;
  if (grown.limit() != ThroughputLimit::kKeyRange || waits) return false;
  grown.grown_at_ns_ = now_ns;
  const int64_t doubled = std::min(2 * grown.tokens.per_second(), kOnDemandQuota);
  if (doubled == kOnDemandQuota) grown.limit_.store(ThroughputLimit::kAccount, std::memory_order_relaxed);
  grown.tokens.set_rate(now_ns, doubled, kOnDemandDepthNs);
  grown.tokens.fill(now_ns);
  return true;
}

TableCapacity& CapacityLimits::refreshed(const TableInfo& table, const IndexInfo* index, int64_t now_ns) {
  table::LimitsKept& kept = index == nullptr ? *table.limits : *index->limits;
  table::Limits* found = kept.get();
  if (found == nullptr) {
    auto made = std::make_unique<TableCapacity>();
    made->refresh(table, index, mode_, now_ns);
    found = kept.keep(std::move(made));
  }
  auto& capacity = static_cast<TableCapacity&>(*found);
  capacity.refresh(table, index, mode_, now_ns);
  return capacity;
}

bool CapacityLimits::list(std::string_view space, const TableInfo& table, const IndexInfo* index) {
  if (lines_.size() >= most_) std::erase_if(lines_, [](const Line& line) { return line.limits.expired(); });
  if (lines_.size() >= most_) return false;
  const std::shared_ptr<table::LimitsKept>& limits = index == nullptr ? table.limits : index->limits;
  lines_.push_back({std::string(space), table.name, index == nullptr ? std::string() : index->name, limits});
  return true;
}

void CapacityLimits::count(std::string_view space, const TableInfo& table, const IndexInfo* index, bool write,
                           bool refused) {
  auto& capacity = static_cast<TableCapacity&>(*(index == nullptr ? table.limits : index->limits)->get());
  if (!capacity.listed_.load(std::memory_order_acquire)) {
    const MutexLock lock(mutex_);
    if (!capacity.listed_.load(std::memory_order_relaxed) && !list(space, table, index)) {
      ThrottleEvents::Of& events = refused ? others_.refused : others_.recorded;
      ++(write ? events.write : events.read);
      return;
    }
    capacity.listed_.store(true, std::memory_order_release);
  }
  TableCapacity::Bucket& bucket = capacity.bucket(write);
  (refused ? bucket.refused_ : bucket.recorded_).fetch_add(1, std::memory_order_relaxed);
}

std::vector<ThrottleEvents> CapacityLimits::events() {
  std::vector<ThrottleEvents> all;
  const MutexLock lock(mutex_);
  for (const Line& line : lines_) {
    const auto limits = line.limits.lock();
    if (limits == nullptr) continue;
    auto& capacity = static_cast<TableCapacity&>(*limits->get());
    ThrottleEvents one{line.space, line.table, line.index, {}, {}};
    for (const bool write : {false, true}) {
      const TableCapacity::Bucket& bucket = capacity.bucket(write);
      (write ? one.refused.write : one.refused.read) = bucket.refused_.load(std::memory_order_relaxed);
      (write ? one.recorded.write : one.recorded.read) = bucket.recorded_.load(std::memory_order_relaxed);
    }
    // A table and its dropped predecessor of the same name may both be there for a moment.
    const auto same = std::ranges::find_if(all, [&](const ThrottleEvents& other) {
      return other.space == one.space && other.table == one.table && other.index == one.index;
    });
    if (same == all.end()) {
      all.push_back(std::move(one));
    } else {
      add_events(*same, one);
    }
  }
  const uint64_t of_others =
      others_.refused.read + others_.refused.write + others_.recorded.read + others_.recorded.write;
  if (of_others > 0) {
    all.push_back(others_);
    all.back().table = kOtherTables;
  }
  return all;
}

void CapacityLimits::report(Exposition& out) {
  const std::vector<ThrottleEvents> all = events();
  const auto say = [&](std::string_view name, std::string_view help, ThrottleEvents::Of ThrottleEvents::* of) {
    for (const ThrottleEvents& one : all) {
      for (const bool write : {false, true}) {
        const uint64_t count = write ? (one.*of).write : (one.*of).read;
        out.counter(
            name, help, static_cast<double>(count),
            {{"namespace", one.space}, {"table", one.table}, {"index", one.index}, {"kind", write ? "write" : "read"}});
      }
    }
  };
  say("partita_table_would_throttle_total", "Reads and writes beyond the capacity, served in the mode record.",
      &ThrottleEvents::recorded);
  say("partita_table_throttle_events_total", "Reads and writes refused for lack of capacity.",
      &ThrottleEvents::refused);
}

}  // namespace partita::throttle
