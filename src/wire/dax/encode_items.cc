// GetItem, PutItem, UpdateItem and DeleteItem.

#include "wire/dax/reply.h"
#include "wire/dax/reply_parts.h"

namespace partita::wire::dax {

using api::CapacityDetail;
using api::ReturnValues;

namespace {

void write_capacity_member(CborWriter& out, const api::ConsumedCapacity& consumed, CapacityDetail detail) {
  if (detail == CapacityDetail::kNone || consumed.table.empty()) return;
  write_key_of(out, ReplyKey::kConsumedCapacity);
  write_capacity(out, consumed, detail);
}

Result<void> write_found_item(CborWriter& out, const api::GetRequest& request, const api::FoundItem& item,
                              Encoding& encoding) {
  write_key_of(out, ReplyKey::kItem);
  if (request.projection) return write_ordinals(out, item);
  PARTITA_TRY(const model::KeySchema* const schema, schema_of(encoding.tables, request.table));
  ItemValues values(*schema, encoding.lists, encoding.missing);
  return values.write(out, item);
}

Result<void> write_attributes(CborWriter& out, const api::WriteRequest& request, const model::Item& item,
                              Encoding& encoding) {
  write_key_of(out, ReplyKey::kAttributes);
  PARTITA_TRY(const model::KeySchema* const schema, schema_of(encoding.tables, request.table));
  ItemValues values(*schema, encoding.lists, encoding.missing);
  const bool all = request.returned == ReturnValues::kAllOld || request.returned == ReturnValues::kAllNew;
  return all ? values.write(out, item) : values.write_updated(out, item);
}

}  // namespace

Result<void> encode_get(CborWriter& out, const api::GetRequest& request, const api::GetReply& reply,
                        Encoding& encoding) {
  write_success(out);
  const bool consumed = request.capacity != CapacityDetail::kNone && !reply.consumed.table.empty();
  if (!reply.read.item && !consumed) return out.null(), Result<void>();
  out.begin_map();
  if (reply.read.item) PARTITA_TRY_VOID(write_found_item(out, request, *reply.read.item, encoding));
  write_capacity_member(out, reply.consumed, request.capacity);
  out.end();
  return {};
}

Result<void> encode_write(CborWriter& out, const api::WriteRequest& request, const api::WriteReply& reply,
                          Encoding& encoding) {
  write_success(out);
  model::Item touched;
  const model::Item* const returned = returned_item(request.returned, request.action.update, reply.written, touched);
  if (returned == nullptr && request.capacity == CapacityDetail::kNone && !reply.collection) {
    return out.null(), Result<void>();
  }
  out.begin_map();
  write_capacity_member(out, reply.written.consumed, request.capacity);
  if (returned != nullptr) PARTITA_TRY_VOID(write_attributes(out, request, *returned, encoding));
  if (reply.collection) {
    write_key_of(out, ReplyKey::kItemCollectionMetrics);
    write_collection(out, *reply.collection);
  }
  out.end();
  return {};
}

}  // namespace partita::wire::dax
