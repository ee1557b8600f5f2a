#include "ops/transact_call.h"

#include <algorithm>
#include <map>

namespace partita::ops {

std::vector<table::ConsumedCapacity> consumed_by_table(const std::vector<table::TransactWrite>& writes,
                                                       const std::vector<table::Written>& written) {
  std::vector<table::ConsumedCapacity> sums;
  for (size_t i = 0; i < written.size(); ++i) {
    const std::string& name = writes[i].table->name;
    auto sum = std::ranges::find(sums, name, &table::ConsumedCapacity::table);
    if (sum == sums.end()) {
      sums.push_back({});
      sum = sums.end() - 1;
      sum->table = name;
    }
    sum->add(written[i].change.consumed);
  }
  return sums;
}

Task<Result<void>> write_all_collection_metrics(wire::JsonWriter& json, const Context& context,
                                                const std::vector<table::TransactWrite>& writes) {
  std::map<std::string, std::map<std::string, const table::TransactWrite*>> collections;  // by table, then by place
  for (const auto& write : writes) {
    if (!write.table->has_local_index()) continue;
    const storage::Key key = table::item_key(*write.table, write.action.item);
    collections[write.table->name].emplace(key.bytes.substr(0, key.place), &write);
  }
  if (collections.empty()) co_return Result<void>();
  json.key("ItemCollectionMetrics");
  json.begin_object();
  for (const auto& [name, places] : collections) {
    json.key(name);
    json.begin_array();
    for (const auto& [place, write] : places) {
      PARTITA_CO_TRY_VOID(co_await write_collection_metrics(json, context, write->table, write->action.item));
    }
    json.end_array();
  }
  json.end_object();
  co_return Result<void>();
}

}  // namespace partita::ops
