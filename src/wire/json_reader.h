// Reads one JSON text into a tree that can be looked at in any order.
//
//   PARTITA_TRY(const JsonDocument document, JsonDocument::parse(body));
//   const JsonValue limit = document.root().get("Limit");
//   if (limit.present()) use(limit.as_integer());
//
// A null member and a missing one are the same, as they are for AWS; of two members of one name the last one counts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.h"

namespace partita::wire {

// Where something stands in a document, in the parser's own words. Internal to the reader.
struct JsonPlace {
  alignas(8) std::array<std::byte, 16> bytes{};
  bool operator==(const JsonPlace&) const = default;
};

// A view of one value, 24 bytes, freely copied. It and every string_view from it live as long as the JsonDocument.
class JsonValue {
 public:
  enum class Kind : uint8_t { kNull, kBoolean, kInteger, kDecimal, kString, kArray, kObject };

  JsonValue() = default;  // null, and so what get() gives for what is missing

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  bool present() const { return kind_ != Kind::kNull; }

  // Precondition of each: the value is of that kind.
  bool as_boolean() const;
  std::string_view as_string() const;
  int64_t as_integer()
      const;                 // of a number of either kind: without its fraction, at most INT64_MAX, at least INT64_MIN
  double as_double() const;  // of a number of either kind

  // The member of that name; null when there is none or this is no object.
  JsonValue get(std::string_view name) const;
  // Elements of an array or members of an object, doubles counted; 0 for anything else.
  size_t size() const;

  struct Member;
  class ElementIterator;
  class MemberIterator;
  template <class Iterator>
  struct Range {
    Iterator first;
    Iterator last;
    Iterator begin() const { return first; }
    Iterator end() const { return last; }
  };
  // In the order of the text; empty when the value is no array, or no object. Doubles come as often as they stand
  // there.
  Range<ElementIterator> elements() const;
  Range<MemberIterator> members() const;

 private:
  friend struct JsonAccess;

  JsonPlace place_{};
  Kind kind_ = Kind::kNull;
};

struct JsonValue::Member {
  std::string_view name;
  JsonValue value;
};

class JsonValue::ElementIterator {
 public:
  JsonValue operator*() const;
  ElementIterator& operator++();
  bool operator==(const ElementIterator& other) const { return place_ == other.place_; }

 private:
  friend class JsonValue;
  JsonPlace place_{};
};

class JsonValue::MemberIterator {
 public:
  Member operator*() const;
  MemberIterator& operator++();
  bool operator==(const MemberIterator& other) const { return place_ == other.place_; }

 private:
  friend class JsonValue;
  JsonPlace place_{};
};

// Owns the parsed text; the text that it was parsed from may go. Movable; used from one thread at a time, but it may
// move between threads. Parsers are kept for the next document of the thread on which this one ends.
class JsonDocument {
 public:
  // Faults: kMalformedJson for what is no JSON, no UTF-8, empty, deeper than 1024 levels or longer than 16 MiB.
  // kUnavailable when there is not enough memory.
  static Result<JsonDocument> parse(std::string_view text);

  // Bytes that the tree of this text takes, at most: the more values stand in it, the more. Never fails.
  static size_t memory_of(std::string_view text);

  JsonDocument(JsonDocument&&) noexcept;
  JsonDocument& operator=(JsonDocument&&) noexcept;
  ~JsonDocument();

  JsonValue root() const;

 private:
  struct Parser;
  struct Pool;
  explicit JsonDocument(std::unique_ptr<Parser> parser);
  static void give_back(std::unique_ptr<Parser> parser);
  std::unique_ptr<Parser> parser_;
};

}  // namespace partita::wire
