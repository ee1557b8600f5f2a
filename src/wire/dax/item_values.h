// Items in replies: an item's values without its table's keys, as one byte string, and what goes with them. Stored
// items are walked once and not decoded. Items that have the attributes of the item before cost neither a hash nor
// memory.
//
// For one thread and one reply.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/reads.h"
#include "base/result.h"
#include "model/item_walk.h"
#include "model/key.h"
#include "wire/cbor.h"
#include "wire/dax/alike_items.h"
#include "wire/dax/key.h"
#include "wire/dax/lists.h"

namespace partita::wire::dax {

// After an error what was written is incomplete. If `missing` is not empty, it is of no use either.
class ItemValues {
 public:
  // All outlive it. `schema`: of a table.
  ItemValues(const model::KeySchema& schema, KnownLists& lists, MissingLists& missing);
  ItemValues(const ItemValues&) = delete;
  ItemValues& operator=(const ItemValues&) = delete;

  // The id of an attribute list, then the values in its order. Errors: kCorrupt; of an item that is not stored also
  // kKeySchemaMismatch if a key attribute has another type.
  Result<void> write(CborWriter& out, std::string_view stored);
  Result<void> write(CborWriter& out, const model::Item& item);
  Result<void> write(CborWriter& out, const api::FoundItem& item);

  // The key as a byte string, then the values. Errors: kCorrupt, kKeySchemaMismatch if the item has no such key.
  // The item stays where it is until the next one is written.
  Result<void> write_with_key(CborWriter& out, const api::FoundItem& item);

  // Writes items, each as an array of its key and its values, until one is unlike the one before, or `most_bytes` are
  // exceeded. Returns how many, which may be none.
  size_t write_alike_pairs(CborWriter& out, std::span<const api::FoundItem> items, size_t most_bytes) {
    return alike_.known() ? alike_.write_pairs(out, items, most_bytes) : 0;
  }

  // For UPDATED_OLD and UPDATED_NEW: the id of a list, then a map from positions in it to values.
  Result<void> write_updated(CborWriter& out, const model::Item& item);

 private:
  // A byte string that begins with the id of a list.
  struct Open {
    size_t at;
    size_t room;
  };

  Open open(CborWriter& out);
  void close(CborWriter& out, Open open);
  void begin_item();
  size_t key_at(std::string_view name) const;
  void add_name(std::string_view name);
  void add_other_name(std::string_view name);
  uint64_t list_id();
  bool take_key(size_t key, model::ItemReader& in);
  Result<void> write_members(CborWriter& out, model::ItemReader& in);

  KnownLists& lists_;
  MissingLists& missing_;
  std::array<AlikeItems::KeyName, 2> keys_;  // the partition key, then the sort key
  size_t key_count_ = 0;
  bool wants_key_ = false;

  // Of the item before.
  model::AttributeListPtr list_;  // names no key
  size_t room_ = kUsualRoom;
  static constexpr size_t kUsualRoom = 2 + kMaxCborHeadBytes;

  AlikeItems alike_;

  // Of this item.
  std::array<KeyPart, 2> parts_;
  size_t key_parts_ = 0;                   // how many were found
  const std::string* expected_ = nullptr;  // the next name if the item has those of list_
  const std::string* expected_end_ = nullptr;
  bool same_ = true;                     // all names so far are the first ones of list_
  std::vector<std::string_view> names_;  // unless same_
  CborWriter values_{0};                 // of write_with_key()
};

// What a projection left of an item: a map from the ordinals of its paths, which are the attributes' names, to values.
// Errors: kCorrupt.
Result<void> write_ordinals(CborWriter& out, const api::FoundItem& item);

// Puts `bytes` in the place of the `room` bytes at `at`, and moves what is behind them if need be.
void put_before(CborWriter& out, size_t at, size_t room, std::string_view bytes);

}  // namespace partita::wire::dax
