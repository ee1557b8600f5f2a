#include "wire/dax/item_values.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "base/check.h"
#include "model/fault.h"
#include "wire/dax/value.h"

namespace partita::wire::dax {

using model::Fault;
using model::Item;
using model::ItemReader;
using model::Type;

void put_before(CborWriter& out, size_t at, size_t room, std::string_view bytes) {
  const size_t behind = out.size() - at - room;
  char* const end = out.room(bytes.size() > room ? bytes.size() - room : 0);
  char* const begin = end - behind - room;
  if (bytes.size() != room) std::memmove(begin + bytes.size(), begin + room, behind);
  std::memcpy(begin, bytes.data(), bytes.size());
  out.wrote(begin + bytes.size() + behind);
}

namespace {

template <class Word>
bool same_ends(const char* a, const char* b, size_t size) {
  const auto word = [](const char* at) {
    Word loaded;
    std::memcpy(&loaded, at, sizeof loaded);
    return loaded;
  };
  const size_t last = size - sizeof(Word);
  return ((word(a) ^ word(b)) | (word(a + last) ^ word(b + last))) == 0;
}

// Names are short, and most comparisons are of equal ones: a call would cost more than the comparison.
[[gnu::always_inline]] inline bool same_name(std::string_view a, std::string_view b) {
  const size_t size = a.size();
  if (size != b.size()) return false;
  if (size > 16) return std::memcmp(a.data(), b.data(), size) == 0;
  if (size >= 8) return same_ends<uint64_t>(a.data(), b.data(), size);
  if (size >= 4) return same_ends<uint32_t>(a.data(), b.data(), size);
  if (size >= 2) return same_ends<uint16_t>(a.data(), b.data(), size);
  return size == 0 || a[0] == b[0];
}

}  // namespace

ItemValues::ItemValues(const model::KeySchema& schema, KnownLists& lists, MissingLists& missing)
    : lists_(lists), missing_(missing), key_count_(1 + schema.sort.size()), list_(lists.recent()) {
  PARTITA_CHECK(schema.partition.size() == 1 && schema.sort.size() <= 1);
  keys_[0] = {schema.partition[0].name, schema.partition[0].type};
  if (key_count_ == 2) keys_[1] = {schema.sort[0].name, schema.sort[0].type};
  const auto names_key = [this](const std::string& name) { return key_at(name) < key_count_; };
  if (std::ranges::any_of(list_->names, names_key)) list_ = lists.find(model::kEmptyAttributeList);
}

ItemValues::Open ItemValues::open(CborWriter& out) {
  const Open open{out.size(), room_};
  out.wrote(out.room(room_) + room_);
  return open;
}

void ItemValues::close(CborWriter& out, Open open) {
  const uint64_t id = list_id();
  const size_t values = out.size() - open.at - open.room;
  const size_t size = cbor_head_size(id) + values;
  if (cbor_head_size(size) + cbor_head_size(id) == open.room) {
    char* const begin = out.room(0) - values - open.room;
    write_cbor_head(write_cbor_head(begin, CborMajor::kBytes, size), CborMajor::kUnsigned, id);
    return;
  }
  std::array<char, 2 * kMaxCborHeadBytes> begin;
  char* end = write_cbor_head(begin.data(), CborMajor::kBytes, size);
  end = write_cbor_head(end, CborMajor::kUnsigned, id);
  const std::string_view head(begin.data(), static_cast<size_t>(end - begin.data()));
  put_before(out, open.at, open.room, head);
  room_ = head.size();
}

void ItemValues::begin_item() {
  key_parts_ = 0;
  same_ = true;
  expected_ = list_->names.data();
  expected_end_ = expected_ + list_->names.size();
}

// Of keys_; key_count_ if it names none.
[[gnu::always_inline]] inline size_t ItemValues::key_at(std::string_view name) const {
  if (same_name(name, keys_[0].name)) return 0;
  return key_count_ == 2 && same_name(name, keys_[1].name) ? 1 : key_count_;
}

void ItemValues::add_name(std::string_view name) {
  if (expected_ != expected_end_ && same_name(*expected_, name)) {
    ++expected_;
  } else {
    add_other_name(name);
  }
}

[[gnu::noinline]] void ItemValues::add_other_name(std::string_view name) {
  if (same_) {
    same_ = false;
    names_.assign(list_->names.data(), expected_);
    expected_end_ = expected_;
  }
  names_.push_back(name);
}

// 0: the list is missing.
uint64_t ItemValues::list_id() {
  if (same_) {
    if (expected_ == expected_end_) return list_->id;
    names_.assign(list_->names.data(), expected_);
  }
  const model::AttributeListPtr& found = lists_.find(names_);
  if (found == nullptr) {
    missing_.add(names_);
    return 0;
  }
  list_ = found;
  return list_->id;
}

// False: the value has another type than the key.
bool ItemValues::take_key(size_t key, ItemReader& in) {
  if (!wants_key_) return in.skip_value(), true;
  KeyPart& part = parts_[key];
  part.type = in.type();
  if (part.type != keys_[key].type) return false;
  if (part.type == Type::kN) {
    part.number = in.number();
  } else {
    part.bytes = in.sized();
  }
  ++key_parts_;
  return true;
}

// Half of a reply's instructions are here: calls for each value would add a twentieth.
[[gnu::flatten]] Result<void> ItemValues::write_members(CborWriter& out, ItemReader& in) {
  StoredValues values(out);
  const size_t count = in.count();
  const std::string* expected = expected_;
  std::string_view name;
  for (size_t i = 0; i < count && in.ok(); ++i) {
    name = in.name(name, i == 0);
    if (expected != expected_end_ && same_name(*expected, name)) {
      ++expected;
    } else if (const size_t key = key_at(name); key < key_count_) {
      if (!take_key(key, in)) return in.ok() ? model::refuse(Fault::kKeySchemaMismatch) : model::corrupt_item();
      continue;
    } else {
      expected_ = expected;
      add_other_name(name);
    }
    model::item_walk::value(in, values);
  }
  expected_ = expected;
  if (!in.finished()) return model::corrupt_item();
  return {};
}

Result<void> ItemValues::write(CborWriter& out, std::string_view stored) {
  ItemReader in = ItemReader::open(stored);
  in.varint();
  begin_item();
  const Open values = open(out);
  PARTITA_TRY_VOID(write_members(out, in));
  close(out, values);
  return {};
}

Result<void> ItemValues::write(CborWriter& out, const Item& item) {
  begin_item();
  const Open values = open(out);
  for (const auto& [name, value] : item) {
    const size_t key = key_at(name);
    if (key == key_count_) {
      add_name(name);
      write_value(out, value);
      continue;
    }
    if (value.type() != keys_[key].type) return model::refuse(Fault::kKeySchemaMismatch);
    parts_[key] = key_part(value);
    ++key_parts_;
  }
  close(out, values);
  return {};
}

Result<void> ItemValues::write(CborWriter& out, const api::FoundItem& item) {
  if (const auto* stored = std::get_if<std::string_view>(&item)) return write(out, *stored);
  if (const auto* stored = std::get_if<std::string>(&item)) return write(out, std::string_view(*stored));
  return write(out, std::get<Item>(item));
}

namespace {

std::optional<std::string_view> stored_bytes(const api::FoundItem& item) {
  if (const auto* stored = std::get_if<std::string_view>(&item)) return *stored;
  if (const auto* stored = std::get_if<std::string>(&item)) return *stored;
  return std::nullopt;
}

// Reads what items of simple values consist of. What is longer or damaged is left to ItemReader.
class SimpleReader {
 public:
  explicit SimpleReader(std::string_view bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}

