// Reads the members of a stored map.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/value.h"

namespace partita::table {

// A missing member leaves its argument as it is. One of another type, or a number that does not fit, is a fault, which
// sound() remembers. The map outlives it. For one thread.
class ItemFields {
 public:
  explicit ItemFields(const model::AttributeMap& map) : map_(map) {}

  bool has(std::string_view name) const { return map_.contains(name); }
  // Null: it is missing, or of another type.
  const model::AttributeValue* find(std::string_view name, model::Type type) {
    const model::AttributeValue* const value = map_.find(name);
    if (value == nullptr) return nullptr;
    require(value->is(type));
    return value->is(type) ? value : nullptr;
  }
  std::optional<int64_t> whole(std::string_view name) {
    const model::AttributeValue* const value = find(name, model::Type::kN);
    if (value == nullptr) return std::nullopt;
    const auto number = value->as_number().to_int64();
    require(number.has_value());
    return number;
  }

  void take(std::string_view name, std::string& out) {
    if (const auto* const value = find(name, model::Type::kS)) out = value->as_string();
  }
  void take(std::string_view name, std::optional<std::string>& out) {
    if (const auto* const value = find(name, model::Type::kS)) out = value->as_string();
  }
  void take(std::string_view name, bool& out) {
    if (const auto* const value = find(name, model::Type::kBool)) out = value->as_bool();
  }
  void take(std::string_view name, std::optional<bool>& out) {
    if (const auto* const value = find(name, model::Type::kBool)) out = value->as_bool();
  }
  // 64 bits without a sign are stored as those of a signed number.
  template <std::integral Whole>
  void take(std::string_view name, Whole& out) {
    const auto number = whole(name);
    if (!number) return;
    const bool fits = sizeof(Whole) == sizeof(*number) || std::in_range<Whole>(*number);
    require(fits);
    if (fits) out = static_cast<Whole>(*number);
  }
  void take(std::string_view name, std::optional<int64_t>& out) {
    if (const auto number = whole(name)) out = number;
  }
  // `last`: the greatest enumerator.
  template <class Enum>
  void take(std::string_view name, Enum& out, Enum last) {
    const auto number = whole(name);
    if (!number) return;
    const bool known = *number >= 0 && *number <= static_cast<int64_t>(last);
    require(known);
    if (known) out = static_cast<Enum>(*number);
  }
  // Appends a list of texts.
  void take(std::string_view name, std::vector<std::string>& out) {
    const auto* const value = find(name, model::Type::kL);
    if (value == nullptr) return;
    for (const model::AttributeValue& one : value->as_list()) {
      require(one.is(model::Type::kS));
      if (one.is(model::Type::kS)) out.push_back(one.as_string());
    }
  }

  void require(bool sound) { sound_ &= sound; }
  bool sound() const { return sound_; }

 private:
  const model::AttributeMap& map_;
  bool sound_ = true;
};

}  // namespace partita::table
