#include <algorithm>
#include <cstdio>
#include <utility>

#include "model/item_codec.h"
#include "storage/ranges.h"
#include "table/catalog/catalog.h"
#include "table/catalog/second_copies.h"
#include "table/maintenance/repair_parts.h"
#include "table/rows/item_rows.h"
#include "table/rows/sink_rows.h"
#include "table/rows/stream_rows.h"
#include "table/rows/system_rows.h"

namespace partita::table {

namespace {

using model::AttributeValue;
using model::Item;
using model::KeyElement;
using storage::Key;
using storage::Page;
using storage::Range;

constexpr size_t kIdBytes = sizeof(kSecondCopyId);
constexpr size_t kItemsLookedAt = 1'000;

Range rows_of_id(uint32_t id) {
  std::string prefix;
  append_u32(prefix, id);
  return storage::range_of(std::move(prefix));
}

// The key schemas that fit all items looked at: each is an attribute whose value the key of the row holds.
class SchemaFinder {
 public:
  void look_at(std::string_view key, const Item& item) {
    const auto place = model::take_row_place(key);
    if (!place) return;
    std::vector<model::KeySchema> fits;
    for (const auto& [name, value] : item) {
      const auto partition = encoded(value);
      if (!partition || !key.starts_with(*partition) || hash64(*partition) != place->hash) continue;
      add_fits({name, value.type()}, key.substr(partition->size()), item, fits);
    }
    if (!any_) {
      schemas_ = std::move(fits);
    } else {
      std::erase_if(schemas_, [&](const auto& one) { return std::ranges::find(fits, one) == fits.end(); });
    }
    any_ = true;
  }
  const model::KeySchema* found() const { return schemas_.empty() ? nullptr : &schemas_.front(); }

 private:
  static std::optional<std::string> encoded(const AttributeValue& value) {
    using enum model::Type;
    if (!value.is(kS) && !value.is(kN) && !value.is(kB)) return std::nullopt;
    std::string out;
    model::append_key_value(value, out);
    return out;
  }
  static void add_fits(const KeyElement& partition, std::string_view rest, const Item& item,
                       std::vector<model::KeySchema>& fits) {
    if (rest.empty()) return fits.push_back({{partition}, {}});
    for (const auto& [name, value] : item) {
      if (encoded(value) == rest) fits.push_back({{partition}, {{name, value.type()}}});
    }
  }

  bool any_ = false;
  std::vector<model::KeySchema> schemas_;
};

class CatalogRepair {
 public:
  explicit CatalogRepair(Repair& repair) : repair_(repair), walker_(repair.engine, repair.pages) {}

  Result<void> run() {
    PARTITA_TRY_VOID(restore());
    PARTITA_TRY_VOID(read_known());
    PARTITA_TRY_VOID(fill_sinks());
    PARTITA_TRY_VOID(adopt_rows());
    return put_next_id();
  }

 private:
  Result<std::optional<storage::Record>> read(const Key& key) {
    const std::vector<Key> keys{key};
    PARTITA_TRY(auto records, walker_.read(keys));
    return std::move(records[0]);
  }

  // Rows that are there as second copies alone. Those of an older revision know nothing of what was dropped since.
  Result<void> restore() {
    const Key revision = system_key(SystemRow::kRevision);
    PARTITA_TRY(const auto now, read(revision));
    PARTITA_TRY(const auto copied, read(second_copy(revision)));
    const bool late = now && copied && now->value != copied->value;
    std::vector<std::pair<Key, std::string>> copies;
    const auto take = [&](const Page::Row& row) {
      if (row.key.size() <= kIdBytes) return;
      const auto kind = static_cast<SystemRow>(row.key[kIdBytes]);
      copies.emplace_back(system_key(kind, row.key.substr(kIdBytes + 1)), row.value);
    };
    PARTITA_TRY_VOID(walker_.each_row(second_copies(), take));
    uint64_t restored = 0;
    for (auto& [key, value] : copies) {
      PARTITA_TRY(const auto found, read(key));
      if (found) continue;
      PARTITA_TRY(const bool wanted, !late ? Result<bool>(true) : has_rows(key, value));
      if (!wanted) continue;
      ++restored;
      PARTITA_TRY_VOID(repair_.writer.put(key, value));
    }
    if (restored > 0) {
      repair_.report.mended.push_back("The catalogue: " + std::to_string(restored) +
                                      (restored == 1 ? " row was" : " rows were") +
                                      " lost and restored from the second copy.");
    }
    return repair_.writer.flush();
  }

