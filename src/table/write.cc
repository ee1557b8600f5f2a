#include "table/write.h"

#include <algorithm>

#include "model/fault.h"
#include "model/fault_detail.h"
#include "model/item_codec.h"
#include "model/limits.h"
#include "storage/ranges.h"
#include "table/commit.h"

namespace partita::table {

namespace {

using model::Fault;
using model::Item;
using model::refuse;
using storage::Changes;
using storage::Decision;
using storage::Record;

using Kind = WriteAction::Kind;

Error condition_failed(const WriteAction& action, const Record* found) {
  std::shared_ptr<const ErrorDetail> detail;
  if (action.return_item_on_failure && found != nullptr) {
    detail = std::make_shared<model::ConditionFailedDetail>(found->value);
  }
  return Error(ErrorKind::kInvalid, static_cast<uint16_t>(Fault::kConditionFailed), {}, std::move(detail));
}

// Most writes need only the old item's size.
bool needs_old_item(const TableInfo& table, const WriteAction& action) {
  return action.condition || action.wants_before || action.kind == Kind::kUpdate || !table.indexes.empty() ||
         table.stream.enabled || table.ttl;
}

// An UpdateExpression has words of its own for an empty index key; AttributeUpdates has those of a put.
Error worded_for(const expr::Update& update, Error error) {
  const bool legacy = std::ranges::any_of(update.actions(), &expr::UpdateAction::legacy);
  if (legacy || model::fault_of(error) != Fault::kIndexKeyEmpty) return error;
  return refuse(Fault::kUpdateIndexKeyEmpty, {error.args()[1]});
}

Result<std::optional<Item>> updated(const TableInfo& table, const WriteAction& action,
                                    const std::optional<Item>& before) {
  if (!before && !action.update.creates_item()) return std::optional<Item>();
  PARTITA_TRY(Item after, expr::apply(action.update, before ? &*before : nullptr, action.item));
  if (model::item_size(after) > model::kMaxItemBytes) return refuse(Fault::kItemToUpdateTooLarge);
  if (auto checked = check_index_keys(table, after, before ? &*before : nullptr); !checked.ok()) {
    const bool type = model::fault_of(checked.error()) == Fault::kIndexKeyTypeMismatch;
    return type ? refuse(Fault::kUpdateIndexKeyType) : worded_for(action.update, std::move(checked).error());
  }
  return std::optional<Item>(std::move(after));
}

// The constants that the update sets attributes to: of these it is known beforehand whether they suit the indexes.
Item constants_of(const expr::Update& update) {
  std::vector<Item::Entry> constants;
  for (const auto& action : update.actions()) {
    const bool constant = action.kind == expr::UpdateAction::Kind::kSet && action.path.is_attribute() &&
                          action.value.kind == expr::UpdateValue::Kind::kConstant;
    if (constant) constants.push_back({action.path.attribute, *action.value.constant});
  }
  return Item::of(std::move(constants));
}

Result<void> check_update(const TableInfo& table, const expr::Update& update) {
  PARTITA_TRY_VOID(expr::check_no_key(update, table.keys));
  PARTITA_TRY_VOID(check_scalar_keys(table, update.nested_attributes()));
  if (table.indexes.empty()) return {};
  auto checked = check_index_keys(table, constants_of(update));
  if (!checked.ok()) return worded_for(update, std::move(checked).error());
  return {};
}

}  // namespace

Result<void> check_item_size(const Item& item) {
  if (model::item_size(item) > model::kMaxItemBytes) return refuse(Fault::kItemTooLarge);
  return {};
}

Result<void> check_write(const TableInfo& table, const WriteAction& action) {
  if (action.condition) PARTITA_TRY_VOID(check_scalar_keys(table, action.condition->nested_attributes()));
  if (action.kind != Kind::kPut) {
    if (action.kind == Kind::kUpdate) PARTITA_TRY_VOID(check_update(table, action.update));
    return check_key(table, action.item);
  }
  PARTITA_TRY_VOID(check_item_key(table, action.item));
  return check_index_keys(table, action.item);
}

Result<Written> evaluate_write(const TableInfo& table, const WriteAction& action, const storage::Key& key,
                               const Record* found, int64_t now_ms, Changes& changes) {
  Written written;
  Before before{.exists = found != nullptr, .stored = {}};
  if (found != nullptr) {
    before.stored = found->value;
    PARTITA_TRY(before.bytes, model::encoded_item_size(found->value));
    written.existed = true;
    if (needs_old_item(table, action)) {
      PARTITA_TRY(written.before, model::decode_item(found->value));
      before.item = &*written.before;
    }
  }
  if (action.condition) {
    static const Item kAbsent;
    if (!expr::evaluate(*action.condition, written.before ? *written.before : kAbsent)) {
      return condition_failed(action, found);
    }
  }
  if (action.kind == Kind::kCheck) {
    written.change.consumed.table = table.name;
    written.change.consumed.base.write = model::write_half_units(before.bytes);
    return written;
  }
  if (action.kind == Kind::kUpdate) {
    PARTITA_TRY(written.after, updated(table, action, written.before));
  }
  const Item* after = action.kind == Kind::kPut ? &action.item : written.after ? &*written.after : nullptr;
  if (action.kind == Kind::kUpdate && after == nullptr) {  // it took away from what is not there
    written.change = change_item(table, {}, {.stored = {}}, nullptr, {}, changes);
    return written;
  }
  const Origin origin{.at_ms = now_ms, .service = action.by_service};
  written.change = change_item(table, key, before, after, origin, changes);
  return written;
}

Task<Result<bool>> collection_is_full(Database& database, Table table, const WriteAction& action) {
  if (action.kind == Kind::kDelete || action.kind == Kind::kCheck || !table->has_local_index()) co_return false;
  PARTITA_CO_TRY_VOID(co_await database.hear_counts(table, false));
  int64_t whole = table->tally->bytes;
  for (const auto& index : table->indexes) whole += index.global ? 0 : index.tally->bytes.load();
  const int64_t limit = database.options().max_collection_bytes;
  if (whole < limit) co_return false;
  auto bytes = co_await collection_bytes(database, table, action.item);
  if (!bytes.ok()) co_return std::move(bytes).error();
  co_return *bytes >= static_cast<uint64_t>(limit);
}

Result<void> check_growth(bool full, const ItemChange& change) {
  int64_t growth = change.count.bytes;
  for (const CountChange& one : change.index_counts) growth += one.by.bytes;
  if (full && growth > 0) return refuse(Fault::kCollectionTooLarge);
  return {};
}

Access access_of(const TableInfo& table, const WriteAction& action, ReturnValues returned) {
  constexpr Verb kVerbs[] = {Verb::kPut, Verb::kUpdate, Verb::kDelete, Verb::kCheck};
  Access access;
  access.verb = kVerbs[static_cast<size_t>(action.kind)];
  access.name = table.name;
  access.table = &table;
  access.item = &action.item;
  access.condition = action.condition ? &*action.condition : nullptr;
  access.update = action.kind == Kind::kUpdate ? &action.update : nullptr;
  access.returned = returned;
  return access;
}

Result<WritePlan> bind(const WriteRequest& request, Table table) {
  PARTITA_TRY_VOID(check_write(*table, request.action));
  storage::Key key = item_key(*table, request.action.item);
  return WritePlan{std::move(table), &request, std::move(key)};
}

Result<void> admit(const WritePlan& plan, Gate& gate) {
  return gate.admit(access_of(*plan.table, plan.request->action, plan.request->returned));
}

void charge(const WritePlan& plan, const WriteOutcome& outcome, Gate& gate) {
  const Access access = access_of(*plan.table, plan.request->action, plan.request->returned);
  gate.charge(access, outcome.written.change.consumed);
}

Task<Result<WriteOutcome>> run(Database& database, const WritePlan& plan) {
  const Table& table = plan.table;
  const WriteAction& action = plan.request->action;
  bool full = false;
  if (table->has_local_index()) {
    PARTITA_CO_TRY(full, co_await collection_is_full(database, table, action));
  }
  const int64_t now_ms = database.clock().now_ms();
  std::optional<Result<Written>> result;
  const auto evaluate = [&](std::span<const Record* const> found, Changes& changes, CountMoves& moves) {
    result.emplace(evaluate_write(*table, action, plan.key, found[0], now_ms, changes));
    if (!result->ok()) return Decision::kRefuse;
    moves.add(*table, result->value().change);
    if (auto grown = check_growth(full, result->value().change); !grown.ok()) result.emplace(std::move(grown).error());
    return result->ok() ? Decision::kCommit : Decision::kRefuse;
  };
  std::vector<storage::Key> keys(1, plan.key);
  auto outcome = co_await commit(database, std::span(&table, 1), std::move(keys), evaluate);
  if (!outcome.ok()) co_return std::move(outcome).error();
  WriteOutcome done;
  PARTITA_CO_TRY(done.written, std::move(*result));
  if (plan.request->wants_collection_bytes && table->has_local_index()) {
    // The write is done: an estimate that can not be had is left out.
    const auto bytes = co_await collection_bytes(database, table, action.item);
    if (bytes.ok()) done.collection_bytes = *bytes;
  }
  co_return done;
}

Task<Result<uint64_t>> collection_bytes(Database& database, Table table, Item key) {
  std::vector<const model::AttributeValue*> partition;
  for (const auto& element : table->keys.partition) partition.push_back(key.find(element.name));
  std::vector<uint16_t> ids{model::kBaseIndex};
  for (const auto& index : table->indexes) {
    if (!index.global) ids.push_back(index.id);
  }
  uint64_t total = 0;
  for (const uint16_t id : ids) {
    storage::Range range = storage::range_of(model::collection_prefix(table->id, id, partition));
    auto bytes = co_await database.engine().approximate_bytes(std::move(range));
    if (!bytes.ok()) co_return std::move(bytes).error();
    total += *bytes;
  }
  co_return total;
}

}  // namespace partita::table
