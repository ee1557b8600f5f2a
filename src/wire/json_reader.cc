#include "wire/json_reader.h"

#include <simdjson.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "model/fault.h"

namespace partita::wire {

using simdjson::internal::tape_ref;
using simdjson::internal::tape_type;

namespace {

constexpr size_t kMaxTextBytes = 16 * 1024 * 1024;  // DynamoDB's largest request
constexpr size_t kMaxDepth = 1024;                  // an item's 32 levels take about 70
constexpr size_t kKeptCapacity = 256 * 1024;        // a parser that grew past this is not kept
constexpr size_t kKeptParsers = 8;
constexpr size_t kFullScope = 0xffffff;  // simdjson counts members up to this

tape_ref at(const void* document, size_t place) {
  return {static_cast<const simdjson::dom::document*>(document), place};
}

JsonValue::Kind kind_at(const tape_ref& ref) {
  switch (ref.tape_ref_type()) {
    case tape_type::START_OBJECT:
      return JsonValue::Kind::kObject;
    case tape_type::START_ARRAY:
      return JsonValue::Kind::kArray;
    case tape_type::STRING:
      return JsonValue::Kind::kString;
    case tape_type::INT64:
    case tape_type::UINT64:
      return JsonValue::Kind::kInteger;
    case tape_type::DOUBLE:
      return JsonValue::Kind::kDecimal;
    case tape_type::TRUE_VALUE:
    case tape_type::FALSE_VALUE:
      return JsonValue::Kind::kBoolean;
    default:
      return JsonValue::Kind::kNull;
  }
}

int64_t clamp(double value) {
  if (value >= 9223372036854775808.0) return std::numeric_limits<int64_t>::max();
  if (value <= -9223372036854775808.0) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

}  // namespace

struct JsonAccess {
  static JsonValue value(const void* document, size_t place) {
    JsonValue value;
    value.document_ = document;
    value.place_ = static_cast<uint32_t>(place);
    value.kind_ = kind_at(at(document, place));
    return value;
  }
};

bool JsonValue::as_boolean() const {
  PARTITA_CHECK(kind_ == Kind::kBoolean);
  return at(document_, place_).is_true();
}

std::string_view JsonValue::as_string() const {
  PARTITA_CHECK(kind_ == Kind::kString);
  return at(document_, place_).get_string_view();
}

int64_t JsonValue::as_integer() const {
  if (kind_ == Kind::kDecimal) return clamp(as_double());
  PARTITA_CHECK(kind_ == Kind::kInteger);
  const tape_ref ref = at(document_, place_);
  if (ref.is_int64()) return ref.next_tape_value<int64_t>();
  const auto value = ref.next_tape_value<uint64_t>();
  return static_cast<int64_t>(std::min<uint64_t>(value, std::numeric_limits<int64_t>::max()));
}

double JsonValue::as_double() const {
  const tape_ref ref = at(document_, place_);
  if (kind_ == Kind::kDecimal) return ref.next_tape_value<double>();
  PARTITA_CHECK(kind_ == Kind::kInteger);
  return ref.is_int64() ? static_cast<double>(ref.next_tape_value<int64_t>())
                        : static_cast<double>(ref.next_tape_value<uint64_t>());
}

JsonValue JsonValue::get(std::string_view name) const {
  JsonValue found;
  if (kind_ != Kind::kObject) return found;
  const size_t end = at(document_, place_).matching_brace_index() - 1;
  for (size_t place = place_ + 1; place < end;) {
    const tape_ref key = at(document_, place);
    const tape_ref value = at(document_, place + 1);
    if (key.get_string_view() == name) found = JsonAccess::value(document_, place + 1);
    place = value.after_element();
  }
  return found;
}

size_t JsonValue::size() const {
  if (kind_ != Kind::kArray && kind_ != Kind::kObject) return 0;
  const size_t counted = at(document_, place_).scope_count();
  if (counted < kFullScope) return counted;
  size_t size = 0;
  for (const JsonValue element : elements()) size += static_cast<size_t>(element.document_ != nullptr);
  for (const Member member : members()) size += static_cast<size_t>(member.value.document_ != nullptr);
  return size;
}

JsonValue::Range<JsonValue::ElementIterator> JsonValue::elements() const {
  Range<ElementIterator> range;
  if (kind_ != Kind::kArray) return range;
  range.first.document_ = range.last.document_ = document_;
  range.first.place_ = place_ + 1;
  range.last.place_ = at(document_, place_).matching_brace_index() - 1;
  return range;
}

JsonValue::Range<JsonValue::MemberIterator> JsonValue::members() const {
  Range<MemberIterator> range;
  if (kind_ != Kind::kObject) return range;
  range.first.document_ = range.last.document_ = document_;
  range.first.place_ = place_ + 1;
  range.last.place_ = at(document_, place_).matching_brace_index() - 1;
  return range;
}

JsonValue JsonValue::ElementIterator::operator*() const { return JsonAccess::value(document_, place_); }

JsonValue::ElementIterator& JsonValue::ElementIterator::operator++() {
  place_ = static_cast<uint32_t>(at(document_, place_).after_element());
  return *this;
}

JsonValue::Member JsonValue::MemberIterator::operator*() const {
  return {at(document_, place_).get_string_view(), JsonAccess::value(document_, place_ + 1)};
}

JsonValue::MemberIterator& JsonValue::MemberIterator::operator++() {
  place_ = static_cast<uint32_t>(at(document_, place_ + 1).after_element());
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

JsonValue JsonDocument::root() const {
  constexpr size_t kRootPlace = 1;  // behind the tape's own root mark
  return JsonAccess::value(&parser_->parser.doc, kRootPlace);
}

}  // namespace partita::wire
