// The syntax tree of a statement, before any interpretation. docs/partiql.md has the grammar.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "partiql/lexer.h"

namespace partita::partiql {

enum class NodeKind : uint8_t {
  kString,
  kNumber,   // `text` with its sign, if it has one
  kBoolean,  // `text`: true or false
  kNull,
  kMissing,
  kIon,
  kParameter,  // `position`, from 0
  kName,       // `text`
  kPath,       // children: what it starts from, then its steps
  kList,
  kBag,
  kStruct,     // children: names and values in turn
  kCall,       // `text`: the function, in lower case; children: its arguments
  kCallOfAll,  // COUNT(*)
  kSign,       // `text`: + or -; before something that is not a number
  kNot,
  kAnd,  // of two or more
  kOr,
  kInfix,    // `text`: the operator; two children
  kBetween,  // children: what, low, high; `negated`
  kIn,       // children: what, among what; `negated`
  kLike,     // children: what, pattern, and the escape if there is one; `negated`
  kIs,       // `text`: the type; `negated`
  kStatement,
  // Steps of a path:
  kMember,    // .name: `text`
  kMembers,   // .*
  kElement,   // [...]: one child
  kElements,  // [*]
};

struct Syntax;

struct Node {
  NodeKind kind = NodeKind::kNull;
  std::string text;
  bool quoted = false;  // of a name: it was written in quotes
  bool negated = false;
  bool grouped = false;  // of kAnd and kOr: in parentheses of its own
  size_t position = 0;
  TextPosition place;
  std::vector<Node> children;
  std::shared_ptr<const Syntax> statement;  // of kStatement

  bool operator==(const Node& other) const;  // ignores places
};

// SET target = value, REMOVE target, or an INSERT among them.
struct UpdateClause {
  enum class Kind : uint8_t { kSet, kRemove, kInsert };
  Kind kind = Kind::kSet;
  Node target;
  Node value;       // not of kRemove
  bool one = true;  // of an INSERT: VALUE, not a collection of values
  bool at = false;  // of an INSERT: AT a position
  bool operator==(const UpdateClause&) const = default;
};

struct Returning {
  bool modified = false;  // else ALL
  bool old = false;       // else NEW
  bool several = false;   // more than one of these was named
  bool star = true;       // what is returned is `*`
  bool operator==(const Returning&) const = default;
};

struct SelectItem {
  Node value;  // unless it is `*`
  bool star = false;
  bool alias = false;
  bool operator==(const SelectItem&) const = default;
};

struct OrderTerm {
  Node value;
  bool descending = false;
  bool operator==(const OrderTerm&) const = default;
};

// A clause that the grammar has but DynamoDB refuses, and the place of its argument.
struct Clause {
  std::string name;
  TextPosition place;
  bool operator==(const Clause& other) const { return name == other.name; }
};

struct Syntax {
  enum class Kind : uint8_t { kSelect, kChange, kDelete };
  Kind kind = Kind::kSelect;
  Node source;           // the table, or a path from it to its index
  bool alias = false;    // the source has one
  bool several = false;  // there are more sources
  // Of kSelect:
  std::vector<SelectItem> items;
  bool value_only = false;  // SELECT VALUE
  std::vector<OrderTerm> order;
  std::optional<Clause> clause;
  // Of kChange; of an INSERT the target is the source:
  std::vector<UpdateClause> changes;
  // Not of an INSERT:
  std::optional<Node> where;
  // Of kChange and kDelete:
  std::optional<Returning> returning;

  bool operator==(const Syntax&) const = default;
};

struct Parsed {
  Node node;
  size_t parameters = 0;  // how many there are in the text
};

// Parses the whole text, which may end with a semicolon. The grammar also accepts an expression that is not a
// statement. Takes linear time. Precondition: UTF-8. Faults: those that AWS's parser finds, under "PartiQL" in
// model/faults.inc.
Result<Parsed> parse(std::string_view text);

}  // namespace partita::partiql
