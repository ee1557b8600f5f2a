#include "ops/items/transact_call.h"
#include "ops/json_codec.h"
#include "ops/request.h"
#include "wire/item_reader.h"

namespace partita::ops {

namespace {

using wire::Field;
using wire::Members;

struct TransactGetItems {
  using Execution = TransactGetExecution;
  using Request = api::TransactGetRequest;

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

  static Task<Result<std::string>> encode(const Request& request, const api::TransactGetReply& reply) {
    wire::JsonWriter json(4096);
    json.begin_object();
    PARTITA_CO_TRY_VOID(co_await write_found_items(json, reply, request.capacity));
    json.end_object();
    co_return std::move(json).take();
  }
};

}  // namespace

constinit const JsonCodec transact_get_items = json_codec<TransactGetItems>(wire::shapes::kTransactGetItems);

}  // namespace partita::ops
