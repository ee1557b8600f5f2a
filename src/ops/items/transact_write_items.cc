#include <array>

#include "model/fault.h"
#include "ops/items/transact_call.h"
#include "ops/items/write_call.h"
#include "ops/json_codec.h"

namespace partita::ops {

namespace {

using model::Fault;
using model::refuse;
using wire::Field;
using wire::JsonValue;
using wire::Members;
using ActionKind = api::WriteAction::Kind;

struct Form {
  Field member;
  ActionKind kind;
  Field item;  // the member that holds the item or its key
};
constexpr std::array kForms = {
    Form{Field::kConditionCheck, ActionKind::kCheck, Field::kKey}, Form{Field::kPut, ActionKind::kPut, Field::kItem},
    Form{Field::kDelete, ActionKind::kDelete, Field::kKey}, Form{Field::kUpdate, ActionKind::kUpdate, Field::kKey}};

struct TransactWriteItems {
  using Execution = TransactWriteExecution;
  using Request = api::TransactWriteRequest;

  static Result<Request::Part> decode_action(const Form& form, const Members& in) {
    Request::Part part;
    part.table = in.text(Field::kTableName);
    part.action.kind = form.kind;
    // Measured: an item's values come before the expressions, a key's behind them.
    if (form.kind == ActionKind::kPut) {
      PARTITA_TRY_VOID(decode_target(in, form.item, part.action));
      PARTITA_TRY_VOID(api::check_item_size(api::named_bytes(part.action)));
    }
    // Measured: what is only compared with may have a level more; what is written is measured with the item.
    PARTITA_TRY(expr::Placeholders given, placeholders(in, wire::Nesting::kAlone));
    if (form.kind == ActionKind::kUpdate) {
      PARTITA_TRY(part.action.update, expr::parse_update(in.text(Field::kUpdateExpression), given));
    }
    PARTITA_TRY_VOID(decode_condition(in, given, part.action));
    // Measured: in a transaction names and values may come without an expression.
    const bool expression = form.kind == ActionKind::kUpdate || part.action.condition;
    if (expression) PARTITA_TRY_VOID(given.check_all_used());
    if (form.kind != ActionKind::kPut) PARTITA_TRY_VOID(decode_target(in, form.item, part.action));
    return part;
  }

  static Result<Request::Part> decode_part(const Members& entry) {
    const Form* found = nullptr;
    for (const Form& form : kForms) {
      if (!entry.has(form.member)) continue;
      if (found != nullptr) return refuse(Fault::kTransactItemAmbiguous);
      found = &form;
    }
    if (found == nullptr) return refuse(Fault::kTransactItemAmbiguous);
    return decode_action(*found, entry.in(found->member));
  }

  static Result<Request> decode(const Members& in) {
    Request request;
    const wire::Shape& shape = in.element_shape(Field::kTransactItems);
    for (const JsonValue entry : in[Field::kTransactItems].elements()) {
      PARTITA_TRY(Request::Part part, decode_part(Members(entry, shape)));
      request.parts.push_back(std::move(part));
    }
    PARTITA_TRY_VOID(api::check_total_size(request));
    request.token = in.text(Field::kClientRequestToken);
    if (!request.token.empty()) request.digest = digest(in[Field::kTransactItems]);
    request.capacity = capacity_detail(in);
    request.wants_collection_bytes = wants_collection_metrics(in);
    return request;
  }

  static Result<std::string> encode(const Request& request, const api::WritesReply& reply) {
    wire::JsonWriter json;
    json.begin_object();
    write_costs(json, reply, request.capacity, CapacityKind::kTransactionWrite);
    json.end_object();
    return std::move(json).take();
  }
};

}  // namespace

constinit const JsonCodec transact_write_items = json_codec<TransactWriteItems>(wire::shapes::kTransactWriteItems);

}  // namespace partita::ops
