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

}  // namespace

Result<void> ItemValues::write_with_key(CborWriter& out, const api::FoundItem& item) {
  const auto stored = stored_bytes(item);
  if (alike_.known()) {
    if (stored && alike_.write(out, *stored)) return {};
    alike_.forget();
  }
  values_.cut(0);
  wants_key_ = true;
  PARTITA_TRY_VOID(write(values_, item));
  if (key_parts_ != key_count_) return model::refuse(Fault::kKeySchemaMismatch);
  write_key(out, parts_[0], key_count_ == 2 ? &parts_[1] : nullptr);
  out.raw(values_.view());
  const bool all_known = same_ && expected_ == expected_end_;
  if (stored && all_known) alike_.learn(*stored, list_->id, std::span(keys_).first(key_count_));
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
