// Bodies of requests: the first byte names the operation ('a' is the first of the list), the rest is the body. What
// passes the check of its shape must be as that check promises, and every item in it must survive being written.
#include <array>
#include <string>

#include "input.h"
#include "model/fault.h"
#include "model/item_codec.h"
#include "wire/error_body.h"
#include "wire/item_reader.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"
#include "wire/shape_check.h"
#include "wire/type_check.h"

namespace partita::fuzz {
namespace {

using model::AttributeValue;
using model::Item;
using wire::JsonDocument;
using wire::JsonValue;
using wire::JsonWriter;
using wire::Shape;
using wire::ShapeKind;
namespace shapes = wire::shapes;

constexpr std::array kShapes = {
    &shapes::kBatchGetItem,
    &shapes::kBatchWriteItem,
    &shapes::kCreateTable,
    &shapes::kDeleteItem,
    &shapes::kDeleteTable,
    &shapes::kDescribeTable,
    &shapes::kGetItem,
    &shapes::kListTables,
    &shapes::kPutItem,
    &shapes::kQuery,
    &shapes::kScan,
    &shapes::kTransactGetItems,
    &shapes::kUpdateItem,
    &shapes::kUpdateTable,
    &shapes::kTransactWriteItems,
    &shapes::kDeleteResourcePolicy,
    &shapes::kDescribeContinuousBackups,
    &shapes::kDescribeContributorInsights,
    &shapes::kDescribeEndpoints,
    &shapes::kDescribeKinesisStreamingDestination,
    &shapes::kDescribeLimits,
    &shapes::kGetResourcePolicy,
    &shapes::kListContributorInsights,
    &shapes::kListTagsOfResource,
    &shapes::kPutResourcePolicy,
    &shapes::kTagResource,
    &shapes::kUntagResource,
    &shapes::kEnableKinesisStreamingDestination,
    &shapes::kDisableKinesisStreamingDestination,
    &shapes::kUpdateContributorInsights,
    &shapes::kUpdateKinesisStreamingDestination,
    &shapes::kDescribeTimeToLive,
    &shapes::kUpdateTimeToLive,
    &shapes::kSearchVectors,
};

void check_refusal(const Error& error) {
  PARTITA_CHECK(error.kind() == ErrorKind::kInvalid);
  const wire::ErrorReply reply = wire::render(error);
  PARTITA_CHECK(reply.status == 400 && JsonDocument::parse(reply.body).ok());
}

void check_decoded(const Item& item) {
  JsonWriter json;
  json.write_item(item);
  const std::string text = std::move(json).take();
  const Result<JsonDocument> document = JsonDocument::parse(text);
  PARTITA_CHECK(document.ok());
  const Result<Item> again = wire::decode_item(document.value().root());
  PARTITA_CHECK(again.ok() && again.value() == item);

  const std::string stored = model::encode_item(item);
  JsonWriter from_stored;
  PARTITA_CHECK(from_stored.write_encoded_item(stored).ok());
  PARTITA_CHECK(std::move(from_stored).take() == text);
}

void check_value(const JsonValue& json) {
  const Result<AttributeValue> value = wire::decode_value(json);
  if (!value.ok()) {
    PARTITA_CHECK(model::fault_of(value.error()) != model::Fault::kSerialization);
    return check_refusal(value.error());
  }
  Item item;
  item.set("v", value.value());
  check_decoded(item);
}

// Reads everything as the handlers may once the shape has been checked.
void walk(const JsonValue& json, const Shape& shape) {
  if (!json.present()) return;
  switch (shape.kind) {
    case ShapeKind::kStructure:
      for (const wire::Member& member : shape.members) walk(json.get(member.name), *member.shape);
      return;
    case ShapeKind::kList:
      for (const JsonValue element : json.elements()) walk(element, *shape.element);
      return;
    case ShapeKind::kMap:
      for (const auto [name, value] : json.members()) walk(value, *shape.element);
      return;
    case ShapeKind::kString:
    case ShapeKind::kBlob:
      static_cast<void>(json.as_string());
      return;
    case ShapeKind::kInteger:
    case ShapeKind::kLong:
      static_cast<void>(json.as_integer());
      return;
    case ShapeKind::kDouble:
      static_cast<void>(json.as_double());
      return;
    case ShapeKind::kBoolean:
      static_cast<void>(wire::truth(json));
      return;
    case ShapeKind::kAttributeValue:
      return check_value(json);
  }
}

void check_body(const Shape& shape, std::string_view body) {
  const Result<JsonDocument> document = JsonDocument::parse(body);
  if (!document.ok()) return check_refusal(document.error());
  const JsonValue root = document.value().root();
  const Result<Item> as_item = wire::decode_item(root);
  const Result<std::string> encoded = wire::decode_encoded_item(root);
  PARTITA_CHECK(as_item.ok() == encoded.ok());
  if (as_item.ok()) {
    PARTITA_CHECK(model::encode_item(as_item.value()) == encoded.value());
    check_decoded(as_item.value());
  } else {
    PARTITA_CHECK(wire::render(as_item.error()).body == wire::render(encoded.error()).body);
    check_refusal(as_item.error());
  }
  const Result<void> checked = wire::check_shape(root, shape);
  if (!checked.ok()) return check_refusal(checked.error());
  walk(root, shape);
}

}  // namespace
}  // namespace partita::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  partita::fuzz::Input in(data, size);
  const uint8_t operation = in.byte();
  const size_t count = partita::fuzz::kShapes.size();
  partita::fuzz::check_body(*partita::fuzz::kShapes[(operation + count * 7 - 'a') % count], in.rest());
  return 0;
}
