#include "ops/table_meters.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "ops/footprint.h"
#include "ops/operation.h"
#include "table/rows/schema.h"

namespace partita::ops {

namespace {

constexpr std::string_view kOthers = "(other)";  // no table's name

constexpr bool is_of_items(Kind kind, Api api) { return kind != Kind::kControl && api == Api::kDynamoDb; }

#define PARTITA_OPERATION(name, kind, action, codec, api) +is_of_items(Kind::kind, Api::api)
constexpr size_t kOfItems = 0
#include "ops/operation_list.inc"
    ;
#undef PARTITA_OPERATION
static_assert(kOfItems <= table::MetersKept::kPlaces, "each operation on items needs a place in MetersKept");

void add(HistogramTotals& sum, const HistogramTotals& one) {
  if (sum.counts.empty()) {
    sum = one;
    return;
  }
  for (size_t i = 0; i < sum.counts.size(); ++i) sum.counts[i] += one.counts[i];
  sum.sum += one.sum;
}

void consume(table::TableCosts& costs, const table::TableInfo& table, const api::ConsumedCapacity& consumed) {
  api::Capacity own = consumed.base;
  if (!consumed.local_indexes.empty()) [[unlikely]] {
    for (const auto& [name, units] : consumed.local_indexes) own += units;
  }
  costs.consume(own);
  table.units->consume(own);
  for (const auto& [name, units] : consumed.global_indexes) {
    costs.consume_for_index(units);
    if (const table::IndexInfo* const index = table.find_index(name)) index->costs->consume(units);
  }
}

}  // namespace

template <class Line>
bool TableMeters::Lines<Line>::are_shared(const Line* line) const {
  return std::ranges::any_of(others, [&](const auto& other) { return other.second.get() == line; });
}

template <class Line>
std::shared_ptr<Line> TableMeters::Lines<Line>::add(Of of, size_t most) {
  if (entries.size() >= most) drop_old();
  if (entries.size() < most) {
    auto line = std::make_shared<Line>();
    entries.push_back({std::move(of), line});
    return line;
  }
  std::shared_ptr<Line>& line = others[std::get<uint8_t>(of)];
  if (line == nullptr) line = std::make_shared<Line>();
  return line;
}

template <class Line>
std::map<TableMeters::Of, std::vector<std::shared_ptr<Line>>> TableMeters::Lines<Line>::all() {
  drop_old();
  std::map<Of, std::vector<std::shared_ptr<Line>>> found;
  for (const Entry& entry : entries) {
    if (auto line = entry.line.lock()) found[entry.of].push_back(std::move(line));
  }
  for (const auto& [place, line] : others) found[{"", std::string(kOthers), place}].push_back(line);
  return found;
}

template <class Line>
void TableMeters::Lines<Line>::drop_old() {
  std::erase_if(entries, [](const Entry& entry) { return entry.line.expired(); });
}

TableMeters::TableMeters(size_t most) : most_(most) {
  for (const Operation& operation : operations()) {
    const bool counted = is_of_items(operation.kind, operation.api);
    places_.push_back(counted ? static_cast<uint8_t>(operations_.size()) : kNoPlace);
    if (counted) operations_.push_back(&operation);
  }
}

void TableMeters::touch(std::string_view space, const table::TableInfo& table, const Operation& operation,
                        RequestFootprint& footprint) {
  const uint8_t place = places_[static_cast<size_t>(&operation - operations().data())];
  if (place == kNoPlace) return;
  // Who has times has costs.
  if (table.meters->times(place) == nullptr) add(space, table, place);
  footprint.add(table.meters, place);
}

bool TableMeters::charge_unwatched(const table::TableInfo& table, const api::ConsumedCapacity& consumed) {
  table::TableCosts* const costs = table.meters->unwatched_costs();
  if (costs == nullptr) [[unlikely]]
    return false;
  consume(*costs, table, consumed);
  return true;
}

bool TableMeters::charge(std::string_view space, const table::TableInfo& table, const api::ConsumedCapacity& consumed) {
  if (charge_unwatched(table, consumed)) return false;
  if (table.meters->costs() == nullptr) add(space, table, kNoPlace);
  consume(*table.meters->costs(), table, consumed);
  return table.meters->watched();
}

table::TableCosts* TableMeters::own_costs(const table::TableInfo& table) {
  table::TableCosts* const costs = table.meters->costs();
  const MutexLock lock(mutex_);
  return costs == nullptr || costs_.are_shared(costs) ? nullptr : costs;
}

void TableMeters::each_operation(const table::TableInfo& table,
                                 FunctionRef<void(const Operation& operation, table::OperationMeters& line)> visit) {
  const MutexLock lock(mutex_);
  for (size_t place = 0; place < operations_.size(); ++place) {
    table::OperationMeters* const line = table.meters->times(place);
    if (line != nullptr && !times_.are_shared(line)) visit(*operations_[place], *line);
  }
}

std::shared_ptr<throttle::HotKeys> TableMeters::watch_of(const table::TableInfo& table) {
  const auto found = std::ranges::find_if(watches_, [&](const Watch& one) { return one.table.lock() == table.meters; });
  return found == watches_.end() ? nullptr : found->keys;
}

void TableMeters::make_room() {
  std::erase_if(watches_, [](const Watch& one) { return one.table.expired(); });
  if (watches_.size() < kMostWatched) return;
  const auto oldest = std::ranges::min_element(watches_, {}, [](const Watch& one) { return one.keys->asked_ns(); });
  if (const auto table = oldest->table.lock()) table->watch(table::KeyWatch::kHotKeys, false);
  watches_.erase(oldest);
}

throttle::HotKeys::Top TableMeters::hot_keys(std::string_view space, const table::TableInfo& table, size_t most,
                                             int64_t now_ns) {
  if (table.meters->costs() == nullptr) add(space, table, kNoPlace);
  std::shared_ptr<throttle::HotKeys> keys;
  {
    const MutexLock lock(mutex_);
    keys = watch_of(table);
    if (keys == nullptr) {
      make_room();
      keys = std::make_shared<throttle::HotKeys>(now_ns);
      watches_.push_back({table.meters, keys});
    }
    table.meters->watch(table::KeyWatch::kHotKeys, true);
  }
  return keys->top(most, now_ns);
}

void TableMeters::count_key(const table::TableInfo& table, std::string_view key, model::HalfUnits units,
                            int64_t now_ns) {
  const auto keys = [&] {
    const MutexLock lock(mutex_);
    return watch_of(table);
  }();
  if (keys != nullptr && keys->add(key, units, now_ns)) return;
  const MutexLock lock(mutex_);
  std::erase_if(watches_, [&](const Watch& one) { return one.keys == keys; });
  if (watch_of(table) == nullptr) table.meters->watch(table::KeyWatch::kHotKeys, false);
}

void TableMeters::add(std::string_view space, const table::TableInfo& table, uint8_t place) {
  const MutexLock lock(mutex_);
  table::MetersKept& kept = *table.meters;
  if (kept.costs() == nullptr) kept.keep(costs_.add({std::string(space), table.name, 0}, most_));
  if (place == kNoPlace || kept.times(place) != nullptr) return;
  kept.keep(place, times_.add({std::string(space), table.name, place}, most_));
}

std::vector<TableTotals> TableMeters::totals() {
  std::map<std::pair<std::string, std::string>, TableTotals> tables;
  const auto line_of = [&](const Of& of) -> TableTotals& { return tables[{std::get<0>(of), std::get<1>(of)}]; };
  const MutexLock lock(mutex_);
  for (const auto& [of, all] : times_.all()) {
    for (const auto& line : all) ops::add(line_of(of).took, line->took.totals());
  }
  for (const auto& [of, all] : costs_.all()) {
    for (const auto& line : all) {
      const table::TableCosts::Totals one = line->totals();
      line_of(of).consumed += one.consumed;
      line_of(of).throttled += one.throttled;
    }
  }
  std::vector<TableTotals> totals;
  for (auto& [name, one] : tables) {
    std::tie(one.space, one.table) = name;
    totals.push_back(std::move(one));
  }
  return totals;
}

void TableMeters::report(Exposition& out) {
  report_times(out);
  report_costs(out);
}

void TableMeters::report_times(Exposition& out) {
  const auto lines = [this] {
    const MutexLock lock(mutex_);
    return times_.all();
  }();
  for (const auto& [of, all] : lines) {
    HistogramTotals took;
    for (const auto& line : all) ops::add(took, line->took.totals());
    if (took.count() == 0) continue;
    const auto& [space, table, place] = of;
    out.histogram("partita_table_request_seconds",
                  "Duration of requests for the table's items, as in partita_request_seconds.", took, 1e-9,
                  {{"namespace", space}, {"table", table}, {"operation", operations_[place]->name}});
  }
}

void TableMeters::report_costs(Exposition& out) {
  const auto lines = [this] {
    const MutexLock lock(mutex_);
    return costs_.all();
  }();
  std::vector<std::pair<const Of*, table::TableCosts::Totals>> tables;
  for (const auto& [of, all] : lines) {
    table::TableCosts::Totals& sum = tables.emplace_back(&of, table::TableCosts::Totals()).second;
    for (const auto& line : all) {
      const table::TableCosts::Totals one = line->totals();
      sum.consumed += one.consumed;
      sum.throttled += one.throttled;
    }
  }
  for (const auto& [of, sum] : tables) {
    const auto say = [&out, of](std::string_view kind, model::HalfUnits units) {
      const auto& [space, table, place] = *of;
      out.counter("partita_consumed_capacity_units_total", "Consumed capacity units.", static_cast<double>(units) / 2,
                  {{"namespace", space}, {"table", table}, {"kind", kind}});
    };
    say("read", sum.consumed.read);
    say("write", sum.consumed.write);
  }
  for (const auto& [of, sum] : tables) {
    const auto& [space, table, place] = *of;
    out.counter("partita_table_throttled_total", "Throttled requests for the table's items.",
                static_cast<double>(sum.throttled), {{"namespace", space}, {"table", table}});
  }
}

void RequestFootprint::add_further(const Table& table) {
  if (std::ranges::find(further_, table) == further_.end()) further_.push_back(table);
}

}  // namespace partita::ops
