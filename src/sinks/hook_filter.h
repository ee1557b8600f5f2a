// Which records a hook gets: event filter patterns, as Lambda and EventBridge have them (docs/change-sinks.md).
//
//   PARTITA_TRY(const FilterCriteria criteria,
//   FilterCriteria::parse(R"({"Filters":[{"Pattern":"{\"eventName\":[\"INSERT\"]}"}]})"));
//   PARTITA_TRY(const bool is_sent, criteria.matches(record));
//
// Immutable, so callable from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/json_reader.h"

namespace partita::sinks {

class EventPattern {
 public:
  static constexpr size_t kMostBytes = 4'096;

  // Error: kInvalid (reason 0), with a sentence that says what is wrong with the pattern.
  static Result<EventPattern> parse(std::string_view json);

  // Takes time in proportion to the size of both.
  bool matches(const wire::JsonValue& event) const;

 private:
  enum class Kind : uint8_t { kText, kPrefix, kSuffix, kNumber, kTrue, kFalse, kNull, kExists, kNumeric, kAnythingBut };
  struct Bound {
    char relation = '=';  // '<' and '>' too
    bool or_equal = false;
    double number = 0;
  };
  // One of the alternatives of a leaf.
  struct Test {
    Kind kind = Kind::kText;
    std::string text = {};
    bool ignores_case = false;
    bool wanted = false;  // of kExists
    double number = 0;
    std::vector<Bound> bounds = {};  // all of them
    std::vector<Test> others = {};   // of kAnythingBut: none of them
  };
  struct Leaf {
    std::string name;
    std::vector<Test> any;
    bool is_number_text = false;  // the member is DynamoDB's N or NS
  };
  struct Node {
    std::string name;  // of the member; empty: of no member
    std::vector<Node> nodes;
    std::vector<Leaf> leaves;
    std::vector<std::vector<Node>> choices;  // of "$or": one of each
  };
  // What an event has in some place: nothing, or a value.
  struct Found {
    bool there = false;
    wire::JsonValue value = {};
  };

  static Result<Node> node_of(const wire::JsonValue& object, size_t depth);
  static Result<std::vector<Node>> choices_of(const wire::JsonValue& array, size_t depth);
  static Result<Leaf> leaf_of(std::string_view name, const wire::JsonValue& array);
  static Result<Test> test_of(const wire::JsonValue& value);
  static Result<Test> operator_of(std::string_view name, const wire::JsonValue& value);
  static Result<Test> affix_of(Kind kind, std::string_view name, const wire::JsonValue& value);
  static Result<Test> numeric_of(const wire::JsonValue& array);
  static Result<Test> anything_but_of(const wire::JsonValue& value);

  static Found member_of(const Found& object, std::string_view name);
  static bool holds(const Node& node, const Found& found);
  static bool holds(const Leaf& leaf, const Found& found);
  static bool holds(const Test& test, const wire::JsonValue& value, bool is_number_text);
  static bool has_text(const Test& test, std::string_view text);

  Node root_;
};

class FilterCriteria {
 public:
  static constexpr size_t kMostFilters = 10;

  // Error: as EventPattern::parse().
  static Result<FilterCriteria> parse(std::string_view json);

  // Takes everything.
  bool empty() const { return patterns_.empty(); }
  // Whether one of the patterns matches. Errors, each with a sentence: kUnavailable, if there is no memory for it;
  // kInvalid (reason 0), if the text is no JSON.
  Result<bool> matches(std::string_view record) const;

 private:
  std::vector<EventPattern> patterns_;
};

}  // namespace partita::sinks