  Result<bool> has_rows(const Key& key, const std::string& value) {
    if (static_cast<SystemRow>(key.bytes[kIdBytes]) != SystemRow::kTable) return false;
    const auto item = model::decode_item(value);
    const auto table = item.ok() ? table_from_item(*item) : Result<TableInfo>(item.error());
    if (!table.ok()) return false;
    const auto page = wait_for(repair_.engine.scan(rows_of_id(table->id), storage::Direction::kAscending, 1, 1));
    return page.ok() && !page->empty();
  }

  Result<void> read_known() {
    const auto take = [this](const Page::Row& row) { take_row(row); };
    return walker_.each_row(storage::range_of(std::string(kIdBytes, '\0')), take);
  }

  void take_row(const Page::Row& row) {
    KnownStore& known = repair_.known;
    std::string_view rest = row.key.substr(kIdBytes);
    const auto letter = take_u8(rest);
    switch (static_cast<SystemRow>(letter.value_or(0))) {
      case SystemRow::kTable:
        return take_table(row);
      case SystemRow::kCount: {
        const auto id = take_u32(rest);
        const auto counts = decode_counts(row.value);
        if (!id || !counts.ok()) return;
        if (rest.empty()) known.counted.insert(*id);
        known.counts[*id].add(*counts);
        return;
      }
      case SystemRow::kJob:
        if (auto job = job_from(row.key, row.value); job.ok()) known.jobs.push_back(std::move(*job));
        return;
      case SystemRow::kSink:
        if (auto sink = sink_from(row.value); sink.ok()) sinks_.push_back(std::move(*sink));
        return;
      case SystemRow::kStream:
        if (auto stream = decode_stream_row(row.value); stream.ok()) known.streams.push_back(std::move(*stream));
        return;
      default:
        return;
    }
  }

  // Their logs may have lost entries. Those that take every change cannot be sent again, so an operator is to know.
  Result<void> fill_sinks() {
    for (Sink& sink : sinks_) {
      if (sink.changes) sink.failure = "The store was salvaged, so changes that were not delivered may be lost.";
      sink.generation = std::max(sink.generation + 1, static_cast<uint64_t>(repair_.options.now_ms));
      sink.filled_because = "the store was salvaged.";
      const Key key = sink_row_key(sink.table_id, sink.number);
      PARTITA_TRY_VOID(repair_.writer.put(key, sink_row(sink)));
      PARTITA_TRY_VOID(repair_.writer.put(second_copy(key), sink_row(sink)));
    }
    return repair_.writer.flush();
  }

  void take_table(const Page::Row& row) {
    const auto item = model::decode_item(row.value);
    auto table = item.ok() ? table_from_item(*item) : Result<TableInfo>(item.error());
    if (!table.ok()) return;
    repair_.known.ids.insert(table->id);
    // These two stand beside the rest.
    if (const auto* counting = item->find("counting"); counting != nullptr && counting->is(model::Type::kB)) {
      std::string_view runs = counting->as_bytes();
      while (!runs.empty()) {
        const auto index = take_u16(runs);
        const auto run = take_u64(runs);
        if (!index || !run) break;
        table->counting.push_back({*index, *run});
      }
    }
    if (const auto* features = item->find("features"); features != nullptr && features->is(model::Type::kL)) {
      for (const auto& feature : features->as_list()) {
        if (feature.is(model::Type::kS)) table->features.emplace_back(feature.as_string());
      }
    }
    if (Catalog::check_features(*table).ok()) {
      repair_.known.tables.emplace(table->name, std::move(*table));
    } else {
      repair_.report.losses.push_back("Table " + table->name + ": it uses a feature that this version does not know, " +
                                      "so its indexes and counts were left as they are.");
    }
  }

  // Rows of ids that no table has.
  Result<void> adopt_rows() {
    Range range;
    append_u32(range.begin, 1);
    range.end = second_copies().begin;
    for (;;) {
      PARTITA_TRY(const Page page, wait_for(repair_.engine.scan(range, storage::Direction::kAscending, 1, 1)));
      if (page.empty()) return repair_.writer.flush();
      std::string_view key = page[0].key;
      const auto id = take_u32(key);
      if (!id) {
        range = storage::behind(page[0].key, std::move(range));
        continue;
      }
      if (!repair_.known.ids.contains(*id) && repair_.known.job(JobKind::kDropTable, *id) == nullptr) {
        PARTITA_TRY_VOID(adopt(*id));
      }
      range.begin = rows_of_id(*id).end;
    }
  }

  bool may_be_lost() const {
    const Key any = system_key(SystemRow::kTable);
    return repair_.options.lost_changes || (repair_.is_lost_in(system_rows(SystemRow::kTable)) &&
                                            repair_.is_lost_in(storage::range_of(second_copy(any).bytes)));
  }

