// Attribute values: DynamoDB's ten types, and items, which are maps of them.
//
//   AttributeMap item;
//   item.set("Artist", AttributeValue::string("Acme Band"));
//   item.set("Year", AttributeValue::number(Number::of(2018)));
//   const AttributeValue* year = item.find("Year");
//
// Value types: they own their contents, copy deeply and move cheaply. Const use is safe from any thread.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/number.h"

namespace partita::model {

class AttributeValue;

// Attributes by name, sorted by the names' bytes: a lookup is a binary search, and equality ignores the order of
// insertion.
class AttributeMap {
 public:
  struct Entry;
  using const_iterator = std::vector<Entry>::const_iterator;

  AttributeMap() noexcept;
  AttributeMap(AttributeMap&&) noexcept;
  AttributeMap& operator=(AttributeMap&&) noexcept;
  AttributeMap(const AttributeMap&);
  AttributeMap& operator=(const AttributeMap&);
  ~AttributeMap();

  // The value of that name, or null. The pointer is valid until the map is changed.
  const AttributeValue* find(std::string_view name) const;
  AttributeValue* find(std::string_view name);
  bool contains(std::string_view name) const { return find(name) != nullptr; }

  // A map of these entries, in any order; the last entry of a name counts. Together with merge() and erase_all(), it
  // costs one sort or pass however many names there are, unlike many calls of set() or erase().
  static AttributeMap of(std::vector<Entry> entries);
  // Adds or replaces all attributes of `other`.
  void merge(AttributeMap other);
  // Removes those that are present. Precondition: `names` are sorted by their bytes.
  void erase_all(const std::vector<std::string_view>& names);

  // Adds or replaces. Returns the value in place. Appending names in byte order is the fast path.
  AttributeValue& set(std::string name, AttributeValue value);
  // True if there was one.
  bool erase(std::string_view name);

  size_t size() const;
  bool empty() const;
  void reserve(size_t count);
  const_iterator begin() const;
  const_iterator end() const;

  bool operator==(const AttributeMap& other) const;

 private:
  std::vector<Entry>::iterator position(std::string_view name);
  std::vector<Entry> entries_;
};

using Item = AttributeMap;

// The types in the order of the alternatives below. The numbers are stored on disk.
enum class Type : uint8_t { kS = 0, kN = 1, kB = 2, kBool = 3, kNull = 4, kM = 5, kL = 6, kSS = 7, kNS = 8, kBS = 9 };

// "S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS".
std::string_view type_name(Type type);

class AttributeValue {
 public:
  using List = std::vector<AttributeValue>;
  struct StringTag {
    std::string text;
    bool operator==(const StringTag&) const = default;
  };
  struct BinaryTag {
    std::string bytes;
    bool operator==(const BinaryTag&) const = default;
  };
  struct Null {
    bool operator==(const Null&) const = default;
  };
  // Sets keep their members sorted and distinct, so that equal sets have equal members.
  struct StringSet {
    std::vector<std::string> members;
    bool operator==(const StringSet&) const = default;
  };
  struct NumberSet {
    std::vector<Number> members;
    bool operator==(const NumberSet&) const = default;
  };
  struct BinarySet {
    std::vector<std::string> members;
    bool operator==(const BinarySet&) const = default;
  };

  AttributeValue() : held_(Null{}) {}
  static AttributeValue string(std::string text) { return AttributeValue(StringTag{std::move(text)}); }
  static AttributeValue number(Number number) { return AttributeValue(number); }
  static AttributeValue binary(std::string bytes) { return AttributeValue(BinaryTag{std::move(bytes)}); }
  static AttributeValue boolean(bool value) { return AttributeValue(value); }
  static AttributeValue null() { return AttributeValue(); }
  static AttributeValue map(AttributeMap map) { return AttributeValue(std::move(map)); }
  static AttributeValue list(List list) { return AttributeValue(std::move(list)); }
  // The set makers sort their members and drop duplicates.
  static AttributeValue string_set(std::vector<std::string> members);
  static AttributeValue number_set(std::vector<Number> members);
  static AttributeValue binary_set(std::vector<std::string> members);

  Type type() const { return static_cast<Type>(held_.index()); }
  bool is(Type type) const { return this->type() == type; }
  bool is_set() const { return held_.index() >= 7; }

  // Precondition of each: the value is of that type.
  const std::string& as_string() const { return get<StringTag>().text; }
  const std::string& as_binary() const { return get<BinaryTag>().bytes; }
  // The bytes of a string or a binary.
  const std::string& as_bytes() const { return is(Type::kS) ? as_string() : as_binary(); }
  const Number& as_number() const { return get<Number>(); }
  bool as_bool() const { return get<bool>(); }
  const AttributeMap& as_map() const { return get<AttributeMap>(); }
  AttributeMap& as_map() { return get<AttributeMap>(); }
  const List& as_list() const { return get<List>(); }
  List& as_list() { return get<List>(); }
  const std::vector<std::string>& as_string_set() const { return get<StringSet>().members; }
  const std::vector<Number>& as_number_set() const { return get<NumberSet>().members; }
  const std::vector<std::string>& as_binary_set() const { return get<BinarySet>().members; }

  // DynamoDB's equality: same type and same value, sets and maps regardless of order, to any depth.
  bool operator==(const AttributeValue& other) const = default;

 private:
  // Spelled out, because the variant's own constraint would need this class to be complete.
  template <class T, class... Alternatives>
  static constexpr bool kIsOneOf = (std::is_same_v<T, Alternatives> || ...);

  template <class T>
    requires kIsOneOf<T, StringTag, Number, BinaryTag, bool, AttributeMap, List, StringSet, NumberSet, BinarySet>
  explicit AttributeValue(T held) : held_(std::move(held)) {}
  template <class T>
  const T& get() const {
    const T* held = std::get_if<T>(&held_);
    PARTITA_CHECK(held != nullptr);
    return *held;
  }
  template <class T>
  T& get() {
    T* held = std::get_if<T>(&held_);
    PARTITA_CHECK(held != nullptr);
    return *held;
  }

  std::variant<StringTag, Number, BinaryTag, bool, Null, AttributeMap, List, StringSet, NumberSet, BinarySet> held_;
};

struct AttributeMap::Entry {
  std::string name;
  AttributeValue value;
  bool operator==(const Entry&) const = default;
};

// An entry contains a value and a value may contain a map, so entries are complete only from here on.
inline size_t AttributeMap::size() const { return entries_.size(); }
inline bool AttributeMap::empty() const { return entries_.empty(); }
inline void AttributeMap::reserve(size_t count) { entries_.reserve(count); }
inline AttributeMap::const_iterator AttributeMap::begin() const { return entries_.begin(); }
inline AttributeMap::const_iterator AttributeMap::end() const { return entries_.end(); }

// DynamoDB's order of two values of one scalar type (S by UTF-8 bytes, N by value, B by unsigned bytes).
// Precondition: both are of that same type, S, N or B.
std::strong_ordering compare_scalars(const AttributeValue& a, const AttributeValue& b);

// How deep the value nests: 0 for a scalar or a set, 1 + the deepest member for a map or a list.
int nesting_depth(const AttributeValue& value);

}  // namespace partita::model
