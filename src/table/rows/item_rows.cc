#include "table/rows/item_rows.h"

#include <algorithm>
#include <array>
#include <span>

#include "model/fault.h"
#include "model/item_codec.h"
#include "model/limits.h"
#include "table/rows/vector_rows.h"

namespace partita::table {

namespace {

using model::AttributeValue;
using model::Fault;
using model::Item;
using model::KeyElement;
using model::refuse;
using storage::Changes;
using storage::Key;

bool is_empty(const AttributeValue& value) {
  return (value.is(model::Type::kS) || value.is(model::Type::kB)) && value.as_bytes().empty();
}

std::string kind_of(const AttributeValue& value) { return value.is(model::Type::kS) ? "string" : "binary"; }

// Strings and binaries by their bytes; a number is always short enough.
size_t key_bytes(const AttributeValue& value) {
  return value.is(model::Type::kN) ? value.as_number().size_bytes() : value.as_bytes().size();
}

Result<void> check_key_lengths(const TableInfo& table, const Item& item) {
  for (const auto& element : table.keys.partition) {
    if (key_bytes(*item.find(element.name)) > model::kMaxPartitionKeyBytes) return refuse(Fault::kPartitionKeyTooLong);
  }
  for (const auto& element : table.keys.sort) {
    if (key_bytes(*item.find(element.name)) > model::kMaxSortKeyBytes) return refuse(Fault::kSortKeyTooLong);
  }
  return {};
}

// Whether these elements of a key are there, and nothing is to be said against them.
bool fit(const std::vector<KeyElement>& elements, size_t most_bytes, const Item& key) {
  return std::ranges::all_of(elements, [&](const KeyElement& element) {
    const AttributeValue* value = key.find(element.name);
    return value != nullptr && value->is(element.type) && !is_empty(*value) && key_bytes(*value) <= most_bytes;
  });
}

bool has_fit_key(const TableInfo& table, const Item& item) {
  return fit(table.keys.partition, model::kMaxPartitionKeyBytes, item) &&
         fit(table.keys.sort, model::kMaxSortKeyBytes, item);
}

Result<void> check_not_empty(const std::vector<KeyElement>& elements, const Item& item) {
  for (const auto& element : elements) {
    const AttributeValue* value = item.find(element.name);
    if (value != nullptr && is_empty(*value)) return refuse(Fault::kKeyEmpty, {element.name, kind_of(*value)});
  }
  return {};
}

Result<void> check_index_element(const IndexInfo& index, const KeyElement& element, bool partition, const Item& item) {
  const AttributeValue* value = item.find(element.name);
  if (value == nullptr) return {};
  if (!value->is(element.type)) {
    return refuse(Fault::kIndexKeyTypeMismatch, {element.name, std::string(model::type_name(element.type)),
                                                 std::string(model::type_name(value->type())), index.name});
  }
  if (is_empty(*value)) return refuse(Fault::kIndexKeyEmpty, {element.name, kind_of(*value), index.name});
  if (partition && key_bytes(*value) > model::kMaxPartitionKeyBytes) {
    return refuse(Fault::kIndexPartitionKeyTooLong, {index.name, element.name});
  }
  if (!partition && key_bytes(*value) > model::kMaxSortKeyBytes) {
    return refuse(Fault::kIndexSortKeyTooLong, {index.name, element.name});
  }
  return {};
}

Result<void> check_index(const IndexInfo& index, const Item& item, const Item* before) {
  if (index.vector) return check_vector_values(index, item, before);
  for (const auto& element : index.keys.partition) PARTITA_TRY_VOID(check_index_element(index, element, true, item));
  for (const auto& element : index.keys.sort) PARTITA_TRY_VOID(check_index_element(index, element, false, item));
  return {};
}

void append_values(const std::vector<KeyElement>& elements, const Item& item, std::string& out) {
  for (const auto& element : elements) model::append_key_value(*item.find(element.name), out);
}

Key make_key(uint32_t table_id, uint16_t index_id, const model::KeySchema& keys, const Item& item) {
  std::array<const AttributeValue*, model::kMaxIndexKeys> partition;
  PARTITA_CHECK(keys.partition.size() <= partition.size());
  std::ranges::transform(keys.partition, partition.begin(), [&](const auto& one) { return item.find(one.name); });
  Key key;
  key.bytes = model::collection_prefix(table_id, index_id, std::span(partition).first(keys.partition.size()));
  key.place = static_cast<uint32_t>(key.bytes.size());
  append_values(keys.sort, item, key.bytes);
  return key;
}

void copy_attribute(const Item& from, const std::string& name, Item& to) {
  if (const AttributeValue* value = from.find(name); value != nullptr) to.set(name, *value);
}

// For the job that counts the rows of that index just now; see counts.h.
void note_change(const TableInfo& table, uint16_t index, const RowChange& change, Changes& changes) {
  const uint64_t run = table.counting_run(index);
  if (run != 0) changes.append(counting_topic(table.id, index, run), encode_row_change(change));
}

// One index's part of an item's change.
class IndexChange {
 public:
  IndexChange(const TableInfo& table, const IndexInfo& index, const Image& before, const Image& after)
      : table_(table), index_(index) {
    load(before, old_);
    load(after, new_);
  }
  IndexChange(const IndexChange&) = delete;
  IndexChange& operator=(const IndexChange&) = delete;

