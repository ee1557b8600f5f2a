#include "table/read.h"

#include "model/item_codec.h"

namespace partita::table {

Result<ReadItem> found_item(std::string stored, const std::optional<expr::Projection>& projection) {
  ReadItem found;
  PARTITA_TRY(found.bytes, model::encoded_item_size(stored));
  if (!projection) {
    found.item = std::move(stored);
    return found;
  }
  PARTITA_TRY(const model::Item whole, model::decode_item(stored));
  found.item = expr::project(*projection, whole);
  return found;
}

Task<Result<std::vector<ReadItem>>> read_items(Database& database, ReadKeys request) {
  std::vector<storage::Key> keys;
  keys.reserve(request.keys.size());
  for (const auto& key : request.keys) keys.push_back(item_key(*request.table, key));
  auto read = co_await database.engine().read(keys);
  if (!read.ok()) co_return std::move(read).error();
  std::vector<ReadItem> items(request.keys.size());
  for (size_t i = 0; i < items.size(); ++i) {
    if (std::optional<storage::Record>& record = (*read)[i]) {
      PARTITA_CO_TRY(items[i], found_item(std::move(record->value), request.projection));
    }
  }
  co_return items;
}

ConsumedCapacity read_charge(const TableInfo& table, std::span<const ReadItem> items, bool consistent) {
  ConsumedCapacity consumed;
  consumed.table = table.name;
  for (const auto& item : items) consumed.base.read += model::read_half_units(item.bytes, consistent);
  return consumed;
}

}  // namespace partita::table
