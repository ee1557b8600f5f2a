#include <algorithm>
#include <utility>

#include "model/item_codec.h"
#include "model/size.h"
#include "storage/ranges.h"
#include "table/items/expiry.h"
#include "table/maintenance/repair_parts.h"
#include "table/rows/expiry_rows.h"
#include "table/rows/item_rows.h"

namespace partita::table {

namespace {

using model::Item;
using storage::Key;
using storage::Page;
using storage::Record;

struct IndexEntry {
  Key key;
  std::string value;
};

// The rows of one table besides its items: those of indexes and those by which items expire.
class TableRepair {
 public:
  TableRepair(Repair& repair, const TableInfo& table)
      : repair_(repair), table_(table), walker_(repair.engine, repair.pages) {}

  Result<void> run() {
    if (table_.status == Status::kDeleting) return keep_job(JobKind::kDropTable, model::kBaseIndex);
    PARTITA_TRY_VOID(compare());
    // Rows without an item first: they name what is lost.
    for (const IndexInfo& index : table_.indexes) PARTITA_TRY_VOID(repair_index(index));
    if (!(wanted_expiry_ == found_expiry_)) PARTITA_TRY_VOID(repair_expiry());
    if (!(wanted_ == found_) || !(wanted_expiry_ == found_expiry_)) PARTITA_TRY_VOID(put_missing());
    PARTITA_TRY_VOID(repair_counts());
    const auto tell = [this](uint64_t rows, const char* what) {
      if (rows == 0) return;
      repair_.report.mended.push_back("Table " + table_.name + ": " + std::to_string(rows) +
                                      (rows == 1 ? " row" : " rows") + " of indexes and expiry " + what);
    };
    tell(put_, "made again from the items.");
    tell(erased_, "without an item removed.");
    return repair_.writer.flush();
  }

 private:
  static bool is_whole(const IndexInfo& index) { return index.status != Status::kDeleting && !index.backfilling; }

  const IndexInfo* index_of(uint16_t id) const {
    const auto found = std::ranges::find(table_.indexes, id, &IndexInfo::id);
    return found == table_.indexes.end() ? nullptr : &*found;
  }

  // What an item should have besides its own row.
  std::vector<std::pair<uint16_t, IndexEntry>> index_rows(const Item& item) const {
    std::vector<std::pair<uint16_t, IndexEntry>> rows;
    for (const IndexInfo& index : table_.indexes) {
      if (!is_whole(index)) continue;
      if (auto key = index_key(table_, index, item)) {
        rows.emplace_back(index.id, IndexEntry{std::move(*key), model::encode_item(index_view(table_, index, item))});
      }
    }
    return rows;
  }
  std::optional<IndexEntry> expiry_row(const Key& key, const Item& item) const {
    const auto at_s = table_.ttl ? expiry_of(*table_.ttl, item) : std::nullopt;
    if (!at_s) return std::nullopt;
    storage::Changes changes;
    put_expiry_row(table_, key, *at_s, changes);
    return IndexEntry{changes.writes()[0].key, *changes.writes()[0].value};
  }
  std::optional<Item> item_of(const Page::Row& row) const {
    auto item = item_in(table_, row.value);
    if (!item || item_key(table_, *item).bytes != row.key) return std::nullopt;
    return item;
  }

  template <class Use>
  Result<void> each_item(Use use) {
    Result<void> used;
    const auto take = [&](const Page::Row& row) {
      const auto item = item_of(row);
      if (used.ok() && item) used = use(*item);
    };
    PARTITA_TRY_VOID(walker_.each_row(storage::range_of(model::index_prefix(table_.id, model::kBaseIndex)), take));
    return used;
  }

