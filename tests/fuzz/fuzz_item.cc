// Items as bytes: the raw input as a stored item, which all readers must see alike; then an item out of the input,
// which must survive being stored.
#include <string>
#include <vector>

#include "build_value.h"
#include "input.h"
#include "model/item_codec.h"
#include "model/item_walk.h"
#include "model/size.h"

namespace partita::fuzz {
namespace {

using model::AttributeMap;
using model::AttributeValue;
using model::Item;
using model::Number;
using model::Type;

// Puts together again what a walk takes apart.
class Rebuilder {
 public:
  void begin_map(size_t members) { open(Type::kM, members); }
  void name(std::string_view name) { names_.back() = name; }
  void end_map() { close(); }
  void begin_list(size_t members) { open(Type::kL, members); }
  void end_list() { close(); }
  void string(std::string_view text) { add(AttributeValue::string(std::string(text))); }
  void number(const Number& number) { add(AttributeValue::number(number)); }
  void binary(std::string_view bytes) { add(AttributeValue::binary(std::string(bytes))); }
  void boolean(bool value) { add(AttributeValue::boolean(value)); }
  void null() { add(AttributeValue::null()); }
  void begin_set(Type type, size_t members) { open(type, members); }
  void end_set() { close(); }

  const AttributeValue& whole() const { return whole_; }
  bool closed() const { return open_.empty(); }
  bool counts_agree() const { return counts_agree_; }

 private:
  struct Open {
    Type type;
    size_t announced;
    std::vector<AttributeValue> members;
    AttributeMap map;
  };

  void open(Type type, size_t members) {
    open_.push_back({type, members, {}, {}});
    names_.emplace_back();
  }

  void add(AttributeValue value) {
    if (open_.empty()) {
      whole_ = std::move(value);
    } else if (open_.back().type == Type::kM) {
      open_.back().map.set(names_.back(), std::move(value));
    } else {
      open_.back().members.push_back(std::move(value));
    }
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    names_.pop_back();
    counts_agree_ = counts_agree_ && done.announced == done.members.size() + done.map.size();
    add(closed_value(done));
  }

  static AttributeValue closed_value(Open& done) {
    if (done.type == Type::kM) return AttributeValue::map(std::move(done.map));
    if (done.type == Type::kL) return AttributeValue::list(std::move(done.members));
    std::vector<Number> numbers;
    std::vector<std::string> bytes;
    for (const AttributeValue& member : done.members) {
      if (done.type == Type::kNS) {
        numbers.push_back(member.as_number());
      } else {
        bytes.push_back(member.as_bytes());
      }
    }
    if (done.type == Type::kNS) return AttributeValue::number_set(std::move(numbers));
    if (done.type == Type::kSS) return AttributeValue::string_set(std::move(bytes));
    return AttributeValue::binary_set(std::move(bytes));
  }

  std::vector<Open> open_;
  std::vector<std::string> names_;
  AttributeValue whole_;
  bool counts_agree_ = true;
};

// All readers of bytes that are an item see this item.
void check_readers(std::string_view bytes, const Item& item) {
  Rebuilder rebuilder;
  PARTITA_CHECK(model::visit_item(bytes, rebuilder).ok());
  PARTITA_CHECK(rebuilder.closed() && rebuilder.counts_agree() && rebuilder.whole() == AttributeValue::map(item));
  PARTITA_CHECK(model::encoded_item_size(bytes).ok());
  for (const auto& [name, value] : item) {
    const auto found = model::decode_attribute(bytes, name);
    PARTITA_CHECK(found.ok() && found.value() == value);
    const auto missing = model::decode_attribute(bytes, name + '\x01');
    PARTITA_CHECK(missing.ok() && missing.value().has_value() == item.contains(name + '\x01'));
  }
}

void check_bytes(std::string_view bytes) {
  const Result<Item> item = model::decode_item(bytes);
  Rebuilder rebuilder;
  PARTITA_CHECK(model::visit_item(bytes, rebuilder).ok() == item.ok());
  static_cast<void>(model::encoded_item_size(bytes).ok());
  static_cast<void>(model::decode_attribute(bytes, "b").ok());
  if (!item.ok()) return;
  check_readers(bytes, item.value());
  const std::string canonical = model::encode_item(item.value());
  const Result<Item> again = model::decode_item(canonical);
  PARTITA_CHECK(again.ok() && again.value() == item.value() && model::encode_item(again.value()) == canonical);
}

void check_item(const Item& item) {
  const std::string bytes = model::encode_item(item);
  const Result<Item> again = model::decode_item(bytes);
  PARTITA_CHECK(again.ok() && again.value() == item && model::encode_item(again.value()) == bytes);
  PARTITA_CHECK(model::encoded_item_size(bytes).value() == model::item_size(item));
  check_readers(bytes, item);
  // Every encoding that is cut short is noticed.
  for (size_t size = 0; size < bytes.size() && size < 64; ++size) {
    PARTITA_CHECK(!model::decode_item(std::string_view(bytes).substr(0, size)).ok());
  }
}

}  // namespace
}  // namespace partita::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita;
  fuzz::Input in(data, size);
  fuzz::check_bytes(in.rest());
  fuzz::check_item(fuzz::build_map(in, 4));
  return 0;
}
