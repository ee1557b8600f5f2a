#include "model/item_codec.h"

#include "base/bytes.h"
#include "model/size.h"

namespace partita::model {

namespace {

constexpr uint8_t kVersion = 1;
constexpr int kDeepest = 256;  // far beyond what DynamoDB accepts; it only bounds what damaged bytes can do
constexpr size_t kLengthBytes = 4;

Error corrupt() { return Error(ErrorKind::kCorrupt, "A stored item is damaged or of a newer format."); }

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

// Takes the parts of an encoding one by one. The first part that is not there makes it fail for good: everything taken
// after that is empty, and ok() is false.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  bool ok() const { return ok_; }
  // Nothing went wrong and nothing is left.
  bool finished() const { return ok_ && rest_.empty(); }

  uint64_t varint() {
    if (!rest_.empty() && static_cast<uint8_t>(rest_[0]) < 0x80) return byte();
    const auto value = take_varint(rest_);
    return value ? *value : fail(uint64_t{0});
  }

  std::string_view sized() {
    const uint64_t size = varint();
    if (size > rest_.size()) return fail(std::string_view());
    return bytes(size);
  }

  Type type() {
    const uint8_t value = byte();
    return value <= static_cast<uint8_t>(Type::kBS) ? static_cast<Type>(value) : fail(Type::kNull);
  }

  bool boolean() {
    const uint8_t value = byte();
    return value <= 1 ? value == 1 : fail(false);
  }

  Number number() {
    const auto number = Number::from_compact(small());
    return number ? *number : fail(Number());
  }

  // How many members follow; each takes at least a byte, so that a count is never worth more memory than its bytes.
  size_t count() {
    const uint64_t value = varint();
    return value <= rest_.size() ? value : fail(size_t{0});
  }

  // What a map, a list or a set is made of. When anything is wrong with it that comes out by taking it to its end and
  // giving it to leave().
  Reader enter() {
    uint32_t size = 0;
    const auto length = take_u32(rest_);
    if (length && *length <= rest_.size()) {
      size = *length;
    } else {
      fail(0);
    }
    Reader inner(bytes(size));
    inner.depth_ = depth_ + 1;
    if (inner.depth_ > kDeepest) inner.fail(0);
    return inner;
  }
  void leave(const Reader& inner) {
    if (!inner.finished()) fail(0);
  }

  // Names of a map are sorted and distinct.
  std::string_view name(std::string_view previous, bool first) {
    const std::string_view name = sized();
    return first || previous < name ? name : fail(std::string_view());
  }

  void skip_value() {
    switch (type()) {
      case Type::kS:
      case Type::kB:
        sized();
        return;
      case Type::kN:
        small();
        return;
      case Type::kBool:
        byte();
        return;
      case Type::kNull:
        return;
      default:
        enter();
    }
  }

