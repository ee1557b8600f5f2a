#include "throttle/ledger.h"

#include <algorithm>
#include <utility>

namespace partita::throttle {

namespace {

using model::HalfUnits;

// A row of a table that is dropped, or not known here yet, is erased after so long.
constexpr int64_t kOrphanNs = 20'000'000'000;
// How far a demand may be from the one that is stored, in percent.
constexpr HalfUnits kCloseEnough = 25;
// A load on a rate that grows is reported from a fourth of a server's share of the rate on: the rate grows from half of
// it on. Once there is a row, smaller loads are reported too, in amounts of a fourth of that, until there was no larger
// one for a minute.
constexpr HalfUnits kMuch = 4;
constexpr HalfUnits kSome = 4;
constexpr int64_t kQuietNs = 60'000'000'000;

double fraction(uint32_t divisor) { return divisor == 0 ? 0 : 1.0 / divisor; }

HalfUnits units_in(int64_t per_second, int64_t span_ns, uint32_t divisor) {
  const double units = static_cast<double>(per_second) * static_cast<double>(span_ns) / 1e9;
  return static_cast<HalfUnits>(2 * units / divisor);
}

const Member* find_member(const Members& members, ServerId id) {
  const auto found = std::ranges::find(members, id, &Member::id);
  return found == members.end() ? nullptr : &*found;
}

// What a server may use beside these others, if it has `recorded` so far.
uint32_t divisor_beside(const Members& others, uint32_t recorded) {
  const auto count = static_cast<uint32_t>(others.size()) + 1;
  double sum = fraction(count);
  for (const Member& other : others) sum += fraction(other.divisor);
  constexpr double kRounding = 1e-9;
  if (sum <= 1 + kRounding) return count;
  return recorded == 0 ? 0 : std::max(recorded, count);
}

HalfUnits demand_of_others(const Pool& pool, ServerId self) {
  HalfUnits sum = 0;
  for (const Demand& demand : pool.demands) sum += demand.id == self ? 0 : demand.used;
  return sum;
}

// What a server consumed in a period.
bool is_much(HalfUnits consumed, const BucketState& bucket, uint32_t divisor) {
  return consumed > 0 && consumed * kMuch >= units_in(bucket.per_second, kLedgerPeriodNs, divisor);
}

bool has_grown(const BucketState& bucket) {
  return bucket.least_per_second > 0 && bucket.per_second > bucket.least_per_second;
}

// `most`: it holds no more than that.
Pool pool_without_row(const BucketState& bucket, std::optional<HalfUnits> most) {
  const HalfUnits depth = pool_depth_of(bucket);
  Pool pool{std::min(depth, most.value_or(depth)), {}, bucket.revision, 0, 0};
  if (bucket.least_per_second > 0) pool.per_second = bucket.per_second;
  return pool;
}

}  // namespace

int64_t divided_depth_ns(int64_t depth_ns, uint32_t divisor) {
  return divisor <= 1 ? depth_ns : std::max(depth_ns / 2, kLeastDepthNs * divisor);
}

HalfUnits depth_of(const BucketState& bucket, uint32_t divisor) {
  if (divisor == 0) return 0;
  return units_in(bucket.per_second, divided_depth_ns(bucket.depth_ns, divisor), divisor);
}

HalfUnits pool_depth_of(const BucketState& bucket) {
  return units_in(bucket.per_second, std::max(bucket.depth_ns / 2, kLeastPoolNs), 1);
}

// A member is dead if its row did not change for the length of a lease while this server was listed beside it: a server
// that is alone confirms its share by reading that it is alone, and changes nothing.
Members LedgerParticipant::live_others(const Members& members, int64_t began_ns, int64_t ended_ns) {
  Members live;
  for (const Member& member : members) {
    if (member.id == id_) continue;
    const auto [seen, first] = heartbeats_.try_emplace(member.id, Heartbeat{member.heartbeat, ended_ns});
    if (!first && seen->second.number != member.heartbeat) seen->second = {member.heartbeat, ended_ns};
    if (began_ns - seen->second.since_ns < kLeaseNs) live.push_back(member);
  }
  std::erase_if(heartbeats_, [&](const auto& one) { return find_member(members, one.first) == nullptr; });
  return live;
}

std::optional<LedgerWrites> LedgerParticipant::begin(const LedgerRows& rows, int64_t began_ns, int64_t ended_ns) {
  const Member* const self = find_member(rows.members, id_);
  if (self == nullptr) return join(rows);
  fresh_ = false;
  const uint32_t recorded = self->divisor;
  // Only if the store has lost writes, as after a restore.
  if (fraction(divisor_) > fraction(recorded)) lower(recorded);
  put_back();
  if (rows.members.size() == 1 && recorded == 1) {
    others_.clear();
    host_.renew(began_ns + kLeaseNs);
    if (divisor_ != 1) host_.divide(1);
    divisor_ = 1;
    put_back();
    return std::nullopt;
  }
  measure(rows, ended_ns);
  others_ = live_others(rows.members, began_ns, ended_ns);
  next_divisor_ = divisor_beside(others_, recorded);
  if (fraction(next_divisor_) < fraction(divisor_)) lower(next_divisor_);
  LedgerWrites writes;
  writes.members = others_;
  writes.members.push_back({id_, ++heartbeat_, next_divisor_});
  if (recorded == 1) {
    if (next_divisor_ > 1) make_pools(writes);
  } else if (next_divisor_ == 1) {
    take_all(rows, writes);
  } else if (next_divisor_ > 1) {
    balance(rows, ended_ns, writes);
  }
  return writes;
}

// New, or taken for dead. What it had is spent.
LedgerWrites LedgerParticipant::join(const LedgerRows& rows) {
  host_.divide(0);
  divisor_ = 0;
  for (auto& [id, transfer] : transfers_) {
    const auto pool_depth = transfer.pool_depth;
    transfer = Transfer();
    transfer.pool_depth = pool_depth;
  }
  heartbeats_.clear();
  others_ = rows.members;
  next_divisor_ = divisor_beside(others_, 0);
  LedgerWrites writes;
  writes.members = others_;
  writes.members.push_back({id_, ++heartbeat_, next_divisor_});
  if (next_divisor_ != 1) return writes;
  fills_ = fresh_;
  take_all(rows, writes);
  return writes;
}

void LedgerParticipant::end(LedgerOutcome outcome, int64_t tried_ns) {
  const bool fills = std::exchange(fills_, false);
  const bool committed = outcome == LedgerOutcome::kCommitted;
  if (committed) {
    fresh_ = false;
    host_.renew(tried_ns + kLeaseNs);
    if (divisor_ != next_divisor_) host_.divide(next_divisor_);
    divisor_ = next_divisor_;
    if (fills) host_.fill();
  }
  for (auto& [id, transfer] : transfers_) {
    if (committed && transfer.to_bucket != 0) host_.add(id, transfer.to_bucket);
    transfer.to_bucket = 0;
    const HalfUnits reporting = std::exchange(transfer.reporting, 0);
    const auto next_pool_depth = std::exchange(transfer.next_pool_depth, std::nullopt);
    if (committed) transfer.pool_depth = next_pool_depth;
    if (outcome == LedgerOutcome::kNotDone) continue;
    transfer.to_pool = 0;
    if (transfer.reported) *transfer.reported += reporting;
    if (transfer.counted) *transfer.counted += reporting;
  }
}

// Units that could not be written in an earlier call are still in `transfers_`.
std::optional<LedgerWrites> LedgerParticipant::leave(const LedgerRows& rows) {
  LedgerWrites writes;
  const Member* const self = find_member(rows.members, id_);
  for (const BucketId& id : divisor_ == 0 ? std::vector<BucketId>() : host_.buckets()) {
    const std::optional<BucketState> bucket = host_.state(id);
    if (!bucket) continue;
    // Before it is divided: requests may take units meanwhile.
    host_.add(id, -bucket->level);
    transfers_[id].to_pool += bucket->level;
  }
  host_.divide(0);
  divisor_ = 0;
  if (self == nullptr) return std::nullopt;
  writes.members = rows.members;
  std::erase_if(writes.members, [&](const Member& member) { return member.id == id_; });
  if (writes.members.empty() || self->divisor == 0) return writes;
  for (const auto& [id, transfer] : transfers_) {
    const std::optional<BucketState> bucket = host_.state(id);
    if (!bucket) continue;
    const HalfUnits most = pool_depth_of(*bucket);
    const auto row = rows.pools.find(id);
    Pool pool = row != rows.pools.end() ? row->second : pool_without_row(*bucket, transfer.pool_depth);
    // A server alone has all units, and there are no pools.
    if (self->divisor == 1) pool.level = 0;
    // A debt is paid from the pool.
    const HalfUnits level = std::clamp<HalfUnits>(pool.level + transfer.to_pool, 0, std::max(most, pool.level));
    if (level == (row != rows.pools.end() ? row->second.level : most)) continue;
    pool.level = level;
    writes.pools.emplace(id, std::move(pool));
  }
  return writes;
}

void LedgerParticipant::measure(const LedgerRows& rows, int64_t now_ns) {
  // Not for another attempt after a conflict.
  if (measured_ns_ && now_ns - *measured_ns_ < kLedgerPeriodNs / 2) return;
  measured_ns_ = now_ns;
  const auto measure_one = [&](const BucketId& id) {
    const std::optional<BucketState> bucket = host_.state(id);
    if (!bucket) return;
    Transfer& transfer = transfers_[id];
    transfer.used = bucket->used - transfer.used_before.value_or(bucket->used);
    transfer.used_before = bucket->used;
  };
  std::vector<BucketId> ids = host_.buckets();
  for (const BucketId& id : ids) measure_one(id);
  std::ranges::sort(ids);
  for (const auto& [id, pool] : rows.pools) {
    if (!std::ranges::binary_search(ids, id)) measure_one(id);
  }
  std::erase_if(transfers_, [&](const auto& one) { return !host_.state(one.first); });
}

// What could not be written to a pool.
void LedgerParticipant::put_back() {
  for (auto& [id, transfer] : transfers_) {
    if (transfer.to_pool == 0 || divisor_ == 0) continue;
    const std::optional<BucketState> bucket = host_.state(id);
    if (!bucket) continue;
    const HalfUnits room = depth_of(*bucket, divisor_) - bucket->level;
    const HalfUnits back = std::clamp<HalfUnits>(room, 0, transfer.to_pool);
    if (back > 0) host_.add(id, back);
    transfer.to_pool -= back;
  }
}

// Requests may take units meanwhile: those come out of what stays.
void LedgerParticipant::lower(uint32_t divisor) {
  for (const BucketId& id : host_.buckets()) {
    const std::optional<BucketState> bucket = host_.state(id);
    if (!bucket) continue;
    const HalfUnits excess = bucket->level - depth_of(*bucket, divisor);
    if (excess <= 0) continue;
    host_.add(id, -excess);
    transfers_[id].to_pool += excess;
  }
  host_.divide(divisor);
  divisor_ = divisor;
}

void LedgerParticipant::take_all(const LedgerRows& rows, LedgerWrites& writes) {
  for (const auto& [id, pool] : rows.pools) {
    writes.pools.emplace(id, std::nullopt);
    std::optional<BucketState> bucket = host_.state(id);
    if (bucket && bucket->least_per_second > 0 && pool.per_second > bucket->per_second) {
      host_.raise(id, pool.per_second);
      bucket = host_.state(id);
    }
    if (bucket) transfers_[id].to_bucket = std::min(pool.level, pool_depth_of(*bucket));
  }
  for (const BucketId& id : host_.buckets()) {
    const std::optional<BucketState> bucket = host_.state(id);
    if (!bucket || rows.pools.contains(id)) continue;
    Transfer& transfer = transfers_[id];
    transfer.to_bucket = pool_without_row(*bucket, transfer.pool_depth).level;
  }
}

void LedgerParticipant::make_pools(LedgerWrites& writes) {
  for (const BucketId& id : host_.buckets()) {
    const std::optional<BucketState> bucket = host_.state(id);
    if (!bucket) continue;
    Transfer& transfer = transfers_[id];
    Pool pool = pool_without_row(*bucket, transfer.to_pool);
    transfer.next_pool_depth = pool_depth_of(*bucket);
    transfer.reported = bucket->consumed;
    transfer.counted = 0;
    if (pool.level < *transfer.next_pool_depth || has_grown(*bucket)) writes.pools.emplace(id, std::move(pool));
  }
}

bool LedgerParticipant::is_orphan(const BucketId& id, int64_t now_ns) {
  const int64_t since_ns = orphans_.try_emplace(id, now_ns).first->second;
  return now_ns - since_ns >= kOrphanNs;
}

void LedgerParticipant::balance(const LedgerRows& rows, int64_t now_ns, LedgerWrites& writes) {
  for (const auto& [id, pool] : rows.pools) {
    if (const std::optional<BucketState> bucket = host_.state(id)) {
      orphans_.erase(id);
      balance(id, *bucket, &pool, now_ns, writes);
    } else if (is_orphan(id, now_ns)) {
      writes.pools.emplace(id, std::nullopt);
    }
  }
  std::erase_if(orphans_, [&](const auto& one) { return !rows.pools.contains(one.first); });
  for (const BucketId& id : host_.buckets()) {
    if (rows.pools.contains(id)) continue;
    if (const std::optional<BucketState> bucket = host_.state(id)) balance(id, *bucket, nullptr, now_ns, writes);
  }
}

void LedgerParticipant::balance(const BucketId& id, BucketState bucket, const Pool* row, int64_t now_ns,
                                LedgerWrites& writes) {
  if (row != nullptr) bucket = follow_growth(id, bucket, *row, now_ns);
  Transfer& transfer = transfers_[id];
  const HalfUnits depth = pool_depth_of(bucket);
  Pool pool = row != nullptr ? *row : pool_without_row(bucket, transfer.pool_depth);
  transfer.next_pool_depth = depth;
  // Another server has seen a newer description, so the depth of the pool is not known here.
  const bool is_outdated = bucket.revision < pool.revision;
  const HalfUnits most = is_outdated ? pool.level : depth;
  if (!is_outdated) {
    pool.revision = bucket.revision;
    pool.per_second = bucket.least_per_second > 0 ? bucket.per_second : 0;
    if (bucket.least_per_second == 0) pool.consumed = 0;
  }
  pool.level = std::min(pool.level, most);
  std::erase_if(pool.demands,
                [&](const Demand& demand) { return demand.id != id_ && find_member(others_, demand.id) == nullptr; });
  pool.level += std::min(transfer.to_pool, most - pool.level);
  const bool grows = report_growth(bucket, row != nullptr, now_ns, transfer, pool);
  Need need{bucket.level, depth_of(bucket, next_divisor_), 0, 0, transfer.used};
  need.refill = units_in(bucket.per_second, kLedgerPeriodNs, next_divisor_);
  need.enough = std::min(need.depth, std::max(2 * need.used, std::min(2 * need.refill, need.depth / 2)));
  if (!take(need, transfer, pool)) {
    std::erase_if(pool.demands, [&](const Demand& demand) { return demand.id == id_; });
    give(id, need, most - pool.level, transfer, pool);
  }
  const bool is_needed = is_outdated || grows || pool.level < most || !pool.demands.empty();
  if (!is_needed && row != nullptr) writes.pools.emplace(id, std::nullopt);
  if (is_needed && (row == nullptr || *row != pool)) writes.pools.emplace(id, std::move(pool));
}

// The rate is that of the server that has raised it most, and its load that of all servers.
BucketState LedgerParticipant::follow_growth(const BucketId& id, const BucketState& bucket, const Pool& row,
                                             int64_t now_ns) {
  if (bucket.least_per_second == 0) return bucket;
  Transfer& transfer = transfers_[id];
  const HalfUnits elsewhere = row.consumed - transfer.counted.value_or(0);
  if (is_much(elsewhere, bucket, next_divisor_)) transfer.counted_ns = now_ns;
  if (transfer.counted && elsewhere > 0) host_.add_load(id, elsewhere);
  transfer.counted = row.consumed;
  if (row.per_second <= bucket.per_second) return bucket;
  host_.raise(id, row.per_second);
  return host_.state(id).value_or(bucket);
}

bool LedgerParticipant::report_growth(const BucketState& bucket, bool has_row, int64_t now_ns, Transfer& transfer,
                                      Pool& pool) const {
  if (bucket.least_per_second == 0) return false;
  if (!has_row) transfer.counted = 0;
  if (!transfer.reported) transfer.reported = bucket.consumed;
  const HalfUnits unreported = bucket.consumed - *transfer.reported;
  const bool much = is_much(unreported, bucket, next_divisor_);
  if (much) transfer.counted_ns = now_ns;
  if (much || (has_row && is_much(unreported * kSome, bucket, next_divisor_))) {
    transfer.reporting = unreported;
    pool.consumed += unreported;
  } else if (!has_row) {
    transfer.reported = bucket.consumed;
  }
  const bool is_counting = has_row && now_ns - transfer.counted_ns < kQuietNs;
  return has_grown(bucket) || is_counting || transfer.reporting > 0;
}

// False: it is not short of units.
bool LedgerParticipant::take(const Need& need, Transfer& transfer, Pool& pool) const {
  if (need.level >= need.enough || (need.used <= need.refill && need.level >= 0)) return false;
  const auto used = static_cast<double>(std::max<HalfUnits>(need.used, 1));
  const double share = used / (used + static_cast<double>(demand_of_others(pool, id_)));
  const auto due = static_cast<HalfUnits>(static_cast<double>(pool.level) * share);
  transfer.to_bucket = std::clamp<HalfUnits>(need.enough - need.level, 0, due);
  pool.level -= transfer.to_bucket;
  const auto own = std::ranges::find(pool.demands, id_, &Demand::id);
  if (own == pool.demands.end()) {
    pool.demands.push_back({id_, std::max<HalfUnits>(need.used, 1)});
  } else if (std::abs(own->used - need.used) * 100 > own->used * kCloseEnough) {
    own->used = std::max<HalfUnits>(need.used, 1);
  }
  return true;
}

// At once if another server is short; otherwise seldom, before the bucket is full.
void LedgerParticipant::give(const BucketId& id, const Need& need, HalfUnits room, Transfer& transfer, Pool& pool) {
  const bool wanted = demand_of_others(pool, id_) > 0;
  if (!wanted && need.level * 10 < need.depth * 9) return;
  const HalfUnits surplus = std::min(need.level - (wanted ? need.enough : need.depth / 2), room);
  // Or what fills the pool, so that its row can go.
  if (surplus <= 0 || surplus < std::min(need.refill / 8, room)) return;
  host_.add(id, -surplus);
  transfer.to_pool += surplus;
  pool.level += surplus;
}

}  // namespace partita::throttle
