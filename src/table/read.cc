#include "table/read.h"

#include "model/item_codec.h"

namespace partita::table {

Task<Result<std::vector<ReadItem>>> read_items(Database& database, ReadKeys request) {
  std::vector<storage::Key> keys;
  keys.reserve(request.keys.size());
  for (const auto& key : request.keys) keys.push_back(item_key(*request.table, key));
  auto read = co_await database.engine().read(keys);
  if (!read.ok()) co_return std::move(read).error();
  std::vector<ReadItem> items(request.keys.size());
  for (size_t i = 0; i < items.size(); ++i) {
    std::optional<storage::Record>& record = (*read)[i];
    if (!record) continue;
    PARTITA_CO_TRY(items[i].bytes, model::encoded_item_size(record->value));
    if (!request.projection) {
      items[i].item = std::move(record->value);
      continue;
    }
    PARTITA_CO_TRY(const model::Item whole, model::decode_item(record->value));
    items[i].item = expr::project(*request.projection, whole);
  }
  co_return items;
}

ConsumedCapacity read_charge(const TableInfo& table, const std::vector<ReadItem>& items, bool consistent) {
  ConsumedCapacity consumed;
  consumed.table = table.name;
  for (const auto& item : items) consumed.base.read += model::read_half_units(item.bytes, consistent);
  return consumed;
}

}  // namespace partita::table
