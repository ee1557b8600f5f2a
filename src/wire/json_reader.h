// Parses one JSON text into a tree that can be read in any order.
//
//   PARTITA_TRY(const JsonDocument document, JsonDocument::parse(body));
//   const JsonValue limit = document.root().get("Limit");
//   if (limit.present()) use(limit.as_integer());
//
// A null member counts as missing, as in AWS. Of two members of one name, the last one counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/result.h"

namespace partita::wire {

// A document as simdjson lays it out (its doc/tape.md): a sequence of words with the kind in the highest byte. A
// string's word has the position of the string, which follows its size. A container's word has the position of its end
// and, up to kFullCount, the number of its members. A number is in the word after its own.
struct JsonTape {
  static constexpr size_t kFullCount = 0xffffff;

  char tag(uint32_t at) const { return static_cast<char>(words[at] >> 56); }
  std::string_view string(uint32_t at) const {
    const char* const text = strings + (words[at] & ((uint64_t{1} << 56) - 1));
    uint32_t size = 0;
    std::memcpy(&size, text, sizeof size);
    return {text + sizeof size, size};
  }
  // Of a container: the position after its end, and the number of its members or elements.
  uint32_t end(uint32_t at) const { return static_cast<uint32_t>(words[at]); }
  size_t count(uint32_t at) const { return words[at] >> 32 & kFullCount; }
  // The position of the next value.
  uint32_t next(uint32_t at) const {
    const char is = tag(at);
    if (is == '{' || is == '[') return end(at);
    return at + (is == 'l' || is == 'u' || is == 'd' ? 2 : 1);
  }

  const uint64_t* words = nullptr;
  const char* strings = nullptr;
};

// A view of one value: 16 bytes, freely copied. It and every string_view from it are valid as long as the JsonDocument.
class JsonValue {
 public:
  enum class Kind : uint8_t { kNull, kBoolean, kInteger, kDecimal, kString, kArray, kObject };

  JsonValue() = default;  // null, which get() also returns for a missing member
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
  int64_t as_integer() const;  // of a number of either kind: truncated, and clamped to int64_t
  double as_double() const;    // of a number of either kind

  // The member of that name; null if there is none or if this is not an object.
  JsonValue get(std::string_view name) const;
  // Number of elements of an array or members of an object, including duplicates; 0 for anything else.
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
  // In the order of the text, including duplicates; empty if the value is not an array, or not an object.
  Range<ElementIterator> elements() const;
  Range<MemberIterator> members() const;

 private:
  // The contents of a value of that kind; empty if this is of another kind.
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
  uint32_t at_ = 0;  // position of the name
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

// Owns the parsed text; the source text need not outlive it. Movable. Used by one thread at a time, which may change.
// When it is destroyed, its parser is kept for the next document of that thread.
class JsonDocument {
 public:
  // Faults: kMalformedJson if the text is not JSON, not UTF-8, empty, deeper than 1024 levels or longer than 16 MiB.
  // kUnavailable if there is not enough memory.
  static Result<JsonDocument> parse(std::string_view text);

  // Upper bound of the bytes that the tree of this text takes. It grows with the number of values. Never fails.
  static size_t memory_of(std::string_view text);

  JsonValue root() const;

 private:
  struct Parser;
  struct Pool;
  struct GiveBack {
    void operator()(Parser* parser) const noexcept;
  };
  using OwnedParser = std::unique_ptr<Parser, GiveBack>;
  explicit JsonDocument(OwnedParser parser) : parser_(std::move(parser)) {}
  OwnedParser parser_;
};

// The string, or empty if `value` is none.
inline std::string text_of(const JsonValue& value) {
  return value.is(JsonValue::Kind::kString) ? std::string(value.as_string()) : std::string();
}
// The number, or 0 if `value` is none or has a fraction.
inline int64_t integer_of(const JsonValue& value) {
  return value.is(JsonValue::Kind::kInteger) ? value.as_integer() : 0;
}

}  // namespace partita::wire
