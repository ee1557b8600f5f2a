#include "wire/dax/reply_testing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "wire/dax/key.h"
#include "wire/dax/value.h"
#include "wire/json_writer.h"

namespace partita::wire::dax {

using model::AttributeValue;
using model::Item;
using model::Type;

std::string item_text(const Item& item) {
  JsonWriter json;
  json.write_item(item);
  return std::move(json).take();
}

TestTables::TestTables() {
  schemas["Tab1"] = {{{"pk", Type::kS}}, {}};
  schemas["Tab2"] = {{{"pk", Type::kS}}, {{"sk", Type::kN}}};
}

const model::KeySchema* TestTables::find(std::string_view table) {
  const auto found = schemas.find(table);
  return found == schemas.end() ? nullptr : &found->second;
}

model::AttributeListPtr TestStore::store(const std::vector<std::string>& names) {
  model::AttributeListPtr& list = by_names_[names];
  if (list == nullptr) {
    list = model::make_attribute_list(next_id_++, names);
    by_id_[list->id] = list;
  }
  return list;
}

void TestStore::load(MissingLists& missing, KnownLists& lists) {
  ++loads;
  for (const uint64_t id : missing.ids) missing.loaded.push_back(by_id_.at(id));
  for (const auto& names : missing.names) missing.loaded.push_back(store(names));
  lists.add(missing);
}

const std::vector<std::string>& TestStore::names_of(uint64_t id) const {
  static const std::vector<std::string> kNone;
  if (id == model::kEmptyAttributeList) return kNone;
  const auto found = by_id_.find(id);
  EXPECT_NE(found, by_id_.end()) << id;
  return found == by_id_.end() ? kNone : found->second->names;
}

std::string ReadCapacity::text() const {
  const auto of = [](double value) { return std::to_string(value).substr(0, std::to_string(value).find('.') + 2); };
  std::string text = table + " " + of(units);
  if (read) text += " read " + of(*read);
  if (write) text += " write " + of(*write);
  if (base) text += " table " + of(*base);
  for (const auto& [name, index_units] : global_indexes) text += " global " + name + " " + of(index_units);
  for (const auto& [name, index_units] : local_indexes) text += " local " + name + " " + of(index_units);
  return text;
}

void ReplyReader::expect_success() { EXPECT_EQ(in_.array().left, 0U); }

std::optional<int64_t> ReplyReader::next_key() {
  if (in_.peek() == 0xff) {
    in_.head();
    return std::nullopt;
  }
  return in_.integer();
}

std::optional<Item> ReplyReader::values(const Item& key) {
  if (in_.take_null()) return std::nullopt;
  CborReader inside(in_.bytes());
  Item item = key;
  for (const auto& name : store_.names_of(static_cast<uint64_t>(inside.integer()))) {
    EXPECT_FALSE(item.contains(name)) << name;
    item.set(name, read_value(inside).value());
  }
  EXPECT_TRUE(inside.finished());
  return item;
}

Item ReplyReader::keyed_values(std::string_view table) {
  const Item its_key = key(table);
  return values(its_key).value();
}

Item ReplyReader::updated() {
  CborReader inside(in_.bytes());
  const auto& names = store_.names_of(static_cast<uint64_t>(inside.integer()));
  EXPECT_TRUE(std::ranges::is_sorted(names));
  EXPECT_EQ(inside.peek(), 0xbf);
  Item item;
  for (auto members = inside.map(); inside.next(members);) {
    const auto position = static_cast<size_t>(inside.integer());
    item.set(names.at(position), read_value(inside).value());
  }
  EXPECT_TRUE(inside.finished());
  return item;
}

Item ReplyReader::projected() {
  Item item;
  auto members = in_.map();
  EXPECT_FALSE(members.indefinite());
  while (in_.next(members)) {
    std::string ordinal = std::to_string(in_.integer());
    item.set(std::move(ordinal), read_value(in_).value());
  }
  return item;
}

Item ReplyReader::key(std::string_view table) { return read_key(in_.bytes(), *tables_.find(table)).value(); }

Item ReplyReader::compound_key() {
  const std::string_view bytes = in_.bytes();
  EXPECT_EQ(static_cast<uint8_t>(bytes[0]), 0xbf);
  return read_compound_key(bytes).value();
}

ReadCapacity ReplyReader::capacity() {
  CborReader inside(in_.bytes());
  ReadCapacity read;
  read.table = inside.text();
  read.units = inside.number();
  if (!inside.take_null()) read.base = inside.number();
  for (auto* indexes : {&read.global_indexes, &read.local_indexes}) {
    if (inside.take_null()) continue;
    auto members = inside.map();
    EXPECT_FALSE(members.indefinite());
    while (inside.next(members)) {
      const std::string name(inside.text());
      (*indexes)[name] = inside.number();
    }
  }
  EXPECT_TRUE(inside.finished());
  return read;
}

// One of {1, 2, 3}, whose members agree.
double ReplyReader::shares(ReadCapacity* whole) {
  double units = 0;
  for (auto members = in_.map(); in_.next(members);) {
    const int64_t key = in_.integer();
    const double share = in_.number();
    if (key == 1) units = share;
    EXPECT_TRUE(key == 1 || (key == 2 && whole->read) || (key == 3 && whole->write)) << key;
    EXPECT_EQ(share, units);
  }
  return units;
}

ReadCapacity ReplyReader::transaction_capacity() {
  ReadCapacity read;
  auto members = in_.map();
  EXPECT_TRUE(members.indefinite());
  while (in_.next(members)) {
    switch (in_.integer()) {
      case 1:
        read.units = in_.number();
        break;
      case 2:
        read.read = in_.number();
        break;
      case 3:
        read.write = in_.number();
        break;
      case 4:
        read.table = in_.text();
        break;
      case 5:
        read.base = shares(&read);
        break;
      case 6:
        for (auto indexes = in_.map(); in_.next(indexes);) {
          const std::string name(in_.text());
          read.global_indexes[name] = shares(&read);
        }
        break;
      case 7:
        for (auto indexes = in_.map(); in_.next(indexes);) {
          const std::string name(in_.text());
          read.local_indexes[name] = shares(&read);
        }
        break;
      default:
        ADD_FAILURE();
    }
  }
  return read;
}

std::string ReplyReader::collection() {
  CborReader inside(in_.bytes());
  const Item value = item_of({{"", read_value(inside).value()}});
  const double lower = inside.number();
  const double upper = inside.number();
  EXPECT_TRUE(inside.finished());
  return item_text(value) + ": " + std::to_string(lower) + " to " + std::to_string(upper);
}

void ReplyReader::expect_end() { EXPECT_TRUE(in_.finished()); }

}  // namespace partita::wire::dax