  void apply(Changes& changes, ItemChange& change) {
    if (!old_.key && !new_.key) return;
    const bool moved = old_.key.has_value() != new_.key.has_value() || (old_.key && !(*old_.key == *new_.key));
    if (!moved && old_.stored == new_.stored) return;
    if (old_.key && moved) changes.erase(*old_.key);
    if (new_.key) changes.put(*new_.key, std::string(new_.stored));
    for (const RowMaker* maker : table_.row_makers) {
      maker->change_index_row(table_, index_, {key_of(old_), key_of(new_)}, changes);
    }
    charge(moved, change);
    if (!table_.counting.empty()) note(moved, changes);
  }

 private:
  struct Side {
    std::optional<Key> key;
    std::string view;         // of an index that does not keep all
    std::string_view stored;  // what the index holds, when there is a key, ...
    size_t bytes = 0;         // ... and what that weighs
  };

  bool keeps_all() const { return index_.projection.kind == api::ProjectionKind::kAll && !index_.vector; }

  void load(const Image& image, Side& side) const {
    if (image.exists()) side.key = index_key(table_, index_, *image.item);
    if (!side.key) return;
    side.stored = image.stored;
    side.bytes = image.bytes;
    if (keeps_all()) return;
    const Item view = index_view(table_, index_, *image.item);
    side.view = model::encode_item(view);
    side.stored = side.view;
    side.bytes = model::item_size(view);
  }

  static const Key* key_of(const Side& side) { return side.key ? &*side.key : nullptr; }

  void note(bool moved, Changes& changes) const {
    if (!moved) return note_change(table_, index_.id, {new_.key->bytes, old_.bytes, new_.bytes}, changes);
    if (old_.key) note_change(table_, index_.id, {old_.key->bytes, old_.bytes, std::nullopt}, changes);
    if (new_.key) note_change(table_, index_.id, {new_.key->bytes, std::nullopt, new_.bytes}, changes);
  }

  void charge(bool moved, ItemChange& change) const {
    change.index_counts.push_back({index_.id,
                                   {int64_t{new_.key.has_value()} - int64_t{old_.key.has_value()},
                                    static_cast<int64_t>(new_.bytes) - static_cast<int64_t>(old_.bytes)}});
    if (index_.vector) {
      int64_t& bytes = change.consumed.vector_bytes[index_.name];
      if (old_.key && (moved || old_.bytes > new_.bytes)) bytes += vector_request_bytes(old_.bytes);
      if (new_.key && (moved || old_.bytes <= new_.bytes)) bytes += vector_request_bytes(new_.bytes);
      return;
    }
    auto& consumed = index_.global ? change.consumed.global_indexes : change.consumed.local_indexes;
    api::Capacity& capacity = consumed[index_.name];
    if (moved) {  // an entry under another key is a deletion and an insertion
      if (old_.key) capacity.write += model::write_half_units(old_.bytes);
      if (new_.key) capacity.write += model::write_half_units(new_.bytes);
    } else {
      capacity.write += model::write_half_units(std::max(old_.bytes, new_.bytes));
    }
  }

