#include "wire/dax/arguments.h"

#include <algorithm>

#include "base/bytes.h"
#include "model/fault.h"
#include "model/item_codec.h"
#include "model/item_writer.h"
#include "model/limits.h"
#include "wire/checks.h"
#include "wire/dax/expression.h"
#include "wire/dax/key.h"
#include "wire/dax/value.h"
#include "wire/name_rules.h"
#include "wire/shape_check.h"

namespace partita::wire::dax {
namespace {

using model::Fault;
using model::refuse;

constexpr std::array<std::string_view, static_cast<size_t>(Keyword::kCount)> kKeywordNames = {
    "ProjectionExpression",
    "ExpressionAttributeNames",
    "ConsistentRead",
    "ReturnConsumedCapacity",
    "ConditionExpression",
    "ExpressionAttributeValues",
    "ReturnItemCollectionMetrics",
    "ReturnValues",
    "UpdateExpression",
    "ExclusiveStartKey",
    "FilterExpression",
    "IndexName",
    "KeyConditionExpression",
    "Limit",
    "ScanIndexForward",
    "Select",
    "Segment",
    "TotalSegments",
    "RequestItems",
    "ClientRequestToken"};

constexpr uint32_t kRedundant = keywords(Keyword::kNames, Keyword::kValues);

std::string keyword_name(Keyword keyword) { return std::string(kKeywordNames[static_cast<size_t>(keyword)]); }

// What a client may send for any operation since it says nothing.
bool says_nothing(std::string_view value) {
  return value == "\xf4" || value == "\xf6" || value == std::string_view("\0", 1);  // false, null, 0
}

Error not_of_its_type(Keyword keyword) { return malformed_request(keyword_name(keyword) + " is not of its type"); }

// The names of a list that no item can have.
Result<void> check_list_names(const model::AttributeList& list) {
  for (const std::string& name : list.names) {
    if (name.empty()) return refuse(Fault::kEmptyAttributeName);
    if (name.size() > model::kMaxAttributeNameBytes) return refuse(Fault::kAttributeNameTooLong);
  }
  return {};
}

Error wrong_count() { return malformed_request("an item has more or fewer values than its attribute list has names"); }

// The names of a list are no bytes of the request: they take memory in the item and in the batch that is written.
constexpr size_t kItemCopies = 2;

// Straight to the stored form. Precondition: the names are sorted, and no key is among them.
Result<std::string> merged_item(CborReader& in, const model::AttributeList& list, const model::Item& key, size_t bytes,
                                DecodedBytes& memory) {
  size_t name_bytes = 0;
  for (const std::string& name : list.names) name_bytes += name.size() + 2;
  if (!memory.take(kItemCopies * name_bytes)) return refuse(Fault::kOverloaded);
  ValueCount count{memory};
  model::ItemWriter out(bytes + name_bytes);
  out.members(list.names.size() + key.size());
  auto next_key = key.begin();
  const auto write_keys = [&](const std::string* before) {
    for (; next_key != key.end() && (before == nullptr || next_key->name < *before); ++next_key) {
      out.name(next_key->name);
      out.value(next_key->value);
    }
  };
  for (const std::string& name : list.names) {
    write_keys(&name);
    out.name(name);
    if (in.rest().empty()) return wrong_count();
    PARTITA_TRY_VOID(copy_value(in, out, count));
  }
  write_keys(nullptr);
  return std::move(out).take();
}

Result<std::string> sorted_item(CborReader& in, const model::AttributeList& list, model::Item key,
                                DecodedBytes& memory) {
  size_t name_bytes = 0;
  for (const std::string& name : list.names) name_bytes += name.size() + sizeof(model::AttributeMap::Entry);
  if (!memory.take(kItemCopies * name_bytes)) return refuse(Fault::kOverloaded);
  ValueCount count{memory};
  std::vector<model::AttributeMap::Entry> entries;
  entries.reserve(list.names.size());
  for (const std::string& name : list.names) {
    if (in.rest().empty()) return wrong_count();
    PARTITA_TRY(model::AttributeValue value, read_value(in, Nesting::kInItem, count));
    entries.push_back({name, std::move(value)});
  }
  model::Item item = model::AttributeMap::of(std::move(entries));
  item.merge(std::move(key));
  return model::encode_item(item);
}

}  // namespace

Error malformed_request(std::string what) { return refuse(Fault::kDaxMalformed, {std::move(what)}); }

Error worded_error(Error error, const Shape& shape) {
  if (error.kind() != ErrorKind::kInvalid) return error;
  switch (model::fault_of(error)) {
    case Fault::kDaxMalformed:
    case Fault::kDaxUnsupported:
    case Fault::kKeySchemaMismatch:
    case Fault::kStartKeyInvalid:
    case Fault::kOverloaded:
      return error;
    default:
      return worded(std::move(error), shape);
  }
}

Result<void> Keywords::read(CborReader& in, uint32_t allowed) {
  if (!in.take_null()) {
    for (auto members = in.map(); in.next(members);) {
      const int64_t key = in.integer();
      const std::string_view value = in.skip();
      if (!in.ok()) return missing_arguments();
      const auto keyword = static_cast<Keyword>(key);
      if (key < 0 || key >= static_cast<int64_t>(Keyword::kCount)) {
        return refuse(Fault::kDaxUnsupported, {"Parameter " + std::to_string(key)});
      }
      if ((mask_of(keyword) & allowed) == 0) {
        if ((mask_of(keyword) & kRedundant) != 0 || says_nothing(value)) continue;
        return refuse(Fault::kDaxUnsupported, {keyword_name(keyword) + " in this operation"});
      }
      values_[static_cast<size_t>(key)] = value;
      present_ = value == "\xf6" ? present_ & ~mask_of(keyword) : present_ | mask_of(keyword);
    }
  }
  if (!in.finished()) return missing_arguments();
  return {};
}

Result<std::optional<int64_t>> Keywords::integer(Keyword keyword) const {
  std::optional<int64_t> value;
  if (!has(keyword)) return value;
  CborReader in(values_[static_cast<size_t>(keyword)]);
  value = in.integer();
  if (!in.finished()) return not_of_its_type(keyword);
  return value;
}

Result<bool> Keywords::flag(Keyword keyword, bool otherwise) const {
  if (!has(keyword)) return otherwise;
  CborReader in(values_[static_cast<size_t>(keyword)]);
  auto value = take_flag(in);
  if (!value.ok()) return not_of_its_type(keyword);
  return value;
}

Result<std::optional<std::string_view>> Keywords::bytes(Keyword keyword) const {
  std::optional<std::string_view> value;
  if (!has(keyword)) return value;
  CborReader in(values_[static_cast<size_t>(keyword)]);
  value = in.bytes();
  if (!in.finished()) return not_of_its_type(keyword);
  return value;
}

Result<std::optional<std::string_view>> Keywords::text(Keyword keyword) const {
  std::optional<std::string_view> value;
  if (!has(keyword)) return value;
  CborReader in(values_[static_cast<size_t>(keyword)]);
  value = in.peek_major() == CborMajor::kBytes ? in.bytes() : in.text();
  if (!in.finished() || !is_utf8(*value)) return not_of_its_type(keyword);
  return value;
}

template <class Value, size_t kValues>
Result<Value> Keywords::one_of(Keyword keyword, const std::array<Value, kValues>& values, int64_t first) const {
  if (!has(keyword)) return values[0];
  PARTITA_TRY(const auto number, integer(keyword));
  const int64_t position = *number - first;
  if (position >= 0 && position < static_cast<int64_t>(kValues)) return values[static_cast<size_t>(position)];
  return refuse(Fault::kDaxUnsupported, {"Value " + std::to_string(*number) + " of " + keyword_name(keyword)});
}

Result<api::CapacityDetail> Keywords::capacity() const {
  using enum api::CapacityDetail;
  return one_of(Keyword::kCapacity, std::array{kNone, kTotal, kIndexes}, 0);
}

Result<api::ReturnValues> Keywords::returned() const {
  using enum api::ReturnValues;
  return one_of(Keyword::kReturnValues, std::array{kNone, kAllOld, kUpdatedOld, kAllNew, kUpdatedNew}, 1);
}

Result<bool> Keywords::wants_collection_bytes() const {
  return one_of(Keyword::kCollectionMetrics, std::array{false, true}, 0);
}

Result<api::Select> Keywords::select() const {
  using enum api::Select;
  if (!has(Keyword::kSelect)) return kDefault;
  return one_of(Keyword::kSelect, std::array{kAllAttributes, kAllProjected, kCount, kSpecific}, 1);
}

Result<std::optional<expr::Projection>> Keywords::projection(DecodedBytes& memory) const {
  std::optional<expr::Projection> wanted;
  PARTITA_TRY(const auto given, bytes(Keyword::kProjection));
  if (given) {
    PARTITA_TRY(wanted, read_projection(*given, &memory));
  }
  return wanted;
}

Result<std::string_view> take_table(CborReader& in) {
  const std::string_view table = in.peek_major() == CborMajor::kText ? in.text() : in.bytes();
  if (!in.ok()) return missing_arguments();
  return table;
}

Result<std::optional<std::string_view>> take_optional_bytes(CborReader& in) {
  std::optional<std::string_view> bytes;
  if (in.take_null()) return bytes;
  bytes = in.bytes();
  if (!in.ok()) return missing_arguments();
  return bytes;
}

Result<bool> take_flag(CborReader& in) {
  if (in.peek_major() == CborMajor::kSimple) {
    const bool value = in.boolean();
    if (in.ok()) return value;
  } else {
    const int64_t value = in.integer();
    if (in.ok() && (value == 0 || value == 1)) return value == 1;
  }
  return missing_arguments();
}

bool is_item_table(std::string_view table) {
  return is_arn(table) ? is_utf8(table) : is_name(table) && table.size() <= static_cast<size_t>(kLongestTableName);
}

Result<void> check_parameters(JsonWriter& body, const Shape& shape) {
  auto document = JsonDocument::parse(std::move(body).take());
  if (!document.ok()) return malformed_request("a name is not UTF-8");
  return check_shape(document->root(), shape);
}

Result<void> check_item_table(std::string_view table, const Shape& shape) {
  if (is_item_table(table)) return {};
  if (!is_utf8(table)) return malformed_request("the name of a table is not UTF-8");
  JsonWriter body;
  body.begin_object();
  body.member("TableName", table);
  // Required in some operations, and not known in others.
  for (const std::string_view member : {"Key", "Item"}) {
    body.begin_object(member);
    body.end_object();
  }
  body.end_object();
  return check_parameters(body, shape);
}

Result<model::Item> take_key(std::string_view bytes, const model::KeySchema* schema) {
  if (schema == nullptr) return model::Item();
  return read_key(bytes, *schema);
}

Result<void> take_item(std::string_view key, std::string_view values, const model::KeySchema* schema,
                       Decoding& decoding, api::WriteAction& action) {
  CborReader in(values);
  const int64_t id = in.integer();
  if (!in.ok() || id <= 0) return malformed_request("the id of an attribute list is not positive");
  const model::AttributeListPtr& list = decoding.lists.find(static_cast<uint64_t>(id));
  if (list == nullptr) {
    decoding.missing.add(static_cast<uint64_t>(id));
    return {};
  }
  PARTITA_TRY(model::Item keys, take_key(key, schema));
  // A client that still knows the table by another key has the new one among the other attributes.
  for (const auto& [name, value] : keys) {
    const auto& names = list->names;
    const bool among =
        list->sorted ? std::ranges::binary_search(names, name) : std::ranges::find(names, name) != names.end();
    if (among) return refuse(Fault::kKeySchemaMismatch);
  }
  if (list->sorted) {
    PARTITA_TRY(action.item, merged_item(in, *list, keys, key.size() + values.size() + 16, decoding.memory));
  } else {
    PARTITA_TRY(action.item, sorted_item(in, *list, std::move(keys), decoding.memory));
  }
  if (!in.finished()) return wrong_count();
  return check_list_names(*list);
}

}  // namespace partita::wire::dax
