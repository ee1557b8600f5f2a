#include "ops/table_times.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "ops/operation.h"
#include "table/schema.h"

namespace partita::ops {

namespace {

constexpr std::string_view kOthers = "(other)";  // no table's name

bool is_of_items(const Operation& operation) {
  return operation.kind != Kind::kControl && operation.api == Api::kDynamoDb;
}

void add(HistogramTotals& sum, const HistogramTotals& one) {
  if (sum.counts.empty()) {
    sum = one;
    return;
  }
  for (size_t i = 0; i < sum.counts.size(); ++i) sum.counts[i] += one.counts[i];
  sum.sum += one.sum;
}

}  // namespace

TableTimes::TableTimes(size_t most) : most_(most) {
  for (const Operation& operation : operations()) {
    const bool counted = is_of_items(operation);
    places_.push_back(counted ? static_cast<uint8_t>(operations_.size()) : kNoPlace);
    if (counted) operations_.push_back(&operation);
  }
  PARTITA_CHECK(operations_.size() <= table::TimesKept::kPlaces);
  others_.resize(operations_.size());
}

const TableTimes::Line* TableTimes::line_of(std::string_view space, const table::TableInfo& table,
                                            const Operation& operation) {
  const uint8_t place = places_[static_cast<size_t>(&operation - operations().data())];
  if (place == kNoPlace) return nullptr;
  const Line* const kept = table.times->find(place);
  return kept != nullptr ? kept : add(space, table, place);
}

const TableTimes::Line* TableTimes::add(std::string_view space, const table::TableInfo& table, uint8_t place) {
  const std::lock_guard lock(mutex_);
  if (const Line* const kept = table.times->find(place)) return kept;
  if (entries_.size() >= most_) drop_old();
  Line line;
  if (entries_.size() < most_) {
    line = std::make_shared<CoarseTiming>();
    entries_.push_back({std::string(space), table.name, place, line});
  } else {
    if (others_[place] == nullptr) others_[place] = std::make_shared<CoarseTiming>();
    line = others_[place];
  }
  table.times->keep(place, std::move(line));
  return table.times->find(place);
}

void TableTimes::drop_old() {
  std::erase_if(entries_, [](const Entry& entry) { return entry.line.expired(); });
}

void TableTimes::report(Exposition& out) {
  // A table and the one of the same name before it may both be here for a moment.
  std::map<std::tuple<std::string, std::string, uint8_t>, std::vector<Line>> lines;
  {
    const std::lock_guard lock(mutex_);
    drop_old();
    for (const Entry& entry : entries_) {
      if (Line line = entry.line.lock()) lines[{entry.space, entry.table, entry.place}].push_back(std::move(line));
    }
    for (size_t place = 0; place < others_.size(); ++place) {
      if (others_[place] != nullptr) lines[{"", std::string(kOthers), static_cast<uint8_t>(place)}] = {others_[place]};
    }
  }
  for (const auto& [of, all] : lines) {
    HistogramTotals took;
    for (const Line& line : all) ops::add(took, line->totals());
    if (took.count() == 0) continue;
    const auto& [space, table, place] = of;
    out.histogram("partita_table_request_seconds",
                  "How long requests took that read or wrote items of the table, as partita_request_seconds.", took,
                  1e-9, {{"namespace", space}, {"table", table}, {"operation", operations_[place]->name}});
  }
}

void Touched::add_further(const TableTimes::Line& line) {
  if (std::ranges::find(further_, line) == further_.end()) further_.push_back(line);
}

}  // namespace partita::ops
