#include "table/items/write.h"

#include <algorithm>

#include "model/fault.h"
#include "model/fault_detail.h"
#include "model/item_codec.h"
#include "model/limits.h"
#include "storage/ranges.h"
#include "table/items/commit.h"

namespace partita::table {

namespace {

using model::Fault;
using model::Item;
using model::refuse;
using storage::Changes;
using storage::Decision;
using storage::Record;

using Kind = api::WriteAction::Kind;

Error condition_failed(const api::WriteAction& action, const Record* found, size_t charged_bytes) {
  std::shared_ptr<model::RefusedWriteDetail> detail;
  if (action.return_item_on_failure && found != nullptr) {
    detail = std::make_shared<model::ConditionFailedDetail>(found->value);
  } else {
    detail = std::make_shared<model::RefusedWriteDetail>();
  }
  detail->charged_bytes = charged_bytes;
  return Error(ErrorKind::kInvalid, static_cast<uint16_t>(Fault::kConditionFailed), {}, std::move(detail));
}

// Most writes need only the old item's size.
bool needs_old_item(const api::WriteAction& action) {
  return action.condition || action.wants_before || action.kind == Kind::kUpdate;
}
bool needs_part_of_old_item(const TableInfo& table) { return !table.indexes.empty() || !table.row_makers.empty(); }

// An UpdateExpression has words of its own for an empty index key; AttributeUpdates has those of a put.
Error worded_for(const expr::Update& update, Error error) {
  const bool legacy = std::ranges::any_of(update.actions(), &expr::UpdateAction::legacy);
  if (legacy || model::fault_of(error) != Fault::kIndexKeyEmpty) return error;
  return refuse(Fault::kUpdateIndexKeyEmpty, {error.args()[1]});
}

Result<std::optional<Item>> updated(const TableInfo& table, const api::WriteAction& action,
                                    const std::optional<Item>& before) {
  if (!before && !action.update.creates_item()) return std::optional<Item>();
  PARTITA_TRY(Item after, expr::apply(action.update, before ? &*before : nullptr, action.key));
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

Task<Result<uint64_t>> collection_bytes(TableContext& context, const BoundWrite& write) {
  const Table& table = write.table;
  std::vector<const model::AttributeValue*> partition;
  for (const auto& element : table->keys.partition) partition.push_back(write.named().find(element.name));
  std::vector<uint16_t> ids{model::kBaseIndex};
  for (const auto& index : table->indexes) {
    if (!index.global) ids.push_back(index.id);
  }
  uint64_t total = 0;
  for (const uint16_t id : ids) {
    storage::Range range = storage::range_of(model::collection_prefix(table->id, id, partition));
    auto bytes = co_await context.engine().approximate_bytes(std::move(range));
    if (!bytes.ok()) co_return std::move(bytes).error();
    total += *bytes;
  }
  co_return total;
}

}  // namespace

BoundWrite::BoundWrite(Table its_table, const api::WriteAction& its_action)
    : table(std::move(its_table)), action(&its_action) {
  if (action->kind != Kind::kPut) return;
  needed = *needed_of(*table, action->item);
  put_bytes = api::named_bytes(*action);
}

Result<void> check_write(BoundWrite& write) {
  const TableInfo& table = *write.table;
  const api::WriteAction& action = *write.action;
  if (action.condition) PARTITA_TRY_VOID(check_scalar_keys(table, action.condition->nested_attributes()));
  if (action.kind == Kind::kPut) {
    PARTITA_TRY_VOID(check_item_key(table, write.needed));
    PARTITA_TRY_VOID(check_index_keys(table, write.needed));
  } else {
    if (action.kind == Kind::kUpdate) PARTITA_TRY_VOID(check_update(table, action.update));
    PARTITA_TRY_VOID(check_key(table, action.key));
  }
  write.key = item_key(table, write.named());
  return {};
}

Result<EvaluatedWrite> evaluate_write(const BoundWrite& write, const Record* found, int64_t now_ms, Changes& changes) {
  const TableInfo& table = *write.table;
  const api::WriteAction& action = *write.action;
  EvaluatedWrite written;
  Image before;
  Item needed;
  if (found != nullptr) {
    before.stored = found->value;
    PARTITA_TRY(before.bytes, model::encoded_item_size(found->value));
    written.existed = true;
    if (needs_old_item(action)) {
      PARTITA_TRY(written.before, model::decode_item(found->value));
      before.item = &*written.before;
    } else if (needs_part_of_old_item(table)) {
      PARTITA_TRY(needed, needed_of(table, found->value));
      before.item = &needed;
    }
  }
  if (action.condition) {
    static const Item kAbsent;
    if (!expr::evaluate(*action.condition, written.before ? *written.before : kAbsent)) {
      return condition_failed(action, found, std::max(before.bytes, write.put_bytes));
    }
  }
  if (action.kind == Kind::kCheck) {
    written.change.consumed.table = table.name;
    written.change.consumed.base.write = model::write_half_units(before.bytes);
    return written;
  }
  if (action.kind == Kind::kUpdate) {
    PARTITA_TRY(written.after, updated(table, action, written.before));
    if (!written.after) before = {};  // it took away from what is not there
  }
  std::string encoded;
  Image after;
  if (action.kind == Kind::kPut) {
    after = {action.item, write.put_bytes, &write.needed};
  } else if (written.after) {
    encoded = model::encode_item(*written.after);
    after = {encoded, *model::encoded_item_size(encoded), &*written.after};
  }
  const Origin origin{.at_ms = now_ms, .service = action.by_service};
  const size_t rows_before = changes.writes().size();
  written.change = change_item(table, write.key, before, after, origin, changes);
  if (write.checker != nullptr && !written.change.consumed.global_indexes.empty()) {
    const auto rows = std::span<const Changes::Write>(changes.writes()).subspan(rows_before);
    PARTITA_TRY_VOID(write.checker->check_indexes({table, row_position(write.key), written.change.consumed, rows}));
  }
  return written;
}

api::Written reply_of(EvaluatedWrite evaluated) {
  return {evaluated.existed, std::move(evaluated.before), std::move(evaluated.after),
          std::move(evaluated.change.consumed)};
}

Task<Result<bool>> collection_is_full(TableContext& context, const BoundWrite& write) {
  const Table& table = write.table;
  const Kind kind = write.action->kind;
  if (kind == Kind::kDelete || kind == Kind::kCheck || !table->has_local_index()) co_return false;
  PARTITA_CO_TRY_VOID(co_await context.refresh_tallies(table, false));
  int64_t whole = table->tally->bytes;
  for (const auto& index : table->indexes) whole += index.global ? 0 : index.tally->bytes.load();
  const int64_t limit = context.options().max_collection_bytes;
  if (whole < limit) co_return false;
  PARTITA_CO_TRY(const uint64_t bytes, co_await collection_bytes(context, write));
  co_return bytes >= static_cast<uint64_t>(limit);
}

Result<void> check_growth(bool full, const ItemChange& change) {
  int64_t growth = change.count.bytes;
  for (const CountChange& one : change.index_counts) growth += one.by.bytes;
  if (full && growth > 0) return refuse(Fault::kCollectionTooLarge);
  return {};
}

Verb verb_of(Kind kind) {
  constexpr Verb kVerbs[] = {Verb::kPut, Verb::kUpdate, Verb::kDelete, Verb::kCheck};
  return kVerbs[static_cast<size_t>(kind)];
}

model::HalfUnits least_cost(const BoundWrite& write) { return model::write_half_units(write.put_bytes); }

Access access_of(const BoundWrite& write, api::ReturnValues returned) {
  const api::WriteAction& action = *write.action;
  Access access;
  access.verb = verb_of(action.kind);
  access.name = write.table->name;
  access.table = write.table.get();
  access.item = &write.named();
  access.position = row_position(write.key);
  access.stored = action.item;
  access.condition = action.condition ? &*action.condition : nullptr;
  access.update = action.kind == Kind::kUpdate ? &action.update : nullptr;
  access.returned = returned;
  access.returned_on_failure = action.return_item_on_failure;
  return access;
}

Result<WritePlan> bind(const api::WriteRequest& request, Table table) {
  WritePlan plan{&request, BoundWrite(std::move(table), request.action)};
  PARTITA_TRY_VOID(check_write(plan.write));
  return plan;
}

Result<void> admit(WritePlan& plan, AccessChecker& checker) {
  plan.write.checker = &checker;
  return checker.admit_and_reserve(access_of(plan.write, plan.request->returned), least_cost(plan.write));
}

void charge(const WritePlan& plan, const api::WriteReply& outcome, AccessChecker& checker) {
  const api::ConsumedCapacity& consumed = outcome.written.consumed;
  if (checker.charge_usual(*plan.write.table, consumed)) return;
  checker.charge(access_of(plan.write, plan.request->returned), consumed);
}

void charge_refused(const WritePlan& plan, const Error& refusal, AccessChecker& checker) {
  const auto* const detail = dynamic_cast<const model::RefusedWriteDetail*>(refusal.detail().get());
  if (detail == nullptr) return;
  api::ConsumedCapacity consumed;
  consumed.table = plan.write.table->name;
  consumed.base.write = model::write_half_units(detail->charged_bytes);
  checker.charge(access_of(plan.write, plan.request->returned), consumed);
}

Task<Result<api::WriteReply>> run(TableContext& context, const WritePlan& plan) {
  const BoundWrite& write = plan.write;
  const Table& table = write.table;
  bool full = false;
  if (table->has_local_index()) {
    PARTITA_CO_TRY(full, co_await collection_is_full(context, write));
  }
  const int64_t now_ms = context.clock().now_ms();
  std::optional<Result<EvaluatedWrite>> result;
  const auto evaluate = [&](std::span<const Record* const> found, Changes& changes, CountMoves& moves) {
    result.emplace(evaluate_write(write, found[0], now_ms, changes));
    if (!result->ok()) return Decision::kRefuse;
    moves.add(*table, result->value().change);
    if (auto grown = check_growth(full, result->value().change); !grown.ok()) result.emplace(std::move(grown).error());
    return result->ok() ? Decision::kCommit : Decision::kRefuse;
  };
  std::vector<storage::Key> keys(1, write.key);
  auto outcome = co_await commit(context.engine(), std::span(&table, 1), std::move(keys), evaluate);
  if (!outcome.ok()) co_return std::move(outcome).error();
  api::WriteReply done;
  if (!result->ok()) co_return std::move(*result).error();
  done.written = reply_of(std::move(*result).value());
  if (plan.request->wants_collection_bytes && table->has_local_index()) {
    // The write is done: an estimate that cannot be had is left out.
    auto collection = co_await collection_of(context, write);
    if (collection.ok()) done.collection = std::move(collection).value();
  }
  co_return done;
}

Task<Result<api::ItemCollection>> collection_of(TableContext& context, const BoundWrite& write) {
  PARTITA_CO_TRY(const uint64_t bytes, co_await collection_bytes(context, write));
  api::ItemCollection collection{write.table->name, {}, bytes};
  for (const auto& [name, type] : write.table->keys.partition) collection.key.set(name, *write.named().find(name));
  co_return collection;
}

}  // namespace partita::table
