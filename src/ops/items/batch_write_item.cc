#include <algorithm>
#include <span>

#include "base/check.h"
#include "model/fault.h"
#include "model/limits.h"
#include "ops/items/transact_call.h"
#include "ops/json_codec.h"
#include "ops/request.h"
#include "wire/item_reader.h"

namespace partita::ops {

namespace {

using model::Fault;
using model::refuse;
using wire::Field;
using wire::JsonValue;
using wire::Members;

void write_request(wire::JsonWriter& json, const api::WriteAction& action) {
  const bool put = action.kind == api::WriteAction::Kind::kPut;
  json.begin_object();
  json.begin_object(put ? "PutRequest" : "DeleteRequest");
  json.key(put ? "Item" : "Key");
  if (put) {
    PARTITA_CHECK(json.write_encoded_item(action.item).ok());
  } else {
    json.write_item(action.key);
  }
  json.end_object();
  json.end_object();
}

// The actions at these positions, as they were sent.
void write_unprocessed(wire::JsonWriter& json, const api::BatchWriteRequest& request,
                       std::span<const size_t> unprocessed) {
  json.begin_object("UnprocessedItems");
  size_t begin = 0;
  for (const auto& [table, actions] : request.parts) {
    const auto of_others = std::ranges::find_if(unprocessed, [&](size_t at) { return at >= begin + actions.size(); });
    const std::span<const size_t> its(unprocessed.begin(), of_others);
    unprocessed = unprocessed.subspan(its.size());
    if (!its.empty()) {
      json.begin_array(table);
      for (const size_t at : its) write_request(json, actions[at - begin]);
      json.end_array();
    }
    begin += actions.size();
  }
  json.end_object();
}

struct BatchWriteItem {
  using Execution = BatchWriteExecution;
  using Request = api::BatchWriteRequest;

  static Result<api::WriteAction> decode_action(const Members& entry) {
    if (entry.has(Field::kPutRequest) == entry.has(Field::kDeleteRequest)) {
      return refuse(Fault::kWriteRequestAmbiguous);
    }
    api::WriteAction action;
    if (entry.has(Field::kPutRequest)) {
      action.kind = api::WriteAction::Kind::kPut;
      PARTITA_TRY(action.item, wire::decode_encoded_item(entry.in(Field::kPutRequest)[Field::kItem]));
      PARTITA_TRY_VOID(api::check_item_size(api::named_bytes(action)));
    } else {
      action.kind = api::WriteAction::Kind::kDelete;
      PARTITA_TRY(action.key, wire::decode_item(entry.in(Field::kDeleteRequest)[Field::kKey]));
    }
    return action;
  }

  static Result<Request> decode(const Members& in) {
    Request request;
    const auto tables = wire::distinct_members(in[Field::kRequestItems]);
    size_t total = 0;
    for (const auto& [name, requests] : tables) total += requests.size();
    if (total > model::kMaxBatchWrites) return refuse(Fault::kBatchTooManyItems, {"BatchWriteItem"});
    const wire::Shape& shape = *in.element_shape(Field::kRequestItems).element;
    for (const auto& [name, requests] : tables) {
      Request::Part part{std::string(name), {}};
      for (const JsonValue entry : requests.elements()) {
        PARTITA_TRY(api::WriteAction action, decode_action(Members(entry, shape)));
        part.actions.push_back(std::move(action));
      }
      request.parts.push_back(std::move(part));
    }
    request.capacity = capacity_detail(in);
    request.wants_collection_bytes = wants_collection_metrics(in);
    return request;
  }

  static Result<std::string> encode(const Request& request, const api::WritesReply& reply) {
    wire::JsonWriter json;
    json.begin_object();
    write_unprocessed(json, request, reply.unprocessed);
    write_costs(json, reply, request.capacity, CapacityKind::kPlain);
    json.end_object();
    return std::move(json).take();
  }
};

}  // namespace

constinit const JsonCodec batch_write_item = json_codec<BatchWriteItem>(wire::shapes::kBatchWriteItem);

}  // namespace partita::ops
