// Reads one JSON text into a tree that can be looked at in any order.
//
//   PARTITA_TRY(const JsonDocument document, JsonDocument::parse(body));
//   const JsonValue limit = document.root().get("Limit");
//   if (limit.present()) use(limit.as_integer());
//
// A null member and a missing one are the same, as they are for AWS; of two members of one name the last one counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include "base/check.h"
#include "base/result.h"

namespace partita::wire {

// A document as simdjson lays it out (doc/tape.md there): one word after the other, its kind in the highest byte. A
// string's word says where it stands, behind its size; a container's word says where it ends and, up to kFullCount, how
// much is in it; a number stands in the word behind its own.
struct JsonTape {
  static constexpr size_t kFullCount = 0xffffff;

  char tag(uint32_t at) const { return static_cast<char>(words[at] >> 56); }
  std::string_view string(uint32_t at) const {
    const char* const text = strings + (words[at] & ((uint64_t{1} << 56) - 1));
    uint32_t size = 0;
    std::memcpy(&size, text, sizeof size);
    return {text + sizeof size, size};
  }
  // Of a container: the word behind its end, and how many members or elements it has.
  uint32_t end(uint32_t at) const { return static_cast<uint32_t>(words[at]); }
  size_t count(uint32_t at) const { return words[at] >> 32 & kFullCount; }
  // Where the value behind this one stands.
  uint32_t next(uint32_t at) const {
    const char is = tag(at);
    if (is == '{' || is == '[') return end(at);
    return at + (is == 'l' || is == 'u' || is == 'd' ? 2 : 1);
  }

  const uint64_t* words = nullptr;
  const char* strings = nullptr;
};

// A view of one value, 16 bytes, freely copied. It and every string_view from it live as long as the JsonDocument.
class JsonValue {
 public:
  enum class Kind : uint8_t { kNull, kBoolean, kInteger, kDecimal, kString, kArray, kObject };

  JsonValue() = default;  // null, and so what get() gives for what is missing
  JsonValue(const JsonTape& tape, uint32_t at) : tape_(&tape), at_(at), kind_(kind_of(tape.tag(at))) {}

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  bool present() const { return kind_ != Kind::kNull; }

  // Precondition of each: the value is of that kind.
  bool as_boolean() const {
    PARTITA_CHECK(kind_ == Kind::kBoolean);
    return tape_->tag(at_) == 't';
  }
  std::string_view as_string() const {
    PARTITA_CHECK(kind_ == Kind::kString);
    return tape_->string(at_);
  }
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
  // What a value of that kind consists of; nothing when this is of another.
  template <class Iterator>
  Range<Iterator> inside(Kind kind) const;

  static Kind kind_of(char tag) {
    switch (tag) {
      case '{':
        return Kind::kObject;
      case '"':
        return Kind::kString;
      case '[':
        return Kind::kArray;
      case 't':
      case 'f':
        return Kind::kBoolean;
      case 'l':
      case 'u':
        return Kind::kInteger;
      case 'd':
        return Kind::kDecimal;
      default:
        return Kind::kNull;
    }
  }

  const JsonTape* tape_ = nullptr;
  uint32_t at_ = 0;
  Kind kind_ = Kind::kNull;
};

struct JsonValue::Member {
  std::string_view name;
  JsonValue value;
};

class JsonValue::ElementIterator {
 public:
  JsonValue operator*() const { return {*tape_, at_}; }
  ElementIterator& operator++() { return at_ = tape_->next(at_), *this; }
  bool operator==(const ElementIterator& other) const { return at_ == other.at_; }

 private:
  friend class JsonValue;
  const JsonTape* tape_ = nullptr;
  uint32_t at_ = 0;
};

class JsonValue::MemberIterator {
 public:
  Member operator*() const { return {tape_->string(at_), {*tape_, at_ + 1}}; }
  MemberIterator& operator++() { return at_ = tape_->next(at_ + 1), *this; }
  bool operator==(const MemberIterator& other) const { return at_ == other.at_; }

 private:
  friend class JsonValue;
  const JsonTape* tape_ = nullptr;
  uint32_t at_ = 0;  // of the name
};

template <class Iterator>
JsonValue::Range<Iterator> JsonValue::inside(Kind kind) const {
  Range<Iterator> range;
  if (kind_ != kind) return range;
  range.first.tape_ = range.last.tape_ = tape_;
  range.first.at_ = at_ + 1;
  range.last.at_ = tape_->end(at_) - 1;
  return range;
}

inline JsonValue::Range<JsonValue::ElementIterator> JsonValue::elements() const {
  return inside<ElementIterator>(Kind::kArray);
}

inline JsonValue::Range<JsonValue::MemberIterator> JsonValue::members() const {
  return inside<MemberIterator>(Kind::kObject);
}

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