  // Sums of what there should be and of what there is.
  Result<void> compare() {
    const auto count = [&](const Item& item) -> Result<void> {
      counts_.add(model::kBaseIndex, {1, static_cast<int64_t>(model::item_size(item))});
      for (const auto& [index, row] : index_rows(item)) {
        wanted_[index].add(row.key.bytes, row.value);
        counts_.add(index, {1, static_cast<int64_t>(model::encoded_item_size(row.value).value())});
      }
      if (const auto row = expiry_row(item_key(table_, item), item)) wanted_expiry_.add(row->key.bytes, row->value);
      return {};
    };
    PARTITA_TRY_VOID(each_item(count));
    for (const IndexInfo& index : table_.indexes) {
      if (!is_whole(index)) continue;
      const auto take = [&](const Page::Row& row) { found_[index.id].add(row.key, row.value); };
      PARTITA_TRY_VOID(walker_.each_row(storage::range_of(model::index_prefix(table_.id, index.id)), take));
    }
    const auto take = [&](const Page::Row& row) { found_expiry_.add(row.key, row.value); };
    return walker_.each_row(expiry_rows(table_.id), take);
  }

  Result<void> repair_index(const IndexInfo& index) {
    if (index.status == Status::kDeleting) return keep_job(JobKind::kDropIndex, index.id);
    if (index.backfilling) {
      PARTITA_TRY_VOID(erase_strays(index));
      return begin_again(index);
    }
    return wanted_[index.id] == found_[index.id] ? Result<void>() : erase_strays(index);
  }

  // Those whose items are gone, or would have another row.
  Result<void> erase_strays(const IndexInfo& index) {
    Result<void> erased;
    const auto compare = [&](const std::string& row, const Key&, std::string_view, const std::optional<Record>& found) {
      const auto item = found ? item_in(table_, found->value) : std::nullopt;
      const auto wanted = item ? index_key(table_, index, *item) : std::nullopt;
      if (wanted && wanted->bytes == row) return;
      const auto keys = found ? std::nullopt : keys_of_row(table_, &index, row);
      if (keys) repair_.lose_item(table_, key_of(table_, *keys));
      ++erased_;
      if (erased.ok()) erased = repair_.writer.erase(key_of_index(row));
    };
    Lookups lookups(walker_, compare);
    Result<void> looked;
    const auto take = [&](const Page::Row& row) {
      if (!looked.ok()) return;
      const auto keys = keys_of_row(table_, &index, row.key);
      if (!keys) {
        ++erased_;
        looked = repair_.writer.erase(key_of_index(row.key));
        return;
      }
      looked = lookups.want(item_key(table_, *keys), {}, std::string(row.key));
    };
    PARTITA_TRY_VOID(walker_.each_row(storage::range_of(model::index_prefix(table_.id, index.id)), take));
    PARTITA_TRY_VOID(std::move(looked));
    PARTITA_TRY_VOID(lookups.finish());
    PARTITA_TRY_VOID(std::move(erased));
    return repair_.writer.flush();
  }
  static Key key_of_index(std::string_view row) {
    return {std::string(row), static_cast<uint32_t>(std::min(row.size(), model::kRowPlaceBytes))};
  }

  Result<void> put_missing() {
    Result<void> put;
    const auto compare = [&](const std::string&, const Key& key, std::string_view wanted,
                             const std::optional<Record>& found) {
      if (!put.ok() || (found && found->value == wanted)) return;
      ++put_;
      put = repair_.writer.put(key, std::string(wanted));
    };
    Lookups lookups(walker_, compare);
    const auto want_rows = [&](const Item& item) -> Result<void> {
      for (auto& [index, row] : index_rows(item)) {
        if (wanted_[index] == found_[index]) continue;
        PARTITA_TRY_VOID(lookups.want(std::move(row.key), std::move(row.value), {}));
      }
      auto row = expiry_row(item_key(table_, item), item);
      return row ? lookups.want(std::move(row->key), std::move(row->value), {}) : Result<void>();
    };
    PARTITA_TRY_VOID(each_item(want_rows));
    PARTITA_TRY_VOID(lookups.finish());
    PARTITA_TRY_VOID(std::move(put));
    return repair_.writer.flush();
  }

