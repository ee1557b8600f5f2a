// The common part of the readers of expressions. Internal to wire/dax; see expression.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "expr/path.h"
#include "expr/placeholders.h"
#include "model/fault.h"
#include "model/value.h"
#include "wire/cbor.h"
#include "wire/dax/decoded_bytes.h"
#include "wire/item_reader.h"

namespace partita::wire::dax {

// The first members of a tree's nodes.
enum class TreeNode : uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kGreaterEqual,
  kGreater,
  kLessEqual,
  kAnd,
  kOr,
  kNot,
  kBetween,
  kIn,
  kAttributeExists,
  kAttributeNotExists,
  kAttributeType,
  kBeginsWith,
  kContains,
  kSize,
  kVariable,
  kPath,
  kSet,
  kAdd,
  kDelete,
  kRemove,
  kIfNotExists,
  kListAppend,
  kPlus,
  kMinus,
};

// As a text names it; empty for a variable and a path.
std::string_view node_name(TreeNode node);

Error malformed_tree(std::string what);
inline Error no_expression() { return malformed_tree("an expression has bytes that are no tree"); }

using TreeValues = std::vector<model::AttributeValue>;

// Takes the bytes of one expression apart, and reads what all trees have. As in expr/parser.h, faults of form and
// meaning are noted and come at the end.
class TreeReader {
 protected:
  // `memory`: null: there is always enough.
  TreeReader(expr::ExpressionKind kind, DecodedBytes* memory) : kind_(kind), memory_(memory ? *memory : unlimited_) {}
  TreeReader(const TreeReader&) = delete;
  TreeReader& operator=(const TreeReader&) = delete;

  // Takes the bytes apart and reads the values, if there are to be any.
  Result<void> begin(std::string_view bytes, std::optional<Nesting> values);

  // See read_condition().
  void append_canonical(std::string& out) const;

  Error refuse(model::Fault fault, std::vector<std::string> args = {}) const;
  // Called before the operands are read, so that it bounds the depth.
  Result<void> count_operator();
  // Counts a step of a path or a value.
  Result<void> count_term();

  // Where something stands, in the order of the text.
  uint64_t next_rank() { return rank_base_ + places_++; }
  void note_form(uint64_t rank, model::Fault fault, std::vector<std::string> args);
  void note_meaning(model::Fault fault, std::vector<std::string> args) {
    if (!meaning_error_) meaning_error_ = refuse(fault, std::move(args));
  }

  // The head of a node; `operands` is what follows it.
  Result<TreeNode> read_node(uint64_t& operands);
  static Result<void> expect_operands(TreeNode node, uint64_t wanted, uint64_t operands);

  // Behind the head of a kPath.
  Result<void> read_path(uint64_t elements, expr::Path& path);
  // A node that has to be a path.
  Result<expr::Path> read_target();
  // Behind the head of a kVariable.
  Result<expr::ValuePtr> read_variable(uint64_t operands);

  CborReader& in() { return in_; }

  uint64_t rank_base_ = 0;
  std::optional<Error> form_error_;
  std::optional<Error> meaning_error_;

 private:
  Result<void> read_values(CborReader& in, Nesting nesting);
  Result<std::string> read_name();
  Result<void> read_step(expr::Path& path);

  const expr::ExpressionKind kind_;
  DecodedBytes unlimited_;
  DecodedBytes& memory_;
  std::string_view tree_;
  CborReader in_{{}};
  std::shared_ptr<const TreeValues> values_;
  size_t operators_ = 0;
  size_t terms_ = 0;
  uint64_t places_ = 0;
  uint64_t form_rank_ = 0;
};

}  // namespace partita::wire::dax
