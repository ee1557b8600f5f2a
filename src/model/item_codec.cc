#include "model/item_codec.h"

#include "base/bytes.h"
#include "model/item_walk.h"
#include "model/size.h"

namespace partita::model {

namespace {

constexpr size_t kLengthBytes = 4;

// --- Writing ---

// The length of what is written from construction to close(), in front of it.
class LengthMark {
 public:
  explicit LengthMark(std::string& out) : out_(out), at_(out.size()) { out_.append(kLengthBytes, '\0'); }
  void close() {
    auto length = static_cast<uint32_t>(out_.size() - at_ - kLengthBytes);
    for (size_t i = kLengthBytes; i-- > 0; length >>= 8) out_[at_ + i] = static_cast<char>(length & 0xff);
  }

 private:
  std::string& out_;
  size_t at_;
};

void write_number(const Number& number, std::string& out) {
  const size_t at = out.size();
  out.push_back('\0');
  number.append_compact(out);
  out[at] = static_cast<char>(out.size() - at - 1);
}

void write_value(const AttributeValue& value, std::string& out);

void write_members(const AttributeMap& map, std::string& out) {
  append_varint(out, map.size());
  for (const auto& [name, value] : map) {
    append_sized(out, name);
    write_value(value, out);
  }
}

void write_container(const AttributeValue& value, std::string& out) {
  LengthMark length(out);
  if (value.is(Type::kM)) {
    write_members(value.as_map(), out);
  } else if (value.is(Type::kL)) {
    append_varint(out, value.as_list().size());
    for (const AttributeValue& member : value.as_list()) write_value(member, out);
  } else if (value.is(Type::kNS)) {
    append_varint(out, value.as_number_set().size());
    for (const Number& member : value.as_number_set()) write_number(member, out);
  } else {
    const auto& members = value.is(Type::kSS) ? value.as_string_set() : value.as_binary_set();
    append_varint(out, members.size());
    for (const std::string& member : members) append_sized(out, member);
  }
  length.close();
}

void write_value(const AttributeValue& value, std::string& out) {
  out.push_back(static_cast<char>(value.type()));
  switch (value.type()) {
    case Type::kS:
    case Type::kB:
      return append_sized(out, value.as_bytes());
    case Type::kN:
      return write_number(value.as_number(), out);
    case Type::kBool:
      return out.push_back(value.as_bool() ? 1 : 0);
    case Type::kNull:
      return;
    default:
      return write_container(value, out);
  }
}

// --- Reading ---

AttributeValue build_value(ItemReader& in);

AttributeMap build_members(ItemReader& in) {
  AttributeMap map;
  const size_t count = in.count();
  map.reserve(count);
  std::string_view previous;
  for (size_t i = 0; i < count && in.ok(); ++i) {
    previous = in.name(previous, i == 0);
    if (!in.ok()) break;
    map.set(std::string(previous), build_value(in));
  }
  return map;
}

std::vector<std::string> build_strings(ItemReader& in) {
  const size_t count = in.count();
  std::vector<std::string> members;
  members.reserve(count);
  for (size_t i = 0; i < count && in.ok(); ++i) members.emplace_back(in.sized());
  return members;
}

AttributeValue build_container(ItemReader& in, Type type) {
  switch (type) {
    case Type::kM:
      return AttributeValue::map(build_members(in));
    case Type::kSS:
      return AttributeValue::string_set(build_strings(in));
    case Type::kBS:
      return AttributeValue::binary_set(build_strings(in));
    default:
      break;
  }
  const size_t count = in.count();
  if (type == Type::kNS) {
    std::vector<Number> members;
    members.reserve(count);
    for (size_t i = 0; i < count && in.ok(); ++i) members.push_back(in.number());
    return AttributeValue::number_set(std::move(members));
  }
  AttributeValue::List members;
  members.reserve(count);
  for (size_t i = 0; i < count && in.ok(); ++i) members.push_back(build_value(in));
  return AttributeValue::list(std::move(members));
}

AttributeValue build_value(ItemReader& in) {
  const Type type = in.type();
  switch (type) {
    case Type::kS:
      return AttributeValue::string(std::string(in.sized()));
    case Type::kB:
      return AttributeValue::binary(std::string(in.sized()));
    case Type::kN:
      return AttributeValue::number(in.number());
    case Type::kBool:
      return AttributeValue::boolean(in.boolean());
    case Type::kNull:
      return AttributeValue::null();
    default: {
      ItemReader inner = in.enter();
      AttributeValue value = build_container(inner, type);
      in.leave(inner);
      return value;
    }
  }
}

}  // namespace

uint64_t ItemReader::long_varint() {
  std::string_view rest(at_, left());
  const auto value = take_varint(rest);
  if (!value) return fail(uint64_t{0});
  at_ = rest.data();
  return *value;
}

Error corrupt_item() { return Error(ErrorKind::kCorrupt, "A stored item is damaged or of a newer format."); }

void encode_item(const Item& item, std::string& out) {
  constexpr size_t kUsualOverhead = 4;  // for each attribute, beyond what DynamoDB counts
  const size_t size = item_size(item);
  out.reserve(out.size() + size + kUsualOverhead * (item.size() + 2));
  out.push_back(static_cast<char>(kItemVersion));
  append_varint(out, size);
  write_members(item, out);
}

Result<Item> decode_item(std::string_view bytes) {
  ItemReader in = ItemReader::open(bytes);
  in.varint();
  Item item = build_members(in);
  if (!in.finished()) return corrupt_item();
  return item;
}

Result<size_t> encoded_item_size(std::string_view bytes) {
  ItemReader in = ItemReader::open(bytes);
  const uint64_t size = in.varint();
  if (!in.ok()) return corrupt_item();
  return static_cast<size_t>(size);
}

Result<std::optional<AttributeValue>> decode_attribute(std::string_view bytes, std::string_view name) {
  ItemReader in = ItemReader::open(bytes);
  in.varint();
  const size_t count = in.count();
  for (size_t i = 0; i < count && in.ok(); ++i) {
    const std::string_view found = in.sized();
    if (!in.ok() || found > name) break;
    if (found == name) {
      AttributeValue value = build_value(in);
      if (!in.ok()) return corrupt_item();
      return std::optional(std::move(value));
    }
    in.skip_value();
  }
  if (!in.ok()) return corrupt_item();
  return std::optional<AttributeValue>();
}

}  // namespace partita::model
