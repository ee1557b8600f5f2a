#include <algorithm>
#include <utility>

#include "model/item_codec.h"
#include "model/size.h"
#include "storage/ranges.h"
#include "table/items/expiry.h"
#include "table/maintenance/verify_parts.h"
#include "table/rows/expiry_rows.h"
#include "table/rows/item_rows.h"

namespace partita::table {

namespace {

using model::Item;
using storage::Key;
using storage::Page;
using storage::Record;

struct ExpectedRow {
  Key key;
  std::string value;
};

// What the index holds of an item; nothing when the item is not in it.
std::optional<ExpectedRow> index_row(const TableInfo& table, const IndexInfo& index, const Item& item) {
  auto key = index_key(table, index, item);
  if (!key) return std::nullopt;
  return ExpectedRow{std::move(*key), model::encode_item(index_view(table, index, item))};
}

std::optional<ExpectedRow> expiry_row(const TableInfo& table, const Key& key, const Item& item) {
  const auto at_s = table.ttl ? expiry_of(*table.ttl, item) : std::nullopt;
  if (!at_s) return std::nullopt;
  storage::Changes changes;
  put_expiry_row(table, key, *at_s, changes);
  return ExpectedRow{changes.writes()[0].key, *changes.writes()[0].value};
}

// The key attributes that a row of an index, or of the table without one, has in its key.
std::optional<Item> keys_in(const TableInfo& table, const IndexInfo* index, std::string_view key) {
  Item item;
  if (!model::take_row_place(key)) return std::nullopt;
  if (index != nullptr && (!take_values(index->keys.partition, key, item) || !take_values(index->keys.sort, key, item)))
    return std::nullopt;
  const bool taken = take_values(table.keys.partition, key, item) && take_values(table.keys.sort, key, item);
  return taken && key.empty() ? std::optional(std::move(item)) : std::nullopt;
}

class TableVerifier {
 public:
  TableVerifier(Walker& walker, const KnownStore& known, const TableInfo& table, Verified& verified)
      : walker_(walker), known_(known), table_(table), verified_(verified) {}

  Result<void> run() {
    if (table_.status == Status::kDeleting) {
      verified_.skipped.push_back("It is being deleted.");
      return {};
    }
    const auto take = [this](const Page::Row& row) { take_row(row); };
    std::string prefix = model::index_prefix(table_.id, model::kBaseIndex);
    prefix.resize(sizeof(table_.id));
    PARTITA_TRY_VOID(walker_.each_row(storage::range_of(std::move(prefix)), take));
    for (const IndexInfo& index : table_.indexes) PARTITA_TRY_VOID(check_index(index));
    PARTITA_TRY_VOID(check_expiry());
    check_counts();
    return {};
  }

 private:
  void wrong(std::string sentence) { differ(verified_, walker_.options(), std::move(sentence)); }

  // Also before the job that fills it has begun.
  bool is_being_filled(const IndexInfo& index) const {
    return index.backfilling || known_.job(JobKind::kFillIndex, table_.id, index.id) != nullptr;
  }
  bool is_whole(const IndexInfo& index) const { return index.status != Status::kDeleting && !is_being_filled(index); }

  const IndexInfo* index_of(uint16_t id) const {
    const auto found = std::ranges::find(table_.indexes, id, &IndexInfo::id);
    return found == table_.indexes.end() ? nullptr : &*found;
  }

  void take_row(const Page::Row& row) {
    std::string_view rest = row.key;
    const auto place = model::take_row_place(rest);
    if (!place) return wrong("There is a row without a place.");
    if (place->index_id == model::kBaseIndex) return take_item(row);
    const IndexInfo* index = index_of(place->index_id);
    if (index == nullptr) {
      const bool goes = known_.job(JobKind::kDropIndex, table_.id, place->index_id) != nullptr;
      if (!goes && strays_.insert(place->index_id).second) {
        wrong("There are rows of an index that is not there (id " + std::to_string(place->index_id) + ").");
      }
      return;
    }
    if (index->status == Status::kDeleting) return;
    ++verified_.index_rows;
    const auto bytes = model::encoded_item_size(row.value);
    if (!bytes.ok()) return wrong("A row of index " + index->name + " cannot be read.");
    found_[index->id].add(row.key, row.value);
    counted_.add(index->id, {1, static_cast<int64_t>(*bytes)});
  }

