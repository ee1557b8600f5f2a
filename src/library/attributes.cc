#include "library/attributes.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "model/item_walk.h"
#include "model/limits.h"

namespace partita::library {

namespace {

using model::AttributeMap;
using model::AttributeValue;
using model::Number;
using model::Type;

// The index is the number of the type in partita.h. No type has the number 0.
constexpr std::array kTypes = {Type::kNull, Type::kS,  Type::kN,  Type::kB, Type::kBool, Type::kNull,
                               Type::kSS,   Type::kNS, Type::kBS, Type::kL, Type::kM};

// Deeper ones are refused by DynamoDB with its own text, up to this.
constexpr int kDeepest = 4 * model::kMaxNestingDepth;
// As many as the largest body has bytes for.
constexpr size_t kMostAttributes = size_t{2} << 20;
constexpr size_t kMostBytes = size_t{16} << 20;

std::string_view view(const char* bytes, size_t size) {
  return size == 0 ? std::string_view() : std::string_view(bytes, size);
}
std::string_view data_of(const partita_attribute& one) { return view(one.data, one.length); }
std::string_view name_of(const partita_attribute& one) { return view(one.name, one.name_length); }

uint32_t member_type(uint32_t set) { return set - PARTITA_STRING_SET + PARTITA_STRING; }
bool is_set(uint32_t type) { return type >= PARTITA_STRING_SET && type <= PARTITA_BINARY_SET; }
bool is_container(uint32_t type) { return type >= PARTITA_STRING_SET && type <= PARTITA_MAP; }

class SoundnessCheck {
 public:
  bool are_sound(const partita_attribute* attributes, size_t count, int depth, bool named) {
    if (depth > kDeepest || count > left_ || (attributes == nullptr && count > 0)) return false;
    left_ -= count;
    const auto sound = [&](const partita_attribute& one) { return is_sound(one, depth, named); };
    return std::all_of(attributes, attributes + count, sound);
  }

 private:
  bool takes(const char* bytes, size_t size) {
    if (size > bytes_left_ || (bytes == nullptr && size > 0)) return false;
    bytes_left_ -= size;
    return true;
  }
  bool is_text(const char* bytes, size_t size) { return takes(bytes, size) && is_utf8(view(bytes, size)); }

  bool is_sound(const partita_attribute& one, int depth, bool named) {
    if (one.reserved != 0 || (named ? !is_text(one.name, one.name_length) : one.name_length != 0)) return false;
    switch (one.type) {
      case PARTITA_STRING:
      case PARTITA_NUMBER:
        return is_text(one.data, one.length);
      case PARTITA_BINARY:
        return takes(one.data, one.length);
      case PARTITA_BOOLEAN:
        return one.count <= 1;
      case PARTITA_NULL:
        return true;
      case PARTITA_LIST:
      case PARTITA_MAP:
        return are_sound(one.elements, one.count, depth + 1, one.type == PARTITA_MAP);
      default:
        return is_set(one.type) && is_sound_set(one, depth);
    }
  }
  bool is_sound_set(const partita_attribute& set, int depth) {
    if (!are_sound(set.elements, set.count, depth + 1, false)) return false;
    const auto fits = [&](const partita_attribute& one) { return one.type == member_type(set.type); };
    return std::all_of(set.elements, set.elements + set.count, fits);
  }

