// GetItem, PutItem, UpdateItem, DeleteItem.
#include "expr/update.h"
#include "model/fault.h"
#include "model/limits.h"
#include "wire/dax/arguments.h"
#include "wire/dax/expression.h"
#include "wire/dax/request.h"

namespace partita::wire::dax {
namespace {

using ActionKind = api::WriteAction::Kind;

constexpr uint32_t kGetKeywords = keywords(Keyword::kProjection, Keyword::kConsistentRead, Keyword::kCapacity);
constexpr uint32_t kReplaceKeywords =
    keywords(Keyword::kCapacity, Keyword::kCondition, Keyword::kCollectionMetrics, Keyword::kReturnValues);
constexpr uint32_t kUpdateKeywords = kReplaceKeywords | mask_of(Keyword::kUpdate);

Result<void> get_request(CborReader& in, Decoding& decoding, api::GetRequest& request) {
  PARTITA_TRY(const std::string_view table, take_table(in));
  const std::string_view key = in.bytes();
  Keywords given;
  PARTITA_TRY_VOID(given.read(in, kGetKeywords));
  PARTITA_TRY_VOID(check_item_table(table, shapes::kGetItem));
  PARTITA_TRY(request.key, take_key(key, decoding.tables.find(table)));
  if (given.has(Keyword::kProjection)) {
    PARTITA_TRY(request.projection, given.projection(decoding.memory));
  }
  request.table = table;
  PARTITA_TRY(request.consistent, given.flag(Keyword::kConsistentRead, false));
  PARTITA_TRY(request.capacity, given.capacity());
  return {};
}

// The parameters that all writes of one item have, beside the condition.
Result<void> take_rest(const Keywords& given, std::string_view table, api::WriteRequest& request) {
  request.table = table;
  PARTITA_TRY(request.returned, given.returned());
  PARTITA_TRY(request.capacity, given.capacity());
  PARTITA_TRY(request.wants_collection_bytes, given.wants_collection_bytes());
  return {};
}

Result<void> take_condition(const Keywords& given, Decoding& decoding, api::WriteAction& action) {
  PARTITA_TRY(const auto bytes, given.bytes(Keyword::kCondition));
  if (!bytes) return {};
  PARTITA_TRY(action.condition, read_condition(*bytes, expr::ExpressionKind::kCondition, &decoding.memory));
  return {};
}

Result<void> take_replacement(ActionKind kind, const Shape& shape, CborReader& in, Decoding& decoding,
                              api::WriteRequest& request) {
  api::WriteAction& action = request.action;
  action.kind = kind;
  PARTITA_TRY(const std::string_view table, take_table(in));
  const std::string_view key = in.bytes();
  const std::string_view values = kind == ActionKind::kPut ? in.bytes() : std::string_view();
  Keywords given;
  PARTITA_TRY_VOID(given.read(in, kReplaceKeywords));
  PARTITA_TRY_VOID(check_item_table(table, shape));
  const model::KeySchema* const schema = decoding.tables.find(table);
  if (kind == ActionKind::kPut) {
    PARTITA_TRY_VOID(take_item(key, values, schema, decoding, action));
    if (!decoding.missing.empty()) return {};
  } else {
    PARTITA_TRY(action.key, take_key(key, schema));
  }
  PARTITA_TRY_VOID(take_rest(given, table, request));
  if (request.returned != api::ReturnValues::kNone && request.returned != api::ReturnValues::kAllOld) {
    return model::refuse(model::Fault::kReturnValuesOldOnly);
  }
  if (kind == ActionKind::kPut) PARTITA_TRY_VOID(api::check_item_size(api::named_bytes(action)));
  PARTITA_TRY_VOID(take_condition(given, decoding, action));
  action.wants_before = request.returned == api::ReturnValues::kAllOld;
  return {};
}

Result<void> put_request(CborReader& in, Decoding& decoding, api::WriteRequest& request) {
  return take_replacement(ActionKind::kPut, shapes::kPutItem, in, decoding, request);
}

Result<void> delete_request(CborReader& in, Decoding& decoding, api::WriteRequest& request) {
  return take_replacement(ActionKind::kDelete, shapes::kDeleteItem, in, decoding, request);
}

Result<void> update_request(CborReader& in, Decoding& decoding, api::WriteRequest& request) {
  api::WriteAction& action = request.action;
  action.kind = ActionKind::kUpdate;
  PARTITA_TRY(const std::string_view table, take_table(in));
  const std::string_view key = in.bytes();
  Keywords given;
  PARTITA_TRY_VOID(given.read(in, kUpdateKeywords));
  PARTITA_TRY_VOID(check_item_table(table, shapes::kUpdateItem));
  PARTITA_TRY_VOID(take_rest(given, table, request));
  PARTITA_TRY(action.key, take_key(key, decoding.tables.find(table)));
  PARTITA_TRY(const auto update, given.bytes(Keyword::kUpdate));
  if (update) {
    PARTITA_TRY(action.update, read_update(*update, &decoding.memory));
    if (expr::statement_bytes(action.update) > model::kMaxItemBytes) {
      return model::refuse(model::Fault::kItemToUpdateTooLarge);
    }
  }
  PARTITA_TRY_VOID(take_condition(given, decoding, action));
  action.wants_before = true;
  return {};
}

}  // namespace

Result<api::GetRequest> decode_get(CborReader& in, Decoding& decoding) {
  return decode_as(shapes::kGetItem, get_request, in, decoding);
}

Result<api::WriteRequest> decode_put(CborReader& in, Decoding& decoding) {
  return decode_as(shapes::kPutItem, put_request, in, decoding);
}

Result<api::WriteRequest> decode_delete(CborReader& in, Decoding& decoding) {
  return decode_as(shapes::kDeleteItem, delete_request, in, decoding);
}

Result<api::WriteRequest> decode_update(CborReader& in, Decoding& decoding) {
  return decode_as(shapes::kUpdateItem, update_request, in, decoding);
}

}  // namespace partita::wire::dax