  void take_item(const Page::Row& row) {
    ++verified_.items;
    const auto item = model::decode_item(row.value);
    if (!item.ok()) return unreadable(row);
    if (!check_item_key(table_, *item).ok() || item_key(table_, *item).bytes != row.key) {
      return wrong("The item with " + shown_key(table_, *item) + " stands in the place of another.");
    }
    counted_.add(model::kBaseIndex, {1, static_cast<int64_t>(model::item_size(*item))});
    for (const IndexInfo& index : table_.indexes) {
      if (!is_whole(index)) continue;
      if (const auto wanted = index_row(table_, index, *item)) wanted_[index.id].add(wanted->key.bytes, wanted->value);
    }
    if (const auto wanted = expiry_row(table_, item_key(table_, *item), *item)) {
      ++verified_.expiring;
      wanted_expiry_.add(wanted->key.bytes, wanted->value);
    }
  }

  void unreadable(const Page::Row& row) {
    const auto keys = keys_in(table_, nullptr, row.key);
    wrong(keys ? "The item with " + shown_key(table_, *keys) + " cannot be read." : "An item cannot be read.");
  }

  // Calls `use` with every item that can be read.
  template <class Use>
  Result<void> each_item(Use use) {
    Result<void> used;
    const auto take = [&](const Page::Row& row) {
      const auto item = model::decode_item(row.value);
      if (!used.ok() || !item.ok() || !check_item_key(table_, *item).ok()) return;
      used = use(*item);
    };
    auto walked = walker_.each_row(storage::range_of(model::index_prefix(table_.id, model::kBaseIndex)), take);
    return walked.ok() ? std::move(used) : std::move(walked);
  }

  Result<void> check_index(const IndexInfo& index) {
    if (index.status == Status::kDeleting) return {};
    if (is_being_filled(index)) {
      verified_.skipped.push_back("Index " + index.name + " is still being filled; only what is in it was looked at.");
      return find_stray_rows(index);
    }
    if (wanted_[index.id] == found_[index.id]) return {};
    PARTITA_TRY_VOID(find_missing_rows(index));
    return find_stray_rows(index);
  }

  Result<void> find_missing_rows(const IndexInfo& index) {
    const auto compare = [&](const std::string& about, const Key&, std::string_view wanted,
                             const std::optional<Record>& found) {
      if (!found) return wrong("Index " + index.name + " lacks the item with " + about + ".");
      if (found->value != wanted)
        wrong("Index " + index.name + " has other attributes for the item with " + about + ".");
    };
    Lookups lookups(walker_, compare);
    PARTITA_TRY_VOID(each_item([&](const Item& item) -> Result<void> {
      auto wanted = index_row(table_, index, item);
      if (!wanted) return {};
      return lookups.want(std::move(wanted->key), std::move(wanted->value), shown_key(table_, item));
    }));
    return lookups.finish();
  }

  // Those whose items would have another row, or none.
  Result<void> find_stray_rows(const IndexInfo& index) {
    const auto compare = [&](const std::string& row, const Key&, std::string_view, const std::optional<Record>& found) {
      const auto keys = keys_in(table_, &index, row);
      const std::string whose = "an item with " + shown_key(table_, *keys);
      if (!found) return wrong("Index " + index.name + " has " + whose + " that the table has not.");
      const auto item = model::decode_item(found->value);
      const auto wanted = item.ok() ? index_row(table_, index, *item) : std::nullopt;
      if (!wanted || wanted->key.bytes != row) wrong("Index " + index.name + " has " + whose + " in a wrong place.");
    };
    Lookups lookups(walker_, compare);
    Result<void> looked;
    const auto take = [&](const Page::Row& row) {
      if (!looked.ok()) return;
      const auto keys = keys_in(table_, &index, row.key);
      if (!keys) return wrong("Index " + index.name + " has a row whose key cannot be read.");
      looked = lookups.want(item_key(table_, *keys), {}, std::string(row.key));
    };
    PARTITA_TRY_VOID(walker_.each_row(storage::range_of(model::index_prefix(table_.id, index.id)), take));
    PARTITA_TRY_VOID(std::move(looked));
    return lookups.finish();
  }

  // The run that an expiry row belongs to stands behind the table's id.
  std::optional<uint64_t> run_of(std::string_view key) const {
    key.remove_prefix(std::min(key.size(), prefix_of_expiry_));
    return take_u64(key);
  }

