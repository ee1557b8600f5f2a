#include "model/item_codec.h"

#include <utility>

#include "base/bytes.h"
#include "model/item_walk.h"
#include "model/item_writer.h"

namespace partita::model {

namespace {

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

std::string encode_item(const Item& item) {
  constexpr size_t kUsualBytes = 64;  // of an attribute
  ItemWriter out(kUsualBytes * (item.size() + 1));
  out.members(item.size());
  out.map(item);
  return std::move(out).take();
}

Result<Item> decode_item(std::string_view bytes) {
  ItemReader in = ItemReader::open(bytes);
  in.varint();
  Item item = build_members(in);
  if (!in.finished()) return corrupt_item();
  return item;
}

Result<Item> decode_attributes(std::string_view bytes, std::span<const std::string> names) {
  ItemReader in = ItemReader::open(bytes);
  in.varint();
  Item item;
  const size_t count = in.count();
  for (size_t i = 0; i < count && in.ok() && !names.empty(); ++i) {
    const std::string_view name = in.sized();
    while (!names.empty() && names.front() < name) names = names.subspan(1);
    if (!names.empty() && names.front() == name) {
      item.set(std::string(name), build_value(in));
    } else {
      in.skip_value();
    }
  }
  if (!in.ok()) return corrupt_item();
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
