// A walk over an encoded item (model/item_codec.h) that builds nothing, for writing JSON directly from the stored form.
//
//   struct Visitor {
//     void begin_map(size_t members);
//     void name(std::string_view name);  // before each member of a map
//     void end_map();
//     void begin_list(size_t members);
//     void end_list();
//     void string(std::string_view text);
//     void number(const Number& number);
//     void binary(std::string_view bytes);
//     void boolean(bool value);
//     void null();
//     void begin_set(Type type, size_t members);  // then string(), number() or binary() for each member
//     void end_set();
//   };
//
// Strings and binaries point into the bytes. Calls come in stored order, and every begin_* has its end_*, even if the
// bytes are damaged. The walk is a template, so that the visitor is compiled into it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "model/item_format.h"
#include "model/value.h"

namespace partita::model {

// Reads the parts of an encoding one by one. The first missing part makes it fail permanently: everything read
// afterwards is empty, and ok() is false.
class ItemReader {
 public:
  explicit ItemReader(std::string_view bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  // Positioned after the version, at the DynamoDB size; failed if the version is unknown.
  static ItemReader open(std::string_view bytes) {
    ItemReader in(bytes);
    if (in.byte() != kItemVersion) in.fail(0);
    return in;
  }

  bool ok() const { return ok_; }
  // Nothing failed and nothing is left.
  bool finished() const { return ok_ && at_ == end_; }

  uint64_t varint() {
    // Almost all take one or two bytes.
    if (left() >= 2) {
      const auto first = static_cast<uint8_t>(at_[0]);
      const auto second = static_cast<uint8_t>(at_[1]);
      if (first < 0x80) return ++at_, first;
      if (second - 1U < 0x7f) return at_ += 2, static_cast<uint64_t>(second) << 7 | (first & 0x7fU);
    }
    return long_varint();
  }

  std::string_view sized() {
    const uint64_t size = varint();
    if (size > left()) return fail(std::string_view());
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

  // How many members follow. Each takes at least one byte, so a count never requires more memory than the bytes have.
  size_t count() {
    const uint64_t value = varint();
    return value <= left() ? value : fail(size_t{0});
  }

  // A reader of the members of a map, list or set. Read it to its end and give it to leave(), which notices anything
  // wrong with it.
  ItemReader enter() {
    std::string_view rest(at_, left());
    const auto length = take_u32(rest);
    const bool there = length && *length <= rest.size();
    if (there) at_ = rest.data();
    ItemReader inner(there ? bytes(*length) : fail(std::string_view()));
    inner.depth_ = depth_ + 1;
    if (inner.depth_ > kDeepest) inner.fail(0);
    return inner;
  }
  void leave(const ItemReader& inner) {
    if (!inner.finished()) fail(0);
  }

  // Names of a map are sorted and distinct.
  std::string_view name(std::string_view previous, bool first) {
    const std::string_view name = sized();
    // The first letters usually decide.
    const bool told = !previous.empty() && !name.empty() && previous[0] != name[0];
    const bool sorted = told ? static_cast<uint8_t>(previous[0]) < static_cast<uint8_t>(name[0]) : previous < name;
    return first || sorted ? name : fail(std::string_view());
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
  static constexpr int kDeepest = 256;  // far more than DynamoDB accepts; bounds the recursion on damaged bytes

  uint64_t long_varint();
  size_t left() const { return static_cast<size_t>(end_ - at_); }
  uint8_t byte() {
    if (at_ == end_) return fail(uint8_t{0});
    return static_cast<uint8_t>(*at_++);
  }
  std::string_view small() {
    const uint8_t size = byte();
    return size <= left() ? bytes(size) : fail(std::string_view());
  }
  std::string_view bytes(size_t size) {
    const std::string_view taken(at_, size);
    at_ += size;
    return taken;
  }
  template <class T>
  T fail(T nothing) {
    ok_ = false;
    at_ = end_;
    return nothing;
  }

  const char* at_;
  const char* end_;
  int depth_ = 0;
  bool ok_ = true;
};

namespace item_walk {

template <class Visitor>
void value(ItemReader& in, Visitor& visitor);

template <class Visitor>
void members(ItemReader& in, Visitor& visitor) {
  const size_t count = in.count();
  visitor.begin_map(count);
  std::string_view previous;
  for (size_t i = 0; i < count && in.ok(); ++i) {
    previous = in.name(previous, i == 0);
    if (!in.ok()) break;
    visitor.name(previous);
    value(in, visitor);
  }
  visitor.end_map();
}

template <class Visitor>
void container(ItemReader& in, Type type, Visitor& visitor) {
  if (type == Type::kM) return members(in, visitor);
  const size_t count = in.count();
  if (type == Type::kL) {
    visitor.begin_list(count);
    for (size_t i = 0; i < count && in.ok(); ++i) value(in, visitor);
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

template <class Visitor>
void value(ItemReader& in, Visitor& visitor) {
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
      ItemReader inner = in.enter();
      container(inner, type, visitor);
      in.leave(inner);
    }
  }
}

}  // namespace item_walk

// Walks the whole item, including begin_map() and end_map() of the outermost map. Errors: kCorrupt.
template <class Visitor>
Result<void> visit_item(std::string_view bytes, Visitor& visitor) {
  ItemReader in = ItemReader::open(bytes);
  if (!in.ok()) return corrupt_item();
  in.varint();
  item_walk::members(in, visitor);
  if (!in.finished()) return corrupt_item();
  return {};
}

}  // namespace partita::model
