// Items that have the attributes of an item before them, with the same types. They are compared with it as they are
// stored, and their values are copied into the reply: nothing is decoded but numbers.
//
//   if (alike.known() && alike.write(out, stored)) ...
//
// For one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "api/reads.h"
#include "model/value.h"
#include "wire/cbor.h"

namespace partita::wire::dax {

class AlikeItems {
 public:
  struct KeyName {
    std::string_view name;
    model::Type type = model::Type::kS;
  };

  // Compares the items that follow with this one, which has all `keys`: one or two. `list_id`: of the list of its other
  // attributes. It must stay where it is. Not known() afterwards: it has a value with members, or too many attributes.
  void learn(std::string_view stored, uint64_t list_id, std::span<const KeyName> keys);
  void forget() { count_ = 0; }
  bool known() const { return count_ != 0; }

  // The key as a byte string, then the other values as one, which begins with the id of their list. False: the item is
  // not alike, or damaged; nothing was written. Precondition: known().
  bool write(CborWriter& out, std::string_view stored);
  // Items, each as an array of both, until one is not alike or is not a view, or `most_bytes` are exceeded. Returns how
  // many. Precondition: known().
  size_t write_pairs(CborWriter& out, std::span<const api::FoundItem> items, size_t most_bytes);

 private:
  static constexpr size_t kMostAttributes = 16;
  static constexpr size_t kKeys = 2;        // the places of keys are before those of values
  static constexpr size_t kWordBytes = 16;  // of heads that are compared as two words

  // Of an attribute, before its value.
  struct Head {
    uint64_t low, high;            // its first bytes,
    uint64_t low_mask, high_mask;  // as far as it goes
    const char* bytes;             // name and type
    uint32_t size;
    uint8_t place;  // of the value
    model::Type type;
  };
  struct Value {
    const char* at;
    size_t size;
    std::string_view bytes() const { return {at, size}; }
  };
  using Values = std::array<Value, kKeys + kMostAttributes>;

  static bool same_head(const Head& head, const char* at, const char* end);
  static const char* take_varint(const char* at, const char* end, size_t& value);
  static const char* take_value(const char* at, const char* end, model::Type type, Value& value);
  bool take(std::string_view stored, Values& values) const;
  char* write_key(char* out, Values& values, const char* readable) const;
  size_t room_for(std::string_view stored) const { return stored.size() + room_; }
  char* write_item(char* out, std::string_view stored);

  std::array<Head, kMostAttributes> heads_;
  std::array<model::Type, kKeys + kMostAttributes> types_;  // by place
  size_t count_ = 0;
  size_t places_ = 0;
  bool has_sort_ = false;
  std::array<char, 2 * kMaxCborHeadBytes> id_{};  // of the list, with its head
  size_t id_bytes_ = 0;
  size_t size_room_ = 1;  // of the head in front of it
  size_t room_ = 0;
};

}  // namespace partita::wire::dax
