#include "wire/json_reader.h"

#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>
#include <vector>

#include "model/fault.h"

namespace partita::wire {

namespace dom = simdjson::dom;

namespace {

constexpr size_t kMaxTextBytes = 16 * 1024 * 1024;  // DynamoDB's largest request
constexpr size_t kMaxDepth = 1024;                  // an item's 32 levels take about 70
constexpr size_t kKeptCapacity = 256 * 1024;        // a parser that grew past this is not kept
constexpr size_t kKeptParsers = 8;
constexpr size_t kFullScope = 0xffffff;  // simdjson counts members up to this

// The parser's views are as opaque to us as ours are to others.
template <class View>
View view_of(const JsonPlace& place) {
  return std::bit_cast<View>(place.bytes);
}

template <class View>
JsonPlace place_of(const View& view) {
  return {std::bit_cast<std::array<std::byte, 16>>(view)};
}

dom::element element_of(const JsonPlace& place) { return view_of<dom::element>(place); }

// Precondition: the element is of that kind.
template <class Held>
Held held(const JsonPlace& place) {
  Held value;
  PARTITA_CHECK(element_of(place).get(value) == simdjson::SUCCESS);
  return value;
}

JsonValue::Kind kind_of(const dom::element& element) {
  switch (element.type()) {
    case dom::element_type::OBJECT:
      return JsonValue::Kind::kObject;
    case dom::element_type::ARRAY:
      return JsonValue::Kind::kArray;
    case dom::element_type::STRING:
      return JsonValue::Kind::kString;
    case dom::element_type::INT64:
    case dom::element_type::UINT64:
      return JsonValue::Kind::kInteger;
    case dom::element_type::DOUBLE:
      return JsonValue::Kind::kDecimal;
    case dom::element_type::BOOL:
      return JsonValue::Kind::kBoolean;
    case dom::element_type::NULL_VALUE:
      break;
  }
  return JsonValue::Kind::kNull;
}

int64_t clamp(double value) {
  if (value >= 9223372036854775808.0) return std::numeric_limits<int64_t>::max();
  if (value <= -9223372036854775808.0) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

}  // namespace

struct JsonAccess {
  static JsonValue value(const dom::element& element) {
    JsonValue value;
    value.place_ = place_of(element);
    value.kind_ = kind_of(element);
    return value;
  }
};

bool JsonValue::as_boolean() const {
  PARTITA_CHECK(kind_ == Kind::kBoolean);
  return held<bool>(place_);
}

std::string_view JsonValue::as_string() const {
  PARTITA_CHECK(kind_ == Kind::kString);
  return held<std::string_view>(place_);
}

int64_t JsonValue::as_integer() const {
  if (kind_ == Kind::kDecimal) return clamp(as_double());
  PARTITA_CHECK(kind_ == Kind::kInteger);
  int64_t value = 0;  // what does not fit is larger than any
  return element_of(place_).get(value) == simdjson::SUCCESS ? value : std::numeric_limits<int64_t>::max();
}

double JsonValue::as_double() const {
  PARTITA_CHECK(kind_ == Kind::kDecimal || kind_ == Kind::kInteger);
  return held<double>(place_);
}

JsonValue JsonValue::get(std::string_view name) const {
  JsonValue found;
  for (const auto [key, value] : members()) {
    if (key == name) found = value;
  }
  return found;
}

size_t JsonValue::size() const {
  size_t counted = 0;
  if (kind_ == Kind::kArray) counted = held<dom::array>(place_).size();
  if (kind_ == Kind::kObject) counted = held<dom::object>(place_).size();
  if (counted < kFullScope) return counted;
  size_t size = 0;
  for (auto it = elements().begin(); it != elements().end(); ++it) ++size;
  for (auto it = members().begin(); it != members().end(); ++it) ++size;
  return size;
}

JsonValue::Range<JsonValue::ElementIterator> JsonValue::elements() const {
  Range<ElementIterator> range;
  if (kind_ != Kind::kArray) return range;
  const auto array = held<dom::array>(place_);
  range.first.place_ = place_of(array.begin());
  range.last.place_ = place_of(array.end());
  return range;
}

JsonValue::Range<JsonValue::MemberIterator> JsonValue::members() const {
  Range<MemberIterator> range;
  if (kind_ != Kind::kObject) return range;
  const auto object = held<dom::object>(place_);
  range.first.place_ = place_of(object.begin());
  range.last.place_ = place_of(object.end());
  return range;
}

JsonValue JsonValue::ElementIterator::operator*() const {
  return JsonAccess::value(*view_of<dom::array::iterator>(place_));
}

JsonValue::ElementIterator& JsonValue::ElementIterator::operator++() {
  auto iterator = view_of<dom::array::iterator>(place_);
  place_ = place_of(++iterator);
  return *this;
}

JsonValue::Member JsonValue::MemberIterator::operator*() const {
  const auto iterator = view_of<dom::object::iterator>(place_);
  return {iterator.key(), JsonAccess::value(iterator.value())};
}

JsonValue::MemberIterator& JsonValue::MemberIterator::operator++() {
  auto iterator = view_of<dom::object::iterator>(place_);
  place_ = place_of(++iterator);
  return *this;
}

struct JsonDocument::Parser {
  simdjson::dom::parser parser{kMaxTextBytes};
};

struct JsonDocument::Pool {
  std::vector<std::unique_ptr<Parser>> idle;
  static Pool& of_this_thread() {
    thread_local Pool pool;
    return pool;
  }
};

JsonDocument::JsonDocument(std::unique_ptr<Parser> parser) : parser_(std::move(parser)) {}
JsonDocument::JsonDocument(JsonDocument&&) noexcept = default;

JsonDocument& JsonDocument::operator=(JsonDocument&& other) noexcept {
  std::swap(parser_, other.parser_);
  return *this;
}

JsonDocument::~JsonDocument() { give_back(std::move(parser_)); }

void JsonDocument::give_back(std::unique_ptr<Parser> parser) {
  if (parser == nullptr || parser->parser.capacity() > kKeptCapacity) return;
  Pool& pool = Pool::of_this_thread();
  if (pool.idle.size() < kKeptParsers) pool.idle.push_back(std::move(parser));
}

// simdjson notes each structural character, quote and first character of a number (4 bytes), and puts each value on a
// tape (8 bytes, 16 of a number or a container) and each string into a buffer of its own.
size_t JsonDocument::memory_of(std::string_view text) {
  constexpr size_t kSmall = size_t{64} << 10;
  constexpr size_t kWorstPerByte = 14;
  if (text.size() <= kSmall) return kWorstPerByte * text.size();
  size_t marks = 0;
  for (const char c : text) {
    marks += static_cast<size_t>(c == ',') + static_cast<size_t>(c == ':') + static_cast<size_t>(c == '[') +
             static_cast<size_t>(c == '{');
  }
  constexpr size_t kPerMark = 2 * 8 + 4 * 4 + 8;
  return std::min(kWorstPerByte * text.size(), kPerMark * marks + text.size());
}

Result<JsonDocument> JsonDocument::parse(std::string_view text) {
  Pool& pool = Pool::of_this_thread();
  std::unique_ptr<Parser> parser;
  if (pool.idle.empty()) {
    parser = std::make_unique<Parser>();
  } else {
    parser = std::move(pool.idle.back());
    pool.idle.pop_back();
  }
  static_assert(kMaxDepth == simdjson::DEFAULT_MAX_DEPTH);
  JsonDocument document(std::move(parser));
  const auto parsed = document.parser_->parser.parse(text.data(), text.size(), true);
  if (parsed.error() == simdjson::MEMALLOC) {
    document.parser_.reset();  // it takes itself for larger than it is
    return Error(ErrorKind::kUnavailable, "there was not enough memory to read the request.");
  }
  if (parsed.error() != simdjson::SUCCESS) return model::refuse(model::Fault::kMalformedJson);
  return document;
}

JsonValue JsonDocument::root() const { return JsonAccess::value(parser_->parser.doc.root()); }

}  // namespace partita::wire