  const TableInfo& table_;
  const IndexInfo& index_;
  Side old_, new_;
};

}  // namespace

Result<void> check_key(const TableInfo& table, const Item& key) {
  if (key.size() != table.keys.partition.size() + table.keys.sort.size()) return refuse(Fault::kKeySchemaMismatch);
  return check_key_within(table, key);
}

Result<void> check_key_within(const TableInfo& table, const Item& item) {
  if (has_fit_key(table, item)) return {};
  for (const auto* elements : {&table.keys.partition, &table.keys.sort}) {
    for (const auto& element : *elements) {
      const AttributeValue* value = item.find(element.name);
      if (value == nullptr || !value->is(element.type)) return refuse(Fault::kKeySchemaMismatch);
    }
  }
  PARTITA_TRY_VOID(check_key_values(table, item));
  return check_key_lengths(table, item);
}

Result<void> check_item_key(const TableInfo& table, const Item& item) {
  if (has_fit_key(table, item)) return {};
  for (const auto* elements : {&table.keys.partition, &table.keys.sort}) {
    for (const auto& element : *elements) {
      const AttributeValue* value = item.find(element.name);
      if (value == nullptr) return refuse(Fault::kMissingKey, {element.name});
      if (!value->is(element.type)) {
        return refuse(Fault::kKeyTypeMismatch, {element.name, std::string(model::type_name(element.type)),
                                                std::string(model::type_name(value->type()))});
      }
    }
  }
  PARTITA_TRY_VOID(check_key_values(table, item));
  return check_key_lengths(table, item);
}

std::optional<Item> item_in(const TableInfo& table, std::string_view row) {
  auto item = model::decode_item(row);
  if (!item.ok() || !check_item_key(table, *item).ok()) return std::nullopt;
  return std::move(item).value();
}

Result<void> check_key_values(const TableInfo& table, const Item& item) {
  PARTITA_TRY_VOID(check_not_empty(table.keys.partition, item));
  return check_not_empty(table.keys.sort, item);
}

Result<void> check_index_keys(const TableInfo& table, const Item& item, const Item* before) {
  // Of several indexes with something to say, DynamoDB names the one whose name comes first.
  const std::string* first = nullptr;
  Result<void> outcome;
  for (const auto& index : table.indexes) {
    if (first != nullptr && index.name > *first) continue;
    if (auto checked = check_index(index, item, before); !checked.ok()) {
      first = &index.name;
      outcome = std::move(checked);
    }
  }
  return outcome;
}

Result<void> check_scalar_keys(const TableInfo& table, const std::vector<std::string>& nested) {
  for (const std::string& name : nested) {
    if (table.keys.names(name)) return refuse(Fault::kKeyNotScalar, {name});
  }
  for (const std::string& name : nested) {
    const bool key = std::ranges::any_of(table.indexes, [&](const auto& index) { return index.keys.names(name); });
    if (key) return refuse(Fault::kIndexKeyNotScalar, {name});
  }
  return {};
}

Key item_key(const TableInfo& table, const Item& item) {
  return make_key(table.id, model::kBaseIndex, table.keys, item);
}

std::optional<Key> index_key(const TableInfo& table, const IndexInfo& index, const Item& item) {
  if (index.vector && !is_in_vector_index(index, item)) return std::nullopt;
  // An item older than the index may hold a value that could never be its key.
  auto fits = [&](const KeyElement& element, bool partition) {
    return item.contains(element.name) && check_index_element(index, element, partition, item).ok();
  };
  for (const auto& element : index.keys.partition) {
    if (!fits(element, true)) return std::nullopt;
  }
  for (const auto& element : index.keys.sort) {
    if (!fits(element, false)) return std::nullopt;
  }
  Key key = make_key(table.id, index.id, index.keys, item);
  append_values(table.keys.partition, item, key.bytes);
  append_values(table.keys.sort, item, key.bytes);
  return key;
}

Result<Item> needed_of(const TableInfo& table, std::string_view stored) {
  return table.needed ? model::decode_attributes(stored, *table.needed) : model::decode_item(stored);
}

Item key_of(const TableInfo& table, const Item& item) { return position_of(table, nullptr, item); }

Item position_of(const TableInfo& table, const IndexInfo* index, const Item& item) {
  Item position;
  for (const auto& name : key_attributes(table, index)) copy_attribute(item, name, position);
  return position;
}

Item index_view(const TableInfo& table, const IndexInfo& index, const Item& item) {
  if (index.vector) return vector_view(table, index, item);
  if (index.projection.kind == api::ProjectionKind::kAll) return item;
  Item view = position_of(table, &index, item);
  if (index.projection.kind == api::ProjectionKind::kInclude) {
    for (const auto& name : index.projection.attributes) copy_attribute(item, name, view);
  }
  return view;
}

ItemChange change_item(const TableInfo& table, const Key& key, const Image& before, const Image& after,
                       const Origin& origin, Changes& changes) {
  ItemChange change;
  change.consumed.table = table.name;
  change.consumed.base.write = model::write_half_units(std::max(before.bytes, after.bytes));
  if (!table.indexes.empty() && has_vectors(table)) {
    const auto charged = [&](const Image& image) {
      return image.exists() ? charged_bytes(table, *image.item, image.bytes) : 0;
    };
    change.consumed.base.write = model::write_half_units(std::max(charged(before), charged(after)));
  }
  if (!before.exists() && !after.exists()) return change;
  if (after.exists()) {
    changes.put(key, std::string(after.stored));
  } else {
    changes.erase(key);
  }
  change.count = {int64_t{after.exists()} - int64_t{before.exists()},
                  static_cast<int64_t>(after.bytes) - static_cast<int64_t>(before.bytes)};
  if (!table.counting.empty()) {
    const auto size = [](const Image& image) {
      return image.exists() ? std::optional<uint64_t>(image.bytes) : std::nullopt;
    };
    note_change(table, model::kBaseIndex, {key.bytes, size(before), size(after)}, changes);
  }
  for (const RowMaker* maker : table.row_makers) maker->change_item(table, key, before, after, origin, changes);
  for (const auto& index : table.indexes) {
    if (index.status == Status::kDeleting) continue;
    IndexChange(table, index, before, after).apply(changes, change);
  }
  return change;
}

}  // namespace partita::table