  const char* at() const { return at_; }
  bool finished() const { return ok_ && at_ == end_; }
  bool ok() const { return ok_; }
  // After a failure 0, and anything from then on.
  size_t byte() {
    if (at_ == end_) return ok_ = false, 0;
    return static_cast<uint8_t>(*at_++);
  }
  size_t varint() {
    const size_t first = byte();
    if (first < 0x80) return first;
    const size_t second = byte();
    ok_ = ok_ && second != 0 && second < 0x80;
    return second << 7 | (first & 0x7f);
  }
  [[gnu::always_inline]] bool take_same(const char* bytes, size_t size) {
    if (static_cast<size_t>(end_ - at_) < size || !same_name({at_, size}, {bytes, size})) return false;
    at_ += size;
    return true;
  }
  const char* skip(size_t size) {
    const char* const begin = at_;
    if (size > static_cast<size_t>(end_ - at_)) {
      ok_ = false;
    } else {
      at_ += size;
    }
    return begin;
  }

 private:
  const char* at_;
  const char* end_;
  bool ok_ = true;
};

struct SimpleValue {
  const char* at;
  size_t size;
  std::string_view bytes() const { return {at, size}; }
};

// Types up to this one have no members.
constexpr auto kLastSimple = Type::kNull;

[[gnu::always_inline]] inline SimpleValue take_value(SimpleReader& in, Type type) {
  const size_t size = type == Type::kS || type == Type::kB ? in.varint()
                      : type == Type::kN                   ? in.byte()
                      : type == Type::kBool                ? 1
                                                           : 0;
  return {in.skip(size), size};
}

// Null: it is damaged. `out` has room for it.
[[gnu::always_inline]] inline char* write_simple(char* out, Type type, SimpleValue value) {
  if (type == Type::kS || type == Type::kB) {
    out = write_cbor_head(out, type == Type::kS ? CborMajor::kText : CborMajor::kBytes, value.size);
    std::memcpy(out, value.at, value.size);
    return out + value.size;
  }
  if (type == Type::kN) {
    const auto number = model::Number::from_compact(value.bytes());
    return number ? write_number(out, *number) : nullptr;
  }
  if (type == Type::kBool && static_cast<uint8_t>(*value.at) > 1) return nullptr;
  const uint8_t low = type == Type::kNull ? kCborNull : *value.at != 0 ? kCborTrue : kCborFalse;
  return write_cbor_head(out, CborMajor::kSimple, low);
}

}  // namespace

// Notes what the next item is compared with: this one, if its values are simple.
void ItemValues::learn(std::string_view stored) {
  SimpleReader in(stored);
  in.byte();
  in.varint();
  const size_t count = in.varint();
  if (!in.ok() || count > kMostAlike) return;
  for (size_t i = 0; i < count; ++i) {
    const char* const head = in.at();
    const size_t name_bytes = in.varint();
    const std::string_view name(in.skip(name_bytes), in.ok() ? name_bytes : 0);
    const size_t type = in.byte();
    if (!in.ok() || type > static_cast<size_t>(kLastSimple)) return;
    const size_t key = key_at(name);
    if (key != key_count_) key_positions_[key] = i;
    alike_[i] = {head, static_cast<uint32_t>(in.at() - head), static_cast<uint8_t>(key), static_cast<Type>(type)};
    take_value(in, alike_[i].type);
  }
  if (in.finished()) alike_count_ = count;
}

// write_with_key() of an item with the same names and types as the one before, which are compared as they are stored.
// False: it is another one, or damaged, and nothing was written.
[[gnu::flatten]] bool ItemValues::write_alike(CborWriter& out, std::string_view stored) {
  SimpleReader in(stored);
  if (in.byte() != model::kItemVersion) return false;
  in.varint();
  if (in.varint() != alike_count_) return false;
  std::array<SimpleValue, kMostAlike> values;
  for (size_t i = 0; i < alike_count_; ++i) {
    const Alike& alike = alike_[i];
    if (!in.take_same(alike.head, alike.head_bytes)) return false;
    values[i] = take_value(in, alike.type);
  }
  if (!in.finished()) return false;
  for (size_t key = 0; key < key_count_; ++key) {
    const SimpleValue& value = values[key_positions_[key]];
    if (parts_[key].type == Type::kN) {
      const auto number = model::Number::from_compact(value.bytes());
      if (!number) return false;
      parts_[key].number = *number;
    } else {
      parts_[key].bytes = value.bytes();
    }
  }
  const size_t before = out.size();
  out.room(stored.size() + (alike_count_ + 2) * (kMaxNumberBytes + kMaxCborHeadBytes));
  write_key(out, parts_[0], key_count_ == 2 ? &parts_[1] : nullptr);
  const Open open = this->open(out);
  char* next = out.room(0);
  for (size_t i = 0; i < alike_count_; ++i) {
    if (alike_[i].key != key_count_) continue;
    next = write_simple(next, alike_[i].type, values[i]);
    if (next == nullptr) return out.cut(before), false;
  }
  out.wrote(next);
  close(out, open);
  return true;
}

Result<void> ItemValues::write_with_key(CborWriter& out, const api::FoundItem& item) {
  const auto stored = stored_bytes(item);
  if (alike_count_ != 0) {
    if (stored && write_alike(out, *stored)) return {};
    alike_count_ = 0;
  }
  values_.cut(0);
  wants_key_ = true;
  PARTITA_TRY_VOID(write(values_, item));
  if (key_parts_ != key_count_) return model::refuse(Fault::kKeySchemaMismatch);
  write_key(out, parts_[0], key_count_ == 2 ? &parts_[1] : nullptr);
  out.raw(values_.view());
  if (stored && same_ && expected_ == expected_end_) learn(*stored);
  return {};
}

Result<void> ItemValues::write_updated(CborWriter& out, const Item& item) {
  begin_item();
  const Open values = open(out);
  out.begin_map();
  int64_t position = 0;
  for (const auto& [name, value] : item) {
    add_name(name);
    out.integer(position++);
    write_value(out, value);
  }
  out.end();
  close(out, values);
  return {};
}

namespace {

std::optional<int64_t> ordinal_of(std::string_view name) {
  constexpr size_t kMaxDigits = 9;
  if (name.empty() || name.size() > kMaxDigits) return std::nullopt;
  int64_t ordinal = 0;
  for (const char digit : name) {
    if (digit < '0' || digit > '9') return std::nullopt;
    ordinal = ordinal * 10 + (digit - '0');
  }
  return ordinal;
}

Result<void> write_stored_ordinals(CborWriter& out, std::string_view stored) {
  ItemReader in = ItemReader::open(stored);
  in.varint();
  const size_t count = in.count();
  StoredValues values(out);
  out.map(count);
  std::string_view name;
  for (size_t i = 0; i < count && in.ok(); ++i) {
    name = in.name(name, i == 0);
    const auto ordinal = ordinal_of(name);
    if (!in.ok() || !ordinal) return model::corrupt_item();
    out.integer(*ordinal);
    model::item_walk::value(in, values);
  }
  if (!in.finished()) return model::corrupt_item();
  return {};
}

}  // namespace

Result<void> write_ordinals(CborWriter& out, const api::FoundItem& item) {
  if (const auto* stored = std::get_if<std::string_view>(&item)) return write_stored_ordinals(out, *stored);
  if (const auto* stored = std::get_if<std::string>(&item)) return write_stored_ordinals(out, *stored);
  const Item& projected = std::get<Item>(item);
  out.map(projected.size());
  for (const auto& [name, value] : projected) {
    const auto ordinal = ordinal_of(name);
    if (!ordinal) return model::corrupt_item();
    out.integer(*ordinal);
    write_value(out, value);
  }
  return {};
}

}  // namespace partita::wire::dax