  Result<void> repair_expiry() {
    Result<void> erased;
    const auto compare = [&](const std::string& row, const Key& key, std::string_view,
                             const std::optional<Record>& found) {
      const auto item = found ? item_in(table_, found->value) : std::nullopt;
      const auto wanted = item ? expiry_row(key, *item) : std::nullopt;
      if (wanted && wanted->key.bytes == row) return;
      const auto keys = found ? std::nullopt : keys_of_row(table_, nullptr, key.bytes);
      if (keys) repair_.lose_item(table_, *keys);
      ++erased_;
      if (erased.ok()) erased = repair_.writer.erase(key_of_system(row));
    };
    Lookups lookups(walker_, compare);
    Result<void> looked;
    const auto take = [&](const Page::Row& row) {
      if (!looked.ok()) return;
      auto expiry = expiry_row_from(row.key, row.value);
      if (expiry.ok()) {
        looked = lookups.want(std::move(expiry->item), {}, std::string(row.key));
      } else {
        looked = repair_.writer.erase(key_of_system(row.key));
      }
    };
    PARTITA_TRY_VOID(walker_.each_row(expiry_rows(table_.id), take));
    PARTITA_TRY_VOID(std::move(looked));
    PARTITA_TRY_VOID(lookups.finish());
    PARTITA_TRY_VOID(std::move(erased));
    return repair_.writer.flush();
  }
  static Key key_of_system(std::string_view row) { return {std::string(row), 5}; }

  // One row of the true counts instead of all.
  Result<void> repair_counts() {
    const auto stored = repair_.known.counts.find(table_.id);
    const bool is_known = repair_.known.counted.contains(table_.id) && !repair_.is_lost_in(count_rows(table_.id));
    const Count before = stored == repair_.known.counts.end() ? Count() : stored->second.of(model::kBaseIndex);
    TableLoss& loss = repair_.losses[table_.name];
    loss.items_before = before.items;
    const Count now = counts_.of(model::kBaseIndex);
    if (is_known && !repair_.options.lost_changes) loss.lost_items = before.items - now.items;
    Counts wanted = counts_;
    std::string value;
    // Of what is still being counted the job says it.
    for (const Counting& one : table_.counting) wanted.erase(one.index);
    encode_counts(wanted, value);
    const Key base = base_count_key(table_.id);
    const auto take = [&](const Page::Row& row) {
      if (row.key != base.bytes) strays_.emplace_back(row.key);
    };
    PARTITA_TRY_VOID(walker_.each_row(count_rows(table_.id), take));
    for (const std::string& key : strays_) PARTITA_TRY_VOID(repair_.writer.erase({key, base.place}));
    PARTITA_TRY_VOID(repair_.writer.put(base, std::move(value)));
    return table_.counting.empty() ? Result<void>() : keep_job(JobKind::kCount, model::kBaseIndex);
  }

  Result<void> keep_job(JobKind kind, uint16_t index) {
    if (repair_.known.job(kind, table_.id, index) != nullptr) return {};
    return put_job(kind, index);
  }
  // What is filled so far may have lost rows.
  Result<void> begin_again(const IndexInfo& index) { return put_job(JobKind::kFillIndex, index.id); }
  Result<void> put_job(JobKind kind, uint16_t index) {
    Job job;
    job.kind = kind;
    job.table_id = table_.id;
    job.index_id = index;
    job.table = table_.name;
    return repair_.writer.put(job_key(job), job_row(job));
  }

  Repair& repair_;
  const TableInfo& table_;
  Walker walker_;
  std::map<uint16_t, Digest> wanted_;
  std::map<uint16_t, Digest> found_;
  Digest wanted_expiry_;
  Digest found_expiry_;
  Counts counts_;
  std::vector<std::string> strays_;
  uint64_t put_ = 0;
  uint64_t erased_ = 0;
};

}  // namespace

Result<void> repair_table(Repair& repair, const TableInfo& table) { return TableRepair(repair, table).run(); }

}  // namespace partita::table
