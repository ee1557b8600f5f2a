#include <array>
#include <map>

#include "base/bytes.h"
#include "model/fault.h"
#include "model/limits.h"
#include "ops/handlers.h"
#include "ops/transact_call.h"
#include "ops/write_call.h"

namespace partita::ops {

namespace {

using model::Fault;
using model::refuse;
using wire::JsonValue;
using Kind = table::WriteAction::Kind;

struct Form {
  std::string_view member;
  Kind kind;
  std::string_view item;  // the member that holds the item or its key
};
constexpr std::array kForms = {Form{"ConditionCheck", Kind::kCheck, "Key"}, Form{"Put", Kind::kPut, "Item"},
                               Form{"Delete", Kind::kDelete, "Key"}, Form{"Update", Kind::kUpdate, "Key"}};

struct Decoded {
  std::string table;
  table::WriteAction action;
};

Result<void> check_action_forms(JsonValue body, Kind kind) {
  if (kind == Kind::kUpdate) return check_forms(body, {{"UpdateExpression", "ConditionExpression"}, {}});
  return check_forms(body, {{"ConditionExpression"}, {}});
}

Result<Decoded> decode_action(const Form& form, JsonValue body) {
  Decoded decoded;
  decoded.table = text(body, "TableName");
  PARTITA_TRY_VOID(check_action_forms(body, form.kind));
  decoded.action.kind = form.kind;
  // Measured: an item's values come before the expressions, a key's behind them.
  if (form.kind == Kind::kPut) {
    PARTITA_TRY_VOID(decode_target(body, form.item, decoded.action));
    PARTITA_TRY_VOID(table::check_item_size(decoded.action.item));
  }
  PARTITA_TRY(expr::Placeholders given, placeholders(body));
  if (form.kind == Kind::kUpdate) {
    PARTITA_TRY(decoded.action.update, expr::parse_update(body.get("UpdateExpression").as_string(), given));
  }
  PARTITA_TRY_VOID(decode_condition(body, given, decoded.action));
  PARTITA_TRY_VOID(given.check_all_used());
  if (form.kind != Kind::kPut) PARTITA_TRY_VOID(decode_target(body, form.item, decoded.action));
  return decoded;
}

Result<Decoded> decode_entry(JsonValue entry) {
  const Form* found = nullptr;
  for (const Form& form : kForms) {
    if (!entry.get(form.member).present()) continue;
    if (found != nullptr) return refuse(Fault::kTransactItemAmbiguous);
    found = &form;
  }
  if (found == nullptr) return refuse(Fault::kTransactItemAmbiguous);
  return decode_action(*found, entry.get(found->member));
}

Result<std::vector<Decoded>> decode(JsonValue body) {
  std::vector<Decoded> actions;
  for (const JsonValue entry : body.get("TransactItems").elements()) {
    PARTITA_TRY(Decoded decoded, decode_entry(entry));
    actions.push_back(std::move(decoded));
  }
  return actions;
}

// What the 4 MB limit counts: the items and keys that the request carries.
Result<void> check_total(const std::vector<Decoded>& actions) {
  size_t bytes = 0;
  for (const auto& decoded : actions) bytes += model::item_size(decoded.action.item);
  if (bytes > model::kMaxTransactionBytes) return refuse(Fault::kTransactionTooLarge);
  return {};
}

Result<std::vector<table::TransactWrite>> find_tables(const Context& context, std::vector<Decoded> actions) {
  std::vector<table::TransactWrite> writes;
  for (Decoded& decoded : actions) {
    PARTITA_TRY(const std::string name, table_name_of(decoded.table, context));
    PARTITA_TRY(table::Table table, context.database.ready_table(name));
    writes.push_back({std::move(table), std::move(decoded.action)});
  }
  return writes;
}

// The JSON of a value in one fixed form, so that two requests that say the same have the same digest.
void append_canonical(JsonValue value, std::string& out) {
  out.push_back(static_cast<char>('0' + static_cast<int>(value.kind())));
  switch (value.kind()) {
    case JsonValue::Kind::kNull:
      return;
    case JsonValue::Kind::kBoolean:
      out.push_back(value.as_boolean() ? '1' : '0');
      return;
    case JsonValue::Kind::kInteger:
    case JsonValue::Kind::kDecimal:
      append_u64(out, static_cast<uint64_t>(value.as_integer()));
      return;
    case JsonValue::Kind::kString:
      append_sized(out, value.as_string());
      return;
    case JsonValue::Kind::kArray:
      append_varint(out, value.size());
      for (const JsonValue element : value.elements()) append_canonical(element, out);
      return;
    case JsonValue::Kind::kObject: {
      std::map<std::string_view, JsonValue> sorted;
      for (const auto& [name, member] : value.members()) sorted[name] = member;
      append_varint(out, sorted.size());
      for (const auto& [name, member] : sorted) {
        append_sized(out, name);
        append_canonical(member, out);
      }
      return;
    }
  }
}

std::string digest(JsonValue items) {
  std::string canonical;
  append_canonical(items, canonical);
  std::string out;
  append_u64(out, hash64(canonical));
  append_u64(out, hash64("partita" + canonical));
  return out;
}

}  // namespace

Task<Result<std::string>> transact_write_items(const Context& context, JsonValue body) {
  PARTITA_CO_TRY(std::vector<Decoded> actions, decode(body));
  PARTITA_CO_TRY_VOID(check_total(actions));
  table::TransactWrites request;
  PARTITA_CO_TRY(request.writes, find_tables(context, std::move(actions)));
  request.token = text(body, "ClientRequestToken");
  if (!request.token.empty()) request.digest = digest(body.get("TransactItems"));
  const std::vector<table::TransactWrite>& writes = request.writes;
  auto written = co_await table::transact_write(context.database, request);
  if (!written.ok()) co_return std::move(written).error();
  wire::JsonWriter json;
  json.begin_object();
  write_capacity_list(json, consumed_by_table(writes, *written), capacity_detail(body),
                      CapacityKind::kTransactionWrite);
  if (wants_collection_metrics(body)) {
    PARTITA_CO_TRY_VOID(co_await write_all_collection_metrics(json, context, writes));
  }
  json.end_object();
  co_return std::move(json).take();
}

}  // namespace partita::ops
