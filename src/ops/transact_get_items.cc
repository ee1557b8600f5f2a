#include "ops/handlers.h"
#include "ops/pipeline.h"
#include "ops/request.h"
#include "ops/transact_call.h"
#include "wire/item_reader.h"

namespace partita::ops {

namespace {

using wire::Field;
using wire::Members;

struct TransactGetItems {
  using Request = table::TransactGetRequest;

  static Result<Request::Part> decode_part(const Members& get) {
    Request::Part part;
    PARTITA_TRY(part.key, wire::decode_item(get[Field::kKey]));
    PARTITA_TRY(expr::Placeholders given, placeholders(get));
    PARTITA_TRY(part.projection, projection(get, given));
    // Measured: in a transaction names may come without an expression.
    if (part.projection) PARTITA_TRY_VOID(given.check_all_used());
    part.table = get.text(Field::kTableName);
    return part;
  }

  static Result<Request> decode(const Members& in) {
    Request request;
    const wire::Shape& shape = in.element_shape(Field::kTransactItems);
    for (const wire::JsonValue entry : in[Field::kTransactItems].elements()) {
      PARTITA_TRY(Request::Part part, decode_part(Members(entry, shape).in(Field::kGet)));
      request.parts.push_back(std::move(part));
    }
    request.capacity = capacity_detail(in);
    return request;
  }

  // A projection that selects nothing leaves no Item, other than in GetItem.
  static bool is_shown(const table::ReadItem& item) {
    if (!item.item) return false;
    const auto* projected = std::get_if<model::Item>(&*item.item);
    return projected == nullptr || !projected->empty();
  }

  static Result<std::string> encode(const Request& request, const table::TransactGetPlan& /*plan*/,
                                    const table::TransactGetOutcome& outcome) {
    wire::JsonWriter json(4096);
    json.begin_object();
    std::vector<table::ConsumedCapacity> sums;
    for (const auto& consumed : outcome.consumed) add_by_table(sums, consumed);
    write_capacity_list(json, sums, request.capacity, CapacityKind::kTransactionRead);
    json.key("Responses");
    json.begin_array();
    for (const auto& item : outcome.items) {
      json.begin_object();
      if (is_shown(item)) {
        json.key("Item");
        PARTITA_TRY_VOID(write_found(json, *item.item));
      }
      json.end_object();
    }
    json.end_array();
    json.end_object();
    return std::move(json).take();
  }
};

}  // namespace

Task<Result<std::string>> transact_get_items(const Context& context, wire::JsonDocument document) {
  return serve<TransactGetItems>(context, std::move(document));
}

}  // namespace partita::ops