 private:
  uint8_t byte() {
    if (rest_.empty()) return fail(uint8_t{0});
    const auto value = static_cast<uint8_t>(rest_[0]);
    rest_.remove_prefix(1);
    return value;
  }
  std::string_view small() {
    const uint8_t size = byte();
    return size <= rest_.size() ? bytes(size) : fail(std::string_view());
  }
  std::string_view bytes(size_t size) {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  template <class T>
  T fail(T nothing) {
    ok_ = false;
    rest_ = {};
    return nothing;
  }

  std::string_view rest_;
  int depth_ = 0;
  bool ok_ = true;
};

AttributeValue build_value(Reader& in);

AttributeMap build_members(Reader& in) {
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

std::vector<std::string> build_strings(Reader& in) {
  const size_t count = in.count();
  std::vector<std::string> members;
  members.reserve(count);
  for (size_t i = 0; i < count && in.ok(); ++i) members.emplace_back(in.sized());
  return members;
}

AttributeValue build_container(Reader& in, Type type) {
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

AttributeValue build_value(Reader& in) {
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
      Reader inner = in.enter();
      AttributeValue value = build_container(inner, type);
      in.leave(inner);
      return value;
    }
  }
}

void walk_value(Reader& in, ItemVisitor& visitor);

void walk_members(Reader& in, ItemVisitor& visitor) {
  const size_t count = in.count();
  visitor.begin_map(count);
  std::string_view previous;
  for (size_t i = 0; i < count && in.ok(); ++i) {
    previous = in.name(previous, i == 0);
    if (!in.ok()) break;
    visitor.name(previous);
    walk_value(in, visitor);
  }
  visitor.end_map();
}

void walk_container(Reader& in, Type type, ItemVisitor& visitor) {
  if (type == Type::kM) return walk_members(in, visitor);
  const size_t count = in.count();
  if (type == Type::kL) {
    visitor.begin_list(count);
    for (size_t i = 0; i < count && in.ok(); ++i) walk_value(in, visitor);
    return visitor.end_list();
  }
  visitor.begin_set(type, count);
  for (size_t i = 0; i < count && in.ok(); ++i) {
    if (type == Type::kNS) {
      visitor.number(in.number());
    } else if (type == Type::kSS) {
      visitor.string(in.sized());
    } else {
      visitor.binary(in.sized());
    }
  }
  visitor.end_set();
}

void walk_value(Reader& in, ItemVisitor& visitor) {
  const Type type = in.type();
  switch (type) {
    case Type::kS:
      return visitor.string(in.sized());
    case Type::kB:
      return visitor.binary(in.sized());
    case Type::kN:
      return visitor.number(in.number());
    case Type::kBool:
      return visitor.boolean(in.boolean());
    case Type::kNull:
      return visitor.null();
    default: {
      Reader inner = in.enter();
      walk_container(inner, type, visitor);
      in.leave(inner);
    }
  }
}

// Past the version, at the DynamoDB size.
std::optional<Reader> open(std::string_view bytes) {
  if (bytes.empty() || static_cast<uint8_t>(bytes[0]) != kVersion) return std::nullopt;
  return Reader(bytes.substr(1));
}

}  // namespace

void encode_item(const Item& item, std::string& out) {
  constexpr size_t kUsualOverhead = 4;  // for each attribute, beyond what DynamoDB counts
  const size_t size = item_size(item);
  out.reserve(out.size() + size + kUsualOverhead * (item.size() + 2));
  out.push_back(static_cast<char>(kVersion));
  append_varint(out, size);
  write_members(item, out);
}

Result<Item> decode_item(std::string_view bytes) {
  auto in = open(bytes);
  if (!in) return corrupt();
  in->varint();
  Item item = build_members(*in);
  if (!in->finished()) return corrupt();
  return item;
}

Result<size_t> encoded_item_size(std::string_view bytes) {
  auto in = open(bytes);
  if (!in) return corrupt();
  const uint64_t size = in->varint();
  if (!in->ok()) return corrupt();
  return static_cast<size_t>(size);
}

Result<std::optional<AttributeValue>> decode_attribute(std::string_view bytes, std::string_view name) {
  auto in = open(bytes);
  if (!in) return corrupt();
  in->varint();
  const size_t count = in->count();
  for (size_t i = 0; i < count && in->ok(); ++i) {
    const std::string_view found = in->sized();
    if (!in->ok() || found > name) break;
    if (found == name) {
      AttributeValue value = build_value(*in);
      if (!in->ok()) return corrupt();
      return std::optional(std::move(value));
    }
    in->skip_value();
  }
  if (!in->ok()) return corrupt();
  return std::optional<AttributeValue>();
}

Result<void> visit_item(std::string_view bytes, ItemVisitor& visitor) {
  auto in = open(bytes);
  if (!in) return corrupt();
  in->varint();
  walk_members(*in, visitor);
  if (!in->finished()) return corrupt();
  return {};
}

}  // namespace partita::model
