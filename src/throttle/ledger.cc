#include "throttle/ledger.h"

#include <algorithm>
#include <utility>

namespace partita::throttle {

namespace {

using model::HalfUnits;

// A row of a table that is dropped, or not known here yet, is erased after so long.
constexpr int64_t kStrangerNs = 20'000'000'000;
// How far a want may be from the one that is stored, in percent.
constexpr HalfUnits kCloseEnough = 25;

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

HalfUnits wanted_by_others(const Pool& pool, ServerId self) {
  HalfUnits sum = 0;
  for (const Want& want : pool.wants) sum += want.id == self ? 0 : want.used;
  return sum;
}

}  // namespace

int64_t divided_depth_ns(int64_t depth_ns, uint32_t divisor) {
  return divisor <= 1 ? depth_ns : std::max(depth_ns / 2, kLeastDepthNs * divisor);
}

HalfUnits depth_of(const Standing& standing, uint32_t divisor) {
  if (divisor == 0) return 0;
  return units_in(standing.per_second, divided_depth_ns(standing.depth_ns, divisor), divisor);
}

HalfUnits pool_depth_of(const Standing& standing) {
  return units_in(standing.per_second, std::max(standing.depth_ns / 2, kLeastPoolNs), 1);
}

// A member is dead if its row did not change for the length of a lease while this server was listed beside it: a server
// that is alone confirms its share by reading that it is alone, and changes nothing.
Members LedgerParticipant::live_others(const Members& members, int64_t began_ns, int64_t ended_ns) {
  Members live;
  for (const Member& member : members) {
    if (member.id == id_) continue;
    const auto [sight, first] = sights_.try_emplace(member.id, Sight{member.beat, ended_ns});
    if (!first && sight->second.beat != member.beat) sight->second = {member.beat, ended_ns};
    if (began_ns - sight->second.since_ns < kLeaseNs) live.push_back(member);
  }
  std::erase_if(sights_, [&](const auto& one) { return find_member(members, one.first) == nullptr; });
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
    if (divisor_ != 1) host_.divide(1);
    divisor_ = 1;
    put_back();
    host_.renew(began_ns + kLeaseNs);
    return std::nullopt;
  }
  measure(rows, ended_ns);
  others_ = live_others(rows.members, began_ns, ended_ns);
  next_divisor_ = divisor_beside(others_, recorded);
  if (fraction(next_divisor_) < fraction(divisor_)) lower(next_divisor_);
  LedgerWrites writes;
  writes.members = others_;
  writes.members.push_back({id_, ++beat_, next_divisor_});
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
  accounts_.clear();
  sights_.clear();
  others_ = rows.members;
  next_divisor_ = divisor_beside(others_, 0);
  LedgerWrites writes;
  writes.members = others_;
  writes.members.push_back({id_, ++beat_, next_divisor_});
  if (next_divisor_ != 1) return writes;
  fills_ = fresh_;
  take_all(rows, writes);
  return writes;
}

void LedgerParticipant::end(LedgerOutcome outcome, int64_t tried_ns) {
  const bool fills = std::exchange(fills_, false);
  if (outcome == LedgerOutcome::kCommitted) {
    fresh_ = false;
    if (divisor_ != next_divisor_) host_.divide(next_divisor_);
    divisor_ = next_divisor_;
    if (fills) host_.fill();
    host_.renew(tried_ns + kLeaseNs);
  }
  for (auto& [id, account] : accounts_) {
    if (outcome == LedgerOutcome::kCommitted && account.taking != 0) host_.add(id, account.taking);
    account.taking = 0;
    if (outcome != LedgerOutcome::kNotDone) account.returning = 0;
  }
}

std::optional<Members> LedgerParticipant::leave(const Members& members) {
  host_.divide(0);
  divisor_ = 0;
  if (find_member(members, id_) == nullptr) return std::nullopt;
  Members others = members;
  std::erase_if(others, [&](const Member& member) { return member.id == id_; });
  return others;
}

void LedgerParticipant::measure(const LedgerRows& rows, int64_t now_ns) {
  // Not for another attempt after a conflict.
  if (measured_ns_ && now_ns - *measured_ns_ < kLedgerPeriodNs / 2) return;
  measured_ns_ = now_ns;
  const auto measure_one = [&](const BucketId& id) {
    const std::optional<Standing> standing = host_.standing(id);
    if (!standing) return;
    Account& account = accounts_[id];
    account.used = standing->used - account.used_before.value_or(standing->used);
    account.used_before = standing->used;
  };
  std::vector<BucketId> ids = host_.buckets();
  for (const BucketId& id : ids) measure_one(id);
  std::ranges::sort(ids);
  for (const auto& [id, pool] : rows.pools) {
    if (!std::ranges::binary_search(ids, id)) measure_one(id);
  }
  std::erase_if(accounts_, [&](const auto& one) { return !host_.standing(one.first); });
}

// What could not be written to a pool.
void LedgerParticipant::put_back() {
  for (auto& [id, account] : accounts_) {
    if (account.returning == 0 || divisor_ == 0) continue;
    const std::optional<Standing> standing = host_.standing(id);
    if (!standing) continue;
    const HalfUnits room = depth_of(*standing, divisor_) - standing->level;
    const HalfUnits back = std::clamp<HalfUnits>(room, 0, account.returning);
    if (back > 0) host_.add(id, back);
    account.returning -= back;
  }
}

