// Rows that are stored as items, with each field listed once: a function calls `each(name, member)` for all members of
// a struct, and is given a writer or a reader. A row with members of other types derives from both.
//
//   template <class Each, class Of>  // `Of` is const for a writer
//   void visit_fields(Each& each, Of& group) {
//     each("name", group.name);
//   }
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/value.h"
#include "table/rows/item_fields.h"

namespace partita::table {

// For one thread.
class FieldWriter {
 public:
  void operator()(std::string_view name, const std::string& value) { set(name, text(value)); }
  void operator()(std::string_view name, const std::optional<std::string>& value) {
    if (value) set(name, text(*value));
  }
  void operator()(std::string_view name, bool value) { set(name, model::AttributeValue::boolean(value)); }
  // 64 bits without a sign are stored as those of a signed number.
  template <std::integral Whole>
  void operator()(std::string_view name, Whole value) {
    set(name, model::AttributeValue::number(model::Number::of(static_cast<int64_t>(value))));
  }
  // `last`: the greatest enumerator.
  template <class Enum>
  void operator()(std::string_view name, Enum value, Enum /*last*/) {
    (*this)(name, static_cast<int64_t>(value));
  }
  void operator()(std::string_view name, const std::vector<std::string>& value) {
    model::AttributeValue::List list;
    for (const std::string& one : value) list.push_back(text(one));
    set(name, model::AttributeValue::list(std::move(list)));
  }
  void operator()(std::string_view name, const std::map<std::string, std::string>& value) { set_texts(name, value); }
  void operator()(std::string_view name, const std::vector<std::pair<std::string, std::string>>& value) {
    set_texts(name, value);
  }
  void operator()(std::string_view name, const model::AttributeMap& value) {
    set(name, model::AttributeValue::map(value));
  }

  const model::Item& item() const { return item_; }

 protected:
  void set(std::string_view name, model::AttributeValue value) { item_.set(std::string(name), std::move(value)); }

 private:
  static model::AttributeValue text(std::string value) { return model::AttributeValue::string(std::move(value)); }
  template <class Pairs>
  void set_texts(std::string_view name, const Pairs& pairs) {
    model::AttributeMap map;
    for (const auto& [key, value] : pairs) map.set(key, text(value));
    set(name, model::AttributeValue::map(std::move(map)));
  }

  model::Item item_;
};

// See ItemFields. Lists and maps are added to what the members have. For one thread.
class FieldReader {
 public:
  // The item outlives it.
  explicit FieldReader(const model::Item& item) : fields_(item) {}

  template <class Value>
  void operator()(std::string_view name, Value& value) {
    fields_.take(name, value);
  }
  template <class Enum>
  void operator()(std::string_view name, Enum& value, Enum last) {
    fields_.take(name, value, last);
  }
  void operator()(std::string_view name, std::map<std::string, std::string>& value) {
    take_texts(name, [&](const std::string& key, const std::string& text) { value.emplace(key, text); });
  }
  void operator()(std::string_view name, std::vector<std::pair<std::string, std::string>>& value) {
    take_texts(name, [&](const std::string& key, const std::string& text) { value.emplace_back(key, text); });
  }
  void operator()(std::string_view name, model::AttributeMap& value) {
    if (const auto* const map = fields_.find(name, model::Type::kM)) value = map->as_map();
  }

  bool sound() const { return fields_.sound(); }

 protected:
  ItemFields& fields() { return fields_; }

 private:
  template <class Add>
  void take_texts(std::string_view name, Add add) {
    const auto* const map = fields_.find(name, model::Type::kM);
    if (map == nullptr) return;
    for (const auto& [key, value] : map->as_map()) {
      fields_.require(value.is(model::Type::kS));
      if (value.is(model::Type::kS)) add(key, value.as_string());
    }
  }

  ItemFields fields_;
};

}  // namespace partita::table