  size_t left_ = kMostAttributes;
  size_t bytes_left_ = kMostBytes;
};

// False: DynamoDB may refuse the value.
bool read(const partita_attribute& from, int depth, AttributeValue& out);

bool read_map(const partita_attribute* attributes, size_t count, int depth, AttributeMap& out) {
  std::vector<AttributeMap::Entry> entries(count);
  for (size_t i = 0; i < count; ++i) {
    const std::string_view name = name_of(attributes[i]);
    if (name.empty() || name.size() > model::kMaxAttributeNameBytes) return false;
    entries[i].name = name;
    if (!read(attributes[i], depth, entries[i].value)) return false;
  }
  out = AttributeMap::of(std::move(entries));
  return out.size() == count;
}

bool read_set(const partita_attribute& from, AttributeValue& out) {
  if (from.count == 0) return false;
  if (from.type == PARTITA_NUMBER_SET) {
    std::vector<Number> members;
    for (size_t i = 0; i < from.count; ++i) {
      const auto number = Number::parse(data_of(from.elements[i]));
      if (!number.ok()) return false;
      members.push_back(*number);
    }
    out = AttributeValue::number_set(std::move(members));
    return out.as_number_set().size() == from.count;
  }
  std::vector<std::string> members;
  for (size_t i = 0; i < from.count; ++i) members.emplace_back(data_of(from.elements[i]));
  if (from.type == PARTITA_STRING_SET) {
    out = AttributeValue::string_set(std::move(members));
    return out.as_string_set().size() == from.count;
  }
  out = AttributeValue::binary_set(std::move(members));
  return out.as_binary_set().size() == from.count;
}

bool read_list(const partita_attribute& from, int depth, AttributeValue& out) {
  AttributeValue::List members(from.count);
  for (size_t i = 0; i < from.count; ++i) {
    if (!read(from.elements[i], depth, members[i])) return false;
  }
  out = AttributeValue::list(std::move(members));
  return true;
}

bool read_number(const partita_attribute& from, AttributeValue& out) {
  const auto number = Number::parse(data_of(from));
  if (number.ok()) out = AttributeValue::number(*number);
  return number.ok();
}

bool read(const partita_attribute& from, int depth, AttributeValue& out) {
  if (depth >= model::kMaxNestingDepth) return false;
  switch (from.type) {
    case PARTITA_STRING:
      out = AttributeValue::string(std::string(data_of(from)));
      return true;
    case PARTITA_NUMBER:
      return read_number(from, out);
    case PARTITA_BINARY:
      out = AttributeValue::binary(std::string(data_of(from)));
      return true;
    case PARTITA_BOOLEAN:
      out = AttributeValue::boolean(from.count == 1);
      return true;
    case PARTITA_NULL:
      return true;
    case PARTITA_LIST:
      return read_list(from, depth + 1, out);
    case PARTITA_MAP: {
      AttributeMap map;
      const bool is_read = read_map(from.elements, from.count, depth + 1, map);
      out = AttributeValue::map(std::move(map));
      return is_read;
    }
    default:
      return read_set(from, out);
  }
}

void write_data(wire::JsonWriter& json, const partita_attribute& one) {
  if (one.type == PARTITA_BINARY) return json.base64(data_of(one));
  json.string(data_of(one));
}

void write_value(wire::JsonWriter& json, const partita_attribute& one) {
  json.begin_object();
  json.key(model::type_name(kTypes[one.type]));
  if (one.type == PARTITA_MAP) {
    write_attributes(json, one.elements, one.count);
  } else if (is_container(one.type)) {
    json.begin_array();
    for (size_t i = 0; i < one.count; ++i) {
      if (one.type == PARTITA_LIST) {
        write_value(json, one.elements[i]);
      } else {
        write_data(json, one.elements[i]);
      }
    }
    json.end_array();
  } else if (one.type == PARTITA_BOOLEAN || one.type == PARTITA_NULL) {
    json.boolean(one.type == PARTITA_NULL || one.count == 1);
  } else {
    write_data(json, one);
  }
  json.end_object();
}

}  // namespace

bool are_sound(const partita_attribute* attributes, size_t count) {
  return SoundnessCheck().are_sound(attributes, count, 0, true);
}

std::optional<model::Item> read_attributes(const partita_attribute* attributes, size_t count) {
  std::optional<model::Item> item(std::in_place);
  if (!read_map(attributes, count, 0, *item)) item.reset();
  return item;
}

void write_attributes(wire::JsonWriter& json, const partita_attribute* attributes, size_t count) {
  json.begin_object();
  for (size_t i = 0; i < count; ++i) {
    json.key(name_of(attributes[i]));
    write_value(json, attributes[i]);
  }
  json.end_object();
}

// A visitor of item_walk.h.
class ItemAttributes::Builder {
 public:
  explicit Builder(ItemAttributes& out) : out_(out) { outer_.reserve(kUsualDepth); }

  void begin_map(size_t members) {
    if (next_ != nullptr) return begin(PARTITA_MAP, members);
    partita_attribute* const first = allocate(members);
    out_.first_ = first;
    out_.count_ = static_cast<uint32_t>(members);
    outer_.push_back(nullptr);
    next_ = first;
  }
  void name(std::string_view name) { name_ = name; }
  void end_map() { end(); }
  void begin_list(size_t members) { begin(PARTITA_LIST, members); }
  void end_list() { end(); }
  void string(std::string_view text) { add(PARTITA_STRING, text); }
  void number(const Number& number) {
    std::array<char, Number::kMaxTextBytes> text;
    const auto size = static_cast<size_t>(number.write_to(text.data()) - text.data());
    char* const kept = static_cast<char*>(out_.memory_.allocate(size, 1));
    std::copy_n(text.data(), size, kept);
    add(PARTITA_NUMBER, {kept, size});
  }
  void binary(std::string_view bytes) { add(PARTITA_BINARY, bytes); }
  void boolean(bool value) { add(PARTITA_BOOLEAN, {}).count = value ? 1 : 0; }
  void null() { add(PARTITA_NULL, {}); }
  void begin_set(Type type, size_t members) {
    begin(type == Type::kSS   ? PARTITA_STRING_SET
          : type == Type::kNS ? PARTITA_NUMBER_SET
                              : PARTITA_BINARY_SET,
          members);
  }
  void end_set() { end(); }

 private:
  static constexpr size_t kUsualDepth = 8;

  partita_attribute* allocate(size_t count) {
    return static_cast<partita_attribute*>(
        out_.memory_.allocate(count * sizeof(partita_attribute), alignof(partita_attribute)));
  }
  partita_attribute& add(uint32_t type, std::string_view data) {
    *next_ = {.type = type,
              .reserved = 0,
              .name = name_.data(),
              .name_length = name_.size(),
              .data = data.data(),
              .length = data.size(),
              .elements = nullptr,
              .count = 0};
    name_ = {};
    return *next_++;
  }
  void begin(uint32_t type, size_t members) {
    partita_attribute& container = add(type, {});
    partita_attribute* const elements = allocate(members);
    container.elements = elements;
    container.count = members;
    outer_.push_back(next_);
    next_ = elements;
  }
  void end() {
    next_ = outer_.back();
    outer_.pop_back();
  }

  ItemAttributes& out_;
  partita_attribute* next_ = nullptr;      // where the next value goes
  std::vector<partita_attribute*> outer_;  // the same of the containers around it
  std::string_view name_;                  // of the next value
};

Result<std::unique_ptr<ItemAttributes>> ItemAttributes::make(std::string_view stored) {
  std::unique_ptr<ItemAttributes> made(new ItemAttributes);
  char* const kept = static_cast<char*>(made->memory_.allocate(std::max<size_t>(stored.size(), 1), 1));
  std::copy(stored.begin(), stored.end(), kept);
  Builder builder(*made);
  PARTITA_TRY_VOID(model::visit_item({kept, stored.size()}, builder));
  return made;
}

}  // namespace partita::library