  Result<void> check_expiry() {
    const bool drops = known_.job(JobKind::kDropExpiry, table_.id) != nullptr;
    const bool fills = known_.job(JobKind::kFillExpiry, table_.id) != nullptr;
    Digest found;
    uint64_t of_others = 0;
    const auto take = [&](const Page::Row& row) {
      if (table_.ttl && run_of(row.key) == table_.ttl->run) {
        found.add(row.key, row.value);
      } else {
        ++of_others;
      }
    };
    PARTITA_TRY_VOID(walker_.each_row(expiry_rows(table_.id), take));
    if (of_others > 0 && !drops) wrong(std::to_string(of_others) + " expiry rows are of a time to live that is over.");
    if (fills) verified_.skipped.push_back("Items that expire are still being searched for.");
    if (!table_.ttl || found == wanted_expiry_) return {};
    if (!fills) PARTITA_TRY_VOID(find_missing_expiry());
    return find_stray_expiry();
  }

  Result<void> find_missing_expiry() {
    const auto compare = [&](const std::string& about, const Key&, std::string_view wanted,
                             const std::optional<Record>& found) {
      if (!found || found->value != wanted) wrong("The item with " + about + " has no row to expire by.");
    };
    Lookups lookups(walker_, compare);
    PARTITA_TRY_VOID(each_item([&](const Item& item) -> Result<void> {
      auto wanted = expiry_row(table_, item_key(table_, item), item);
      if (!wanted) return {};
      return lookups.want(std::move(wanted->key), std::move(wanted->value), shown_key(table_, item));
    }));
    return lookups.finish();
  }

  Result<void> find_stray_expiry() {
    const auto compare = [&](const std::string& row, const Key& key, std::string_view,
                             const std::optional<Record>& found) {
      const auto item = found ? model::decode_item(found->value) : Result<Item>(Item());
      const auto wanted = found && item.ok() ? expiry_row(table_, key, *item) : std::nullopt;
      if (wanted && wanted->key.bytes == row) return;
      const auto keys = keys_in(table_, nullptr, key.bytes);
      wrong("A row says that an item with " + (keys ? shown_key(table_, *keys) : std::string("a broken key")) +
            " expires, and it does not.");
    };
    Lookups lookups(walker_, compare);
    Result<void> looked;
    const auto take = [&](const Page::Row& row) {
      if (!looked.ok() || run_of(row.key) != table_.ttl->run) return;
      auto expiry = expiry_row_from(row.key, row.value);
      if (!expiry.ok()) return wrong("A row by which an item expires cannot be read.");
      looked = lookups.want(std::move(expiry->item), {}, std::string(row.key));
    };
    PARTITA_TRY_VOID(walker_.each_row(expiry_rows(table_.id), take));
    PARTITA_TRY_VOID(std::move(looked));
    return lookups.finish();
  }

  // Whether the job that counts the index has not said yet what it found.
  bool is_being_counted(uint16_t index) const {
    const Job* job = known_.job(JobKind::kCount, table_.id);
    return table_.counting_run(index) != 0 || (job != nullptr && job->run != 0 && job->counting == index);
  }

  void check_counts() {
    if (!known_.counted.contains(table_.id)) {
      verified_.skipped.push_back("Its counts are of an older version, and counted when it is served next.");
      return;
    }
    const auto stored = known_.counts.find(table_.id);
    const auto compare = [&](uint16_t index, const std::string& what) {
      const Count wanted = counted_.of(index);
      const Count found = stored == known_.counts.end() ? Count() : stored->second.of(index);
      if (wanted == found || is_being_counted(index)) return;
      wrong("Counted as " + std::to_string(found.items) + " with " + std::to_string(found.bytes) + " bytes, " + what +
            " are " + std::to_string(wanted.items) + " with " + std::to_string(wanted.bytes) + " bytes.");
    };
    compare(model::kBaseIndex, "its items");
    for (const IndexInfo& index : table_.indexes) {
      if (is_whole(index)) compare(index.id, "the rows of index " + index.name);
    }
  }

  Walker& walker_;
  const KnownStore& known_;
  const TableInfo& table_;
  Verified& verified_;
  const size_t prefix_of_expiry_ = expiry_rows(0).begin.size();
  std::map<uint16_t, Digest> wanted_;
  std::map<uint16_t, Digest> found_;
  std::set<uint16_t> strays_;
  Digest wanted_expiry_;
  Counts counted_;
};

}  // namespace

Result<void> verify_table(Walker& walker, const KnownStore& known, const TableInfo& table, Verified& verified) {
  return TableVerifier(walker, known, table, verified).run();
}

bool take_values(const std::vector<model::KeyElement>& elements, std::string_view& key, Item& item) {
  auto values = model::take_key_values(elements, key);
  if (!values) return false;
  for (size_t i = 0; i < elements.size(); ++i) item.set(elements[i].name, std::move((*values)[i]));
  return true;
}

}  // namespace partita::table