// Requests may take units meanwhile: those come out of what stays.
void LedgerParticipant::lower(uint32_t divisor) {
  for (const BucketId& id : host_.buckets()) {
    const std::optional<Standing> standing = host_.standing(id);
    if (!standing) continue;
    const HalfUnits excess = standing->level - depth_of(*standing, divisor);
    if (excess <= 0) continue;
    host_.add(id, -excess);
    accounts_[id].returning += excess;
  }
  host_.divide(divisor);
  divisor_ = divisor;
}

void LedgerParticipant::take_all(const LedgerRows& rows, LedgerWrites& writes) {
  for (const auto& [id, pool] : rows.pools) {
    if (host_.standing(id)) accounts_[id].taking = pool.level;
    writes.pools.emplace(id, std::nullopt);
  }
  for (const BucketId& id : host_.buckets()) {
    const std::optional<Standing> standing = host_.standing(id);
    if (standing && !rows.pools.contains(id)) accounts_[id].taking = pool_depth_of(*standing);
  }
}

void LedgerParticipant::make_pools(LedgerWrites& writes) {
  for (const BucketId& id : host_.buckets()) {
    const std::optional<Standing> standing = host_.standing(id);
    const HalfUnits level = accounts_[id].returning;
    if (standing && level < pool_depth_of(*standing)) writes.pools.emplace(id, Pool{level, {}});
  }
}

bool LedgerParticipant::is_stranger(const BucketId& id, int64_t now_ns) {
  const int64_t since_ns = strangers_.try_emplace(id, now_ns).first->second;
  return now_ns - since_ns >= kStrangerNs;
}

void LedgerParticipant::balance(const LedgerRows& rows, int64_t now_ns, LedgerWrites& writes) {
  for (const auto& [id, pool] : rows.pools) {
    if (const std::optional<Standing> standing = host_.standing(id)) {
      strangers_.erase(id);
      balance(id, *standing, &pool, writes);
    } else if (is_stranger(id, now_ns)) {
      writes.pools.emplace(id, std::nullopt);
    }
  }
  std::erase_if(strangers_, [&](const auto& one) { return !rows.pools.contains(one.first); });
  for (const BucketId& id : host_.buckets()) {
    if (rows.pools.contains(id)) continue;
    if (const std::optional<Standing> standing = host_.standing(id)) balance(id, *standing, nullptr, writes);
  }
}

void LedgerParticipant::balance(const BucketId& id, const Standing& standing, const Pool* row, LedgerWrites& writes) {
  Account& account = accounts_[id];
  const HalfUnits most = pool_depth_of(standing);
  Pool pool = row != nullptr ? *row : Pool{most, {}};
  pool.level = std::min(pool.level, most);
  std::erase_if(pool.wants,
                [&](const Want& want) { return want.id != id_ && find_member(others_, want.id) == nullptr; });
  pool.level += std::min(account.returning, most - pool.level);
  Local local{standing.level, depth_of(standing, next_divisor_), 0, 0, account.used};
  local.refill = units_in(standing.per_second, kLedgerPeriodNs, next_divisor_);
  local.need = std::min(local.depth, std::max(2 * local.used, std::min(2 * local.refill, local.depth / 2)));
  if (!take(local, account, pool)) {
    std::erase_if(pool.wants, [&](const Want& want) { return want.id == id_; });
    give(id, local, most - pool.level, account, pool);
  }
  const bool is_full = pool.level >= most && pool.wants.empty();
  if (is_full && row != nullptr) writes.pools.emplace(id, std::nullopt);
  if (!is_full && (row == nullptr || *row != pool)) writes.pools.emplace(id, std::move(pool));
}

// False: it is not short of units.
bool LedgerParticipant::take(const Local& local, Account& account, Pool& pool) const {
  if (local.level >= local.need || (local.used <= local.refill && local.level >= 0)) return false;
  const auto used = static_cast<double>(std::max<HalfUnits>(local.used, 1));
  const double share = used / (used + static_cast<double>(wanted_by_others(pool, id_)));
  const auto due = static_cast<HalfUnits>(static_cast<double>(pool.level) * share);
  account.taking = std::clamp<HalfUnits>(local.need - local.level, 0, due);
  pool.level -= account.taking;
  const auto own = std::ranges::find(pool.wants, id_, &Want::id);
  if (own == pool.wants.end()) {
    pool.wants.push_back({id_, std::max<HalfUnits>(local.used, 1)});
  } else if (std::abs(own->used - local.used) * 100 > own->used * kCloseEnough) {
    own->used = std::max<HalfUnits>(local.used, 1);
  }
  return true;
}

// At once if another server is short; otherwise seldom, before the bucket is full.
void LedgerParticipant::give(const BucketId& id, const Local& local, HalfUnits room, Account& account, Pool& pool) {
  const bool wanted = wanted_by_others(pool, id_) > 0;
  if (!wanted && local.level * 10 < local.depth * 9) return;
  const HalfUnits surplus = std::min(local.level - (wanted ? local.need : local.depth / 2), room);
  if (surplus < std::max<HalfUnits>(local.refill / 8, 1)) return;
  host_.add(id, -surplus);
  account.returning += surplus;
  pool.level += surplus;
}

}  // namespace partita::throttle
