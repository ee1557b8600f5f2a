#include "throttle/capacity_limits.h"

#include <algorithm>
#include <utility>

namespace partita::throttle {

namespace {

using table::IndexInfo;
using table::TableInfo;

constexpr std::string_view kOtherTables = "(other)";  // no table's name

void add_events(ThrottleEvents& sum, const ThrottleEvents& one) {
  for (size_t limit = 0; limit < one.refused.size(); ++limit) sum.refused[limit] += one.refused[limit];
  sum.recorded += one.recorded;
}

}  // namespace

std::shared_ptr<CapacityShare> CapacityLimits::share_of(std::string_view space) {
  const MutexLock lock(mutex_);
  const auto found = shares_.find(space);
  std::shared_ptr<CapacityShare> share = found == shares_.end() ? nullptr : found->second.lock();
  if (share != nullptr) return share;
  std::erase_if(shares_, [](const auto& one) { return one.second.expired(); });
  share = std::make_shared<CapacityShare>();
  shares_.insert_or_assign(std::string(space), share);
  return share;
}

bool CapacityLimits::enforces(std::string_view space, const TableInfo& table) const {
  return mode_of(table, modes_.of(space)) == CapacityMode::kEnforce;
}

ThrottleEvents::Of ThrottleEvents::all_refused() const {
  Of sum;
  for (const Of& one : refused) sum += one;
  return sum;
}

TableCapacity& CapacityLimits::refreshed(std::string_view space, const TableInfo& table, const IndexInfo* index,
                                         int64_t now_ns) {
  const CapacityMode mode = modes_.of(space);
  table::LimitsKept& kept = index == nullptr ? *table.limits : *index->limits;
  table::Limits* found = kept.get();
  if (found == nullptr) {
    const std::shared_ptr<CapacityShare> share = share_of(space);
    found = kept.keep(std::make_unique<TableCapacity>(table, index, mode, now_ns, share));
    share->synchronise();
    static_cast<TableCapacity&>(*found).update_share(now_ns);
  }
  auto& capacity = static_cast<TableCapacity&>(*found);
  capacity.refresh(table, index, mode, now_ns);
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
                           std::optional<model::ThroughputLimit> refused) {
  auto& capacity = static_cast<TableCapacity&>(*(index == nullptr ? table.limits : index->limits)->get());
  if (!capacity.listed_.load(std::memory_order_acquire)) {
    const MutexLock lock(mutex_);
    if (!capacity.listed_.load(std::memory_order_relaxed) && !list(space, table, index)) {
      ThrottleEvents::Of& events = refused ? others_.refused[static_cast<size_t>(*refused)] : others_.recorded;
      ++(write ? events.write : events.read);
      return;
    }
    capacity.listed_.store(true, std::memory_order_release);
  }
  TableCapacity::Bucket& bucket = capacity.bucket(write);
  (refused ? bucket.refused_[static_cast<size_t>(*refused)] : bucket.recorded_).fetch_add(1, std::memory_order_relaxed);
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
      for (size_t limit = 0; limit < one.refused.size(); ++limit) {
        ThrottleEvents::Of& refused = one.refused[limit];
        (write ? refused.write : refused.read) = bucket.refused_[limit].load(std::memory_order_relaxed);
      }
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
  ThrottleEvents::Of of_others = others_.all_refused();
  of_others += others_.recorded;
  if (of_others.read + of_others.write > 0) {
    all.push_back(others_);
    all.back().table = kOtherTables;
  }
  return all;
}

void CapacityLimits::report(Exposition& out, int64_t now_ns) {
  const std::vector<ThrottleEvents> all = events();
  const auto say = [&](std::string_view name, std::string_view help, auto of) {
    for (const ThrottleEvents& one : all) {
      for (const bool write : {false, true}) {
        const ThrottleEvents::Of events = of(one);
        const uint64_t count = write ? events.write : events.read;
        out.counter(
            name, help, static_cast<double>(count),
            {{"namespace", one.space}, {"table", one.table}, {"index", one.index}, {"kind", write ? "write" : "read"}});
      }
    }
  };
  say("partita_table_would_throttle_total", "Reads and writes beyond the capacity, served in the mode record.",
      [](const ThrottleEvents& one) { return one.recorded; });
  say("partita_table_throttle_events_total", "Reads and writes refused for lack of capacity.",
      [](const ThrottleEvents& one) { return one.all_refused(); });
  const MutexLock lock(mutex_);
  for (const auto& [space, kept] : shares_) {
    const std::shared_ptr<CapacityShare> share = kept.lock();
    if (share == nullptr) continue;
    out.gauge("partita_capacity_share", "Part of each table's capacity that this server has; the others have the rest.",
              share->is_valid(now_ns) ? 1.0 / share->divisor() : 0, {{"namespace", space}});
  }
}

}  // namespace partita::throttle
