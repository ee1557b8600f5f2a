#include "wire/dax/alike_items.h"

#include <algorithm>
#include <cstring>

#include "model/item_format.h"
#include "model/number.h"
#include "wire/dax/lex_decimal.h"
#include "wire/dax/number.h"

namespace partita::wire::dax {

using model::Type;

namespace {

// Types up to this one have no members.
constexpr auto kLastSimple = Type::kNull;

constexpr size_t kChunk = 16;

// Writes up to kChunk bytes, which must have room. `readable`: the end of what may be read behind the value.
[[gnu::always_inline]] inline char* copy_short(char* out, std::string_view value, const char* readable) {
  if (value.size() <= kChunk && static_cast<size_t>(readable - value.data()) >= kChunk) {
    std::memcpy(out, value.data(), kChunk);
  } else {
    std::memcpy(out, value.data(), value.size());
  }
  return out + value.size();
}

// write_cbor_head() of a string's size, in place.
[[gnu::always_inline]] inline char* write_head(char* out, CborMajor major, size_t size) {
  const auto bits = static_cast<unsigned>(major) << 5;
  if (size < 24) {
    *out = static_cast<char>(bits | size);
    return out + 1;
  }
  if (size <= UINT8_MAX) {
    out[0] = static_cast<char>(bits | 24);
    out[1] = static_cast<char>(size);
    return out + 2;
  }
  if (size > UINT16_MAX) return write_cbor_head(out, major, size);
  out[0] = static_cast<char>(bits | 25);
  out[1] = static_cast<char>(size >> 8);
  out[2] = static_cast<char>(size);
  return out + 3;
}

[[gnu::always_inline]] inline size_t head_size(size_t size) {
  return size < 24 ? 1 : size <= UINT8_MAX ? 2 : size <= UINT16_MAX ? 3 : cbor_head_size(size);
}

[[gnu::always_inline]] inline char* write_value_of(char* out, Type type, std::string_view value, const char* readable) {
  if (type == Type::kS || type == Type::kB) {
    out = write_head(out, type == Type::kS ? CborMajor::kText : CborMajor::kBytes, value.size());
    return copy_short(out, value, readable);
  }
  if (type == Type::kN) {
    const auto number = model::Number::from_compact(value);
    return number ? write_number(out, *number) : nullptr;
  }
  if (type == Type::kBool && static_cast<uint8_t>(value[0]) > 1) return nullptr;
  const uint8_t low = type == Type::kNull ? kCborNull : value[0] != 0 ? kCborTrue : kCborFalse;
  return write_cbor_head(out, CborMajor::kSimple, low);
}

uint64_t mask_of(size_t bytes) { return bytes >= sizeof(uint64_t) ? ~uint64_t{0} : (uint64_t{1} << 8 * bytes) - 1; }

}  // namespace

[[gnu::always_inline]] inline bool AlikeItems::same_head(const Head& head, const char* at, const char* end) {
  static_assert(std::endian::native == std::endian::little);
  const auto left = static_cast<size_t>(end - at);
  if (left < kWordBytes) return left >= head.size && std::memcmp(at, head.bytes, head.size) == 0;
  uint64_t low;
  uint64_t high;
  std::memcpy(&low, at, sizeof low);
  std::memcpy(&high, at + sizeof low, sizeof high);
  if ((((low ^ head.low) & head.low_mask) | ((high ^ head.high) & head.high_mask)) != 0) return false;
  return head.size <= kWordBytes || (left >= head.size && std::memcmp(at, head.bytes, head.size) == 0);
}

// Null: it is longer than two bytes, or damaged.
[[gnu::always_inline]] inline const char* AlikeItems::take_varint(const char* at, const char* end, size_t& value) {
  if (at == end) return nullptr;
  const size_t first = static_cast<uint8_t>(*at++);
  value = first;
  if (first < 0x80) return at;
  if (at == end) return nullptr;
  const size_t second = static_cast<uint8_t>(*at++);
  value = second << 7 | (first & 0x7f);
  return second - 1 < 0x7f ? at : nullptr;
}

[[gnu::always_inline]] inline const char* AlikeItems::take_value(const char* at, const char* end, Type type,
                                                                 Value& value) {
  size_t size = 0;
  if (type == Type::kS || type == Type::kB) {
    at = take_varint(at, end, size);
    if (at == nullptr) return nullptr;
  } else if (type == Type::kN) {
    if (at == end) return nullptr;
    size = static_cast<uint8_t>(*at++);
  } else {
    size = type == Type::kBool ? 1 : 0;
  }
  value = {at, size};
  return size <= static_cast<size_t>(end - at) ? at + size : nullptr;
}

void AlikeItems::learn(std::string_view stored, uint64_t list_id, std::span<const KeyName> keys) {
  count_ = 0;
  const char* const end = stored.data() + stored.size();
  size_t size = 0;
  size_t count = 0;
  const char* at = take_varint(stored.data() + 1, end, size);
  if (at != nullptr) at = take_varint(at, end, count);
  if (at == nullptr || count > kMostAttributes) return;
  places_ = kKeys;
  for (size_t i = 0; i < count; ++i) {
    Head& head = heads_[i];
    size_t name_bytes = 0;
    head.bytes = at;
    at = take_varint(at, end, name_bytes);
    if (at == nullptr || name_bytes >= static_cast<size_t>(end - at)) return;
    const auto key =
        static_cast<size_t>(std::ranges::find(keys, std::string_view(at, name_bytes), &KeyName::name) - keys.begin());
    at += name_bytes;
    head.type = static_cast<Type>(*at++);
    if (head.type > kLastSimple) return;
    head.size = static_cast<uint32_t>(at - head.bytes);
    head.place = static_cast<uint8_t>(key < keys.size() ? key : places_++);
    types_[head.place] = head.type;
    std::array<char, kWordBytes> words{};
    std::memcpy(words.data(), head.bytes, std::min<size_t>(head.size, kWordBytes));
    std::memcpy(&head.low, words.data(), sizeof head.low);
    std::memcpy(&head.high, words.data() + sizeof head.low, sizeof head.high);
    head.low_mask = mask_of(head.size);
    head.high_mask = head.size <= sizeof head.low ? 0 : mask_of(head.size - sizeof head.low);
    Value value;
    at = take_value(at, end, head.type, value);
    if (at == nullptr) return;
  }
  if (at != end) return;
  has_sort_ = keys.size() == kKeys;
  id_bytes_ = static_cast<size_t>(write_cbor_head(id_.data(), CborMajor::kUnsigned, list_id) - id_.data());
  room_ = (count + 4) * (kMaxNumberBytes + kMaxCborHeadBytes) + kChunk;
  count_ = count;
}

// False: it is not alike.
[[gnu::always_inline]] inline bool AlikeItems::take(std::string_view stored, Values& values) const {
  const char* const end = stored.data() + stored.size();
  if (stored.empty() || static_cast<uint8_t>(stored[0]) != model::kItemVersion) return false;
  size_t size = 0;
  size_t count = 0;
  const char* at = take_varint(stored.data() + 1, end, size);
  if (at == nullptr) return false;
  at = take_varint(at, end, count);
  if (at == nullptr || count != count_) return false;
  for (const Head* head = heads_.data(); head != heads_.data() + count; ++head) {
    if (!same_head(*head, at, end)) return false;
    at = take_value(at + head->size, end, head->type, values[head->place]);
    if (at == nullptr) return false;
  }
  return at == end;
}

[[gnu::always_inline]] inline char* AlikeItems::write_key(char* out, Values& values, const char* readable) const {
  std::array<char, kMaxNumberBytes> number;
  Value partition = values[0];
  size_t head = 0;
  const char* partition_readable = readable;
  if (types_[0] == Type::kN) {
    const auto value = model::Number::from_compact(partition.bytes());
    if (!value) return nullptr;
    partition = {number.data(), static_cast<size_t>(write_number(number.data(), *value) - number.data())};
    partition_readable = number.data() + number.size();
  } else if (has_sort_) {
    head = head_size(partition.size);
  }
  if (!has_sort_) {
    out = write_head(out, CborMajor::kBytes, partition.size);
    return copy_short(out, partition.bytes(), partition_readable);
  }
  std::array<char, kMaxLexDecimalBytes> sort_number;
  Value sort = values[1];
  if (types_[1] == Type::kN) {
    const char* const end = write_lex_decimal(sort_number.data(), sort.bytes());
    if (end == nullptr) return nullptr;
    sort = {sort_number.data(), static_cast<size_t>(end - sort_number.data())};
    readable = sort_number.data() + sort_number.size();
  }
  out = write_head(out, CborMajor::kBytes, head + partition.size + sort.size);
  if (head != 0) {
    out = write_head(out, types_[0] == Type::kS ? CborMajor::kText : CborMajor::kBytes, partition.size);
  }
  out = copy_short(out, partition.bytes(), partition_readable);
  return copy_short(out, sort.bytes(), readable);
}

[[gnu::always_inline]] inline char* AlikeItems::write_item(char* out, std::string_view stored) {
  Values values;
  if (!take(stored, values)) return nullptr;
  const char* const readable = stored.data() + stored.size();
  char* const begin = write_key(out, values, readable);
  if (begin == nullptr) return nullptr;
  char* const inside = begin + size_room_;
  std::memcpy(inside, id_.data(), kChunk);
  char* next = inside + id_bytes_;
  for (size_t place = kKeys; place < places_; ++place) {
    next = write_value_of(next, types_[place], values[place].bytes(), readable);
    if (next == nullptr) return nullptr;
  }
  const auto size = static_cast<size_t>(next - inside);
  if (const size_t room = head_size(size); room != size_room_) [[unlikely]] {
    std::memmove(begin + room, inside, size);
    next = begin + room + size;
    size_room_ = room;
  }
  write_head(begin, CborMajor::kBytes, size);
  return next;
}

bool AlikeItems::write(CborWriter& out, std::string_view stored) {
  char* const end = write_item(out.room(room_for(stored)), stored);
  if (end != nullptr) out.wrote(end);
  return end != nullptr;
}

size_t AlikeItems::write_pairs(CborWriter& out, std::span<const api::FoundItem> items, size_t most_bytes) {
  constexpr char kPair = static_cast<char>(static_cast<uint8_t>(CborMajor::kArray) << 5 | 2);
  const size_t most = out.size() + most_bytes;
  size_t written = 0;
  for (; written < items.size() && out.size() < most; ++written) {
    const auto* const stored = std::get_if<std::string_view>(&items[written]);
    if (stored == nullptr) break;
    char* const begin = out.room(1 + room_for(*stored));
    *begin = kPair;
    char* const end = write_item(begin + 1, *stored);
    if (end == nullptr) break;
    out.wrote(end);
  }
  return written;
}

}  // namespace partita::wire::dax
