#include "ops/json_codec.h"
#include "ops/reply.h"
#include "ops/request.h"
#include "table/items/read.h"
#include "wire/item_reader.h"

namespace partita::ops {

namespace {

using wire::Field;

struct GetItem {
  using Execution = GetItemExecution;
  using Request = api::GetRequest;

  static Result<Request> decode(const wire::Members& in) {
    Request request;
    PARTITA_TRY_VOID(check_forms(in, {{Field::kProjectionExpression}, {Field::kAttributesToGet}}));
    PARTITA_TRY(request.key, wire::decode_item(in[Field::kKey]));
    PARTITA_TRY(request.projection, attributes_to_get(in));
    PARTITA_TRY(expr::Placeholders given, placeholders(in));
    if (!request.projection) {
      PARTITA_TRY(request.projection, projection(in, given));
    }
    PARTITA_TRY_VOID(given.check_all_used());
    request.table = in.text(Field::kTableName);
    request.consistent = in.flag(Field::kConsistentRead);
    request.capacity = capacity_detail(in);
    return request;
  }

  static Result<std::string> encode(const Request& request, const api::GetReply& reply) {
    wire::JsonWriter json;
    json.begin_object();
    if (reply.read.item) {
      json.key("Item");
      PARTITA_TRY_VOID(write_found(json, *reply.read.item));
    }
    write_capacity_member(json, reply.consumed, request.capacity);
    json.end_object();
    return std::move(json).take();
  }
};

}  // namespace

constinit const JsonCodec get_item = json_codec<GetItem>(wire::shapes::kGetItem);

}  // namespace partita::ops
