#include "sinks/search_document.h"

#include <algorithm>
#include <array>

#include "auth/sha256.h"
#include "base/bytes.h"
#include "base/check.h"

namespace partita::sinks {

namespace {

using model::AttributeValue;
using model::Number;
using model::Type;

constexpr std::string_view kHashed = "sha256:";

void append_key_text(std::string& out, const AttributeValue& key) {
  if (key.is(Type::kS)) {
    out += key.as_string();
  } else if (key.is(Type::kN)) {
    out += key.as_number().to_string();
  } else {
    append_base64(out, key.as_binary());
  }
}

void write_digits(wire::JsonWriter& json, const Number& number) {
  std::array<char, Number::kMaxTextBytes> digits;
  const char* const end = number.write_to(digits.data());
  json.raw({digits.data(), static_cast<size_t>(end - digits.data())});
}

// As deep as items nest: 32 levels.
void write_search_value(wire::JsonWriter& json, const AttributeValue& value) {
  const auto write_array = [&json](const auto& members, const auto& write) {
    json.begin_array();
    for (const auto& member : members) write(member);
    json.end_array();
  };
  switch (value.type()) {
    case Type::kS:
      return json.string(value.as_string());
    case Type::kN:
      return write_digits(json, value.as_number());
    case Type::kB:
      return json.base64(value.as_binary());
    case Type::kBool:
      return json.boolean(value.as_bool());
    case Type::kNull:
      return json.null();
    case Type::kM:
      return write_search_object(json, value.as_map(), {});
    case Type::kL:
      return write_array(value.as_list(), [&](const AttributeValue& each) { write_search_value(json, each); });
    case Type::kSS:
      return write_array(value.as_string_set(), [&](const std::string& each) { json.string(each); });
    case Type::kNS:
      return write_array(value.as_number_set(), [&](const Number& each) { write_digits(json, each); });
    case Type::kBS:
      return write_array(value.as_binary_set(), [&](const std::string& each) { json.base64(each); });
  }
}

}  // namespace

std::string search_id(std::span<const AttributeValue> keys) {
  PARTITA_CHECK(keys.size() == 1 || keys.size() == 2);
  std::string id;
  append_key_text(id, keys.front());
  if (keys.size() == 2) {
    id = std::to_string(id.size()) + ":" + id + "|";
    append_key_text(id, keys.back());
  }
  if (id.size() <= kMaxDocumentIdBytes && !id.starts_with(kHashed)) return id;
  std::string hashed(kHashed);
  auth::append_hex(hashed, auth::sha256(id));
  return hashed;
}

Result<std::string> search_id_of(const model::KeySchema& schema, std::string_view stored_key) {
  if (model::take_row_place(stored_key)) {
    auto values = model::take_key_values(schema.partition, stored_key);
    auto sort = model::take_key_values(schema.sort, stored_key);
    if (values && sort && stored_key.empty()) {
      std::ranges::move(*sort, std::back_inserter(*values));
      return search_id(*values);
    }
  }
  return Error(ErrorKind::kCorrupt, "A sink was given a key that is none of its table.");
}

void write_search_object(wire::JsonWriter& json, const model::Item& item, std::span<const std::string> fields) {
  json.begin_object();
  for (const auto& [name, value] : item) {
    if (!fields.empty() && std::ranges::find(fields, name) == fields.end()) continue;
    json.key(name);
    write_search_value(json, value);
  }
  json.end_object();
}

}  // namespace partita::sinks
