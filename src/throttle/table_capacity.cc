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
// Burst does not lift what partitions serve, which is what limits a table on demand.
constexpr int64_t kOnDemandDepthNs = 1'000'000'000;

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

Collections collections_of(const TableInfo& table, const IndexInfo* index) {
  if (index != nullptr) return Collections::kDivisible;  // its rows end with the key of the table
  if (table.keys.sort.empty()) return Collections::kSingleItems;
  return table.has_local_index() ? Collections::kIndivisible : Collections::kDivisible;
}

int64_t bytes_of(const TableInfo& table, const IndexInfo* index) {
  return (index == nullptr ? table.tally : index->tally)->bytes.load(std::memory_order_relaxed);
}

}  // namespace

std::optional<CapacityMode> capacity_mode_named(std::string_view name) {
  if (name == "record") return CapacityMode::kRecord;
  if (name == "enforce") return CapacityMode::kEnforce;
  return std::nullopt;
}

CapacityMode mode_of(const TableInfo& table, CapacityMode server) {
  const auto found = table.tags.find(std::string(kModeTag));
  return found == table.tags.end() ? server : capacity_mode_named(found->second).value_or(server);
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

TableCapacity::TableCapacity(const TableInfo& table, const IndexInfo* index, CapacityMode server, int64_t now_ns,
                             std::shared_ptr<CapacityShare> share)
    : review_at_ns_(std::min(now_ns + kReviewNs, share->until_ns())),
      share_(std::move(share)),
      heat_(collections_of(table, index), partitions_of(table, index), now_ns),
      load_due_ns_(now_ns + kReviewNs) {
  refresh(table, index, server, now_ns);
  for (Bucket& one : buckets_) one.initialise(*share_, now_ns);
}

int64_t TableCapacity::partitions_of(const TableInfo& table, const IndexInfo* index) {
  return wanted_partitions(level_of(table, index, false).per_second, level_of(table, index, true).per_second,
                           bytes_of(table, index));
}

void TableCapacity::set(bool write, Level level, int64_t now_ns) {
  Bucket& own = bucket(write);
  std::optional<Growth>& growth = growths_[write ? 1 : 0];
  if (level.limit == ThroughputLimit::kKeyRange) {
    // What it has grown to stays, as long as the table stays on demand.
    const OnDemandLevel initial(level.per_second, kOnDemandQuota, now_ns);
    if (!growth) growth.emplace(initial, 0, consumed_units(write));
    growth->initial = initial.level();
    growth->level.raise(level.per_second);
    set_grown(write, now_ns);
    return;
  }
  growth.reset();
  own.limit_.store(level.limit, std::memory_order_relaxed);
  own.set_rate(level.per_second, level.depth_ns, *share_, now_ns);
}

void TableCapacity::set_grown(bool write, int64_t now_ns) {
  Bucket& own = bucket(write);
  const int64_t level = growths_[write ? 1 : 0]->level.level();
  const bool most = level >= kOnDemandQuota;
  own.limit_.store(most ? ThroughputLimit::kAccount : ThroughputLimit::kKeyRange, std::memory_order_relaxed);
  own.set_rate(level, kOnDemandDepthNs, *share_, now_ns);
}

void TableCapacity::grow_heat() {
  heat_.grow(wanted_partitions(bucket(false).tokens.per_second(), bucket(true).tokens.per_second(), bytes_));
}

void TableCapacity::refresh(const TableInfo& table, const IndexInfo* index, CapacityMode server, int64_t now_ns) {
  const MutexLock lock(mutex_);
  if (revision_.load(std::memory_order_relaxed) >= table.revision) return;
  for (const bool write : {false, true}) set(write, level_of(table, index, write), now_ns);
  bytes_ = bytes_of(table, index);
  grow_heat();
  mode_.store(mode_of(table, server), std::memory_order_relaxed);
  if (index == nullptr) warn_of_tag(table);
  revision_.store(table.revision, std::memory_order_release);
}

TableCapacity::Taken TableCapacity::look(bool write, int64_t now_ns) {
  if (now_ns >= review_at_ns_.load(std::memory_order_relaxed)) [[unlikely]]
    review(now_ns);
  Taken taken;
  Bucket& own = bucket(write);
  if (own.tokens.has_any(now_ns, taken.wait_ns)) return {};
  if (own.closed() && !enforces()) return {};
  own.lacked_.fetch_add(2, std::memory_order_relaxed);
  return taken;
}

TableCapacity::Taken TableCapacity::refused(bool write, std::string_view position, model::HalfUnits half_units,
                                            int64_t now_ns, int64_t wait_ns) {
  if (!bucket(write).closed() || enforces()) {
    bucket(write).lacked_.fetch_add(half_units, std::memory_order_relaxed);
    return {nullptr, wait_ns};
  }
  const Heat::Taken range = heat_.take(position, kind_of(write), half_units, now_ns, Sampler::mine());
  return {range.partition, range.wait_ns};
}

// Whichever thread finds that a second is over does it. So it costs nothing while the table is not in use. Others that
// find it too wait: the share may have ended.
void TableCapacity::review(int64_t now_ns) {
  const MutexLock lock(mutex_);
  if (now_ns < review_at_ns_.load(std::memory_order_relaxed)) return;
  for (Bucket& one : buckets_) one.update(*share_, now_ns);
  if (now_ns >= load_due_ns_) {
    load_due_ns_ = now_ns + kReviewNs;
    heat_.review(now_ns);
    grow(now_ns);
  }
  const bool valid = share_->is_valid(now_ns);
  const int64_t next_ns = valid ? std::min(load_due_ns_, share_->until_ns()) : now_ns + kClosedReviewNs;
  review_at_ns_.store(next_ns, std::memory_order_release);
}

void TableCapacity::grow(int64_t now_ns) {
  bool grown = false;
  for (const bool write : {false, true}) {
    std::optional<Growth>& growth = growths_[write ? 1 : 0];
    if (!growth) continue;
    const int64_t consumed = consumed_units(write);
    growth->consumed += consumed - std::exchange(growth->seen, consumed);
    growth->level.review(growth->consumed + growth->elsewhere / 2, now_ns);
    if (growth->level.level() == bucket(write).tokens.per_second()) continue;
    set_grown(write, now_ns);
    grown = true;
  }
  if (grown) grow_heat();
}

BucketState TableCapacity::state(bool write, int64_t now_ns) {
  const MutexLock lock(mutex_);
  BucketState state = bucket(write).state(now_ns);
  state.consumed = heat_.consumed(kind_of(write));
  state.used = state.consumed + bucket(write).lacked_.load(std::memory_order_relaxed);
  state.revision = revision_.load(std::memory_order_relaxed);
  if (const auto& growth = growths_[write ? 1 : 0]) state.least_per_second = growth->initial;
  return state;
}

void TableCapacity::add(bool write, model::HalfUnits units, int64_t now_ns) {
  const MutexLock lock(mutex_);
  bucket(write).add(units, now_ns);
}

void TableCapacity::raise(bool write, int64_t per_second, int64_t now_ns) {
  const MutexLock lock(mutex_);
  std::optional<Growth>& growth = growths_[write ? 1 : 0];
  if (!growth) return;
  growth->level.raise(per_second);
  if (growth->level.level() == bucket(write).tokens.per_second()) return;
  set_grown(write, now_ns);
  grow_heat();
}

void TableCapacity::add_load(bool write, model::HalfUnits units) {
  const MutexLock lock(mutex_);
  if (std::optional<Growth>& growth = growths_[write ? 1 : 0]) growth->elsewhere += units;
}

void TableCapacity::update_share(int64_t now_ns) {
  const MutexLock lock(mutex_);
  for (Bucket& one : buckets_) one.update(*share_, now_ns);
}

void TableCapacity::fill(int64_t now_ns) {
  const MutexLock lock(mutex_);
  for (Bucket& one : buckets_) one.fill(*share_, now_ns);
}

}  // namespace partita::throttle
