// Writes one item in the format of docs/formats/items.md, front to back. All stored items are written by it.
//
//   ItemWriter out(64);
//   out.members(2);
//   out.name("a");
//   out.string("xy");
//   out.name("b");
//   const auto list = out.begin(Type::kL, 1);
//   out.boolean(true);
//   out.end(list);
//   const std::string stored = std::move(out).take();
//
// The caller writes as many members as it announced, names of a map in byte order and distinct. This is not checked.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "model/value.h"

namespace partita::model {

class ItemWriter {
 public:
  explicit ItemWriter(size_t expected_bytes);
  ItemWriter(const ItemWriter&) = delete;
  ItemWriter& operator=(const ItemWriter&) = delete;

  // The number of attributes of the item. Call this first.
  void members(size_t count) {
    ensure(kMaxVarintBytes);
    varint(count);
  }
  void name(std::string_view name) {
    ensure(kMaxVarintBytes + name.size());
    sized(name);
  }

  void string(std::string_view text) { sized(Type::kS, text); }  // UTF-8
  void binary(std::string_view bytes) { sized(Type::kB, bytes); }
  void number(const Number& number) {
    byte(static_cast<char>(Type::kN));
    compact(number);
  }
  void boolean(bool value) {
    byte(static_cast<char>(Type::kBool));
    byte(value ? 1 : 0);
    ++size_;
  }
  void null() {
    byte(static_cast<char>(Type::kNull));
    ++size_;
  }
  void value(const AttributeValue& value);
  // Names and values.
  void map(const AttributeMap& map);

  // A map or a list: begin(), then its members, then end().
  struct Container {
    size_t at;
  };
  Container begin(Type type, size_t count);
  void end(Container container);

  // Where the next name or value begins.
  size_t position() const { return static_cast<size_t>(next_ - bytes_.data()); }
  // For members whose names come unsorted: the parts, each a name with its value, are put into the order of `parts`.
  // Together they are all that was written since the first of them.
  struct Part {
    size_t begin;
    size_t end;
  };
  void reorder(std::span<const Part> parts);

  std::string take() &&;

 private:
  static constexpr size_t kMaxVarintBytes = 10;
  static constexpr size_t kLengthBytes = 4;
  // The encoded length of almost all item sizes. The size is known only at the end.
  static constexpr size_t kUsualSizeBytes = 2;

  void ensure(size_t bytes) {
    if (static_cast<size_t>(end_ - next_) < bytes) grow(bytes);
  }
  void grow(size_t bytes);
  // Precondition of these three: ensure().
  void put(char c) { *next_++ = c; }
  void varint(uint64_t value) { next_ = write_varint(next_, value); }
  void sized(std::string_view bytes) {
    varint(bytes.size());
    std::memcpy(next_, bytes.data(), bytes.size());
    next_ += bytes.size();
    size_ += bytes.size();
  }
  void sized(Type type, std::string_view bytes) {
    ensure(1 + kMaxVarintBytes + bytes.size());
    put(static_cast<char>(type));
    sized(bytes);
  }
  void byte(char c) {
    ensure(1);
    put(c);
  }
  void compact(const Number& number);
  Container open(Type type, size_t count);
  void set(const AttributeValue& value);

  static char* write_varint(char* out, uint64_t value) {
    for (; value >= 0x80; value >>= 7) *out++ = static_cast<char>(value | 0x80);
    *out++ = static_cast<char>(value);
    return out;
  }

  std::string bytes_;
  char* next_;
  char* end_;
  size_t size_ = 0;  // as DynamoDB counts it
};

}  // namespace partita::model