  // A description is made from what the rows of the table, its jobs and its streams say.
  Result<void> adopt(uint32_t id) {
    if (!may_be_lost()) {
      repair_.report.mended.push_back("Rows of a table that was dropped (id " + std::to_string(id) + ") were removed.");
      return wait_for(repair_.engine.erase_range(rows_of_id(id)));
    }
    TableInfo table;
    table.id = id;
    PARTITA_TRY_VOID(find_keys(table));
    if (table.keys.partition.empty()) {
      repair_.report.losses.push_back("The description of a table (id " + std::to_string(id) +
                                      ") is lost, and no item of it is there to make it anew.");
      return wait_for(repair_.engine.erase_range(rows_of_id(id)));
    }
    describe(table);
    PARTITA_TRY_VOID(erase_index_rows(table));
    PARTITA_TRY_VOID(repair_.writer.put(table_key(table.name), model::encode_item(to_item(table))));
    repair_.report.losses.push_back(
        "Table " + table.name +
        ": its description was lost, and made anew from its items: the keys alone. Create its "
        "indexes again, and look through its settings.");
    repair_.known.ids.insert(id);
    repair_.known.tables.emplace(table.name, std::move(table));
    return {};
  }

  Result<void> find_keys(TableInfo& table) {
    for (const StreamRow& stream : repair_.known.streams) {
      if (stream.table_id != table.id) continue;
      table.keys = stream.keys;
      table.name = stream.table;
    }
    for (const Job& job : repair_.known.jobs) {
      if (job.table_id == table.id && table.name.empty()) table.name = job.table;
    }
    if (!table.keys.partition.empty()) return {};
    SchemaFinder finder;
    const Range items = storage::range_of(model::index_prefix(table.id, model::kBaseIndex));
    PARTITA_TRY(const Page page,
                wait_for(repair_.engine.scan(items, storage::Direction::kAscending, kItemsLookedAt, 64 << 20)));
    for (size_t i = 0; i < page.size(); ++i) {
      if (const auto item = model::decode_item(page[i].value); item.ok()) finder.look_at(page[i].key, *item);
    }
    if (finder.found() != nullptr) table.keys = *finder.found();
    return {};
  }

  void describe(TableInfo& table) {
    if (table.name.empty()) table.name = "recovered-" + std::to_string(table.id);
    while (repair_.known.tables.contains(table.name)) table.name += "-recovered";
    char uuid[40];
    std::snprintf(uuid, sizeof uuid, "00000000-0000-4000-8000-%012x", table.id);
    table.uuid = uuid;
    for (const auto* elements : {&table.keys.partition, &table.keys.sort}) {
      table.attribute_definitions.insert(table.attribute_definitions.end(), elements->begin(), elements->end());
    }
    std::ranges::sort(table.attribute_definitions, {}, &KeyElement::name);
    table.billing_mode = api::BillingMode::kPayPerRequest;
    table.created_ms = repair_.options.now_ms;
    table.billing_changed_ms = repair_.options.now_ms;
    table.warm = initial_warmth(table.billing_mode, table.throughput);
  }

  // Of indexes that nobody can describe.
  Result<void> erase_index_rows(TableInfo& table) {
    Range rows = rows_of_id(table.id);
    rows.begin = storage::range_of(model::index_prefix(table.id, model::kBaseIndex)).end;
    PARTITA_TRY(const Page page, wait_for(repair_.engine.scan(rows, storage::Direction::kDescending, 1, 1)));
    if (page.empty()) return {};
    std::string_view key = page[0].key;
    if (const auto place = model::take_row_place(key)) table.next_index_id = static_cast<uint16_t>(place->index_id + 1);
    return wait_for(repair_.engine.erase_range(rows));
  }

  // Ids are never used again.
  Result<void> put_next_id() {
    const Key key = system_key(SystemRow::kNextId);
    PARTITA_TRY(const auto found, read(key));
    std::string_view value = found ? std::string_view(found->value) : std::string_view();
    const uint32_t stored = take_u32(value).value_or(1);
    PARTITA_TRY(const uint32_t highest, wait_for(highest_table_id(repair_.engine)));
    uint32_t next = std::max(stored, highest + 1);
    for (const uint32_t id : repair_.known.ids) next = std::max(next, id + 1);
    if (next == stored) return {};
    std::string bytes;
    append_u32(bytes, next);
    PARTITA_TRY_VOID(repair_.writer.put(key, bytes));
    return repair_.writer.put(second_copy(key), bytes);
  }

  Repair& repair_;
  Walker walker_;
  std::vector<Sink> sinks_;
};

}  // namespace

Result<void> repair_catalog(Repair& repair) { return CatalogRepair(repair).run(); }

}  // namespace partita::table
