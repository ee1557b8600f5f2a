#include "partiql/print_testing.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace partita::partiql {

namespace {

class Printer {
 public:
  std::optional<std::string> run(const Node& node) {
    if (node.kind == NodeKind::kStatement) {
      statement(*node.statement);
    } else {
      expression(node);
    }
    if (lost_) return std::nullopt;
    return std::move(out_);
  }

 private:
  void put(std::string_view text) { out_ += text; }

  void quoted(const std::string& text, char quote) {
    out_ += quote;
    for (const char c : text) {
      out_ += c;
      if (c == quote) out_ += c;
    }
    out_ += quote;
  }

  void name(const Node& node) {
    if (node.quoted) return quoted(node.text, '"');
    put(node.text);
  }

  void listed(const std::vector<Node>& nodes) {
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (i > 0) put(", ");
      if (nodes[i].kind == NodeKind::kStatement) {
        statement(*nodes[i].statement);
        lost_ = lost_ || nodes.size() > 1;  // it would take what is behind the comma
      } else {
        expression(nodes[i]);
      }
    }
  }

  // As one side of an operator. Parentheses leave nothing behind but around AND and OR, which know of theirs.
  void operand(const Node& node) {
    const bool plain = node.kind == NodeKind::kAnd || node.kind == NodeKind::kOr ||
                       (node.kind < NodeKind::kSign && node.kind != NodeKind::kStatement);
    if (plain) return expression(node);
    put("(");
    if (node.kind == NodeKind::kStatement) {
      statement(*node.statement);
    } else {
      expression(node);
    }
    put(")");
  }

  void infix(const Node& node, const std::string& sign) {
    for (size_t i = 0; i < node.children.size(); ++i) {
      if (i > 0) put(" " + sign + " ");
      operand(node.children[i]);
    }
  }

  void expression(const Node& node) {
    if (node.grouped) put("(");
    bare(node);
    if (node.grouped) put(")");
  }

  void bare(const Node& node) {
    const std::string_view is_not = node.negated ? " NOT" : "";
    switch (node.kind) {
      case NodeKind::kString:
        return quoted(node.text, '\'');
      case NodeKind::kIon:
        return quoted(node.text, '`');
      case NodeKind::kParameter:
        return put("?");
      case NodeKind::kName:
        return name(node);
      case NodeKind::kPath:
        return path(node);
      case NodeKind::kList:
        return bracketed("[", node.children, "]");
      case NodeKind::kBag:
        return bracketed("<<", node.children, ">>");
      case NodeKind::kStruct:
        return structure(node);
      case NodeKind::kCall:
        quoted(node.text, '"');
        return bracketed("(", node.children, ")");
      case NodeKind::kCallOfAll:
        return put("COUNT(*)");
      case NodeKind::kSign:
        put(node.text + " ");
        return operand(node.children[0]);
      case NodeKind::kNot:
        put("NOT ");
        return operand(node.children[0]);
      case NodeKind::kAnd:
        return infix(node, "AND");
      case NodeKind::kOr:
        return infix(node, "OR");
      case NodeKind::kInfix:
        return infix(node, node.text);
      case NodeKind::kBetween:
        operand(node.children[0]);
        put(std::string(is_not) + " BETWEEN ");
        operand(node.children[1]);
        put(" AND ");
        return operand(node.children[2]);
      case NodeKind::kIn:
        return in(node, is_not);
      case NodeKind::kLike:
        operand(node.children[0]);
        put(std::string(is_not) + " LIKE ");
        operand(node.children[1]);
        if (node.children.size() == 2) return;
        put(" ESCAPE ");
        return operand(node.children[2]);
      case NodeKind::kIs:
        operand(node.children[0]);
        return put(" IS" + std::string(is_not) + " " + node.text);
      default:
        return put(node.text);
    }
  }

  // In parentheses its right side would be a list.
  void in(const Node& node, std::string_view is_not) {
    operand(node.children[0]);
    put(std::string(is_not) + " IN ");
    const Node& among = node.children[1];
    lost_ = lost_ || among.kind == NodeKind::kStatement || among.kind == NodeKind::kAnd ||
            among.kind == NodeKind::kOr || among.kind >= NodeKind::kSign;
    expression(among);
  }

  void bracketed(std::string_view open, const std::vector<Node>& nodes, std::string_view close) {
    put(open);
    listed(nodes);
    put(close);
  }

  void structure(const Node& node) {
    put("{");
    for (size_t i = 0; i < node.children.size(); i += 2) {
      if (i > 0) put(", ");
      operand(node.children[i]);
      put(": ");
      operand(node.children[i + 1]);
    }
    put("}");
  }

  void path(const Node& node) {
    const bool named = node.children[0].kind == NodeKind::kName;
    if (!named) put("(");
    expression_or_statement(node.children[0]);
    if (!named) put(")");
    for (size_t i = 1; i < node.children.size(); ++i) {
      const Node& step = node.children[i];
      if (step.kind == NodeKind::kMember) {
        put(".");
        name(step);
      } else if (step.kind == NodeKind::kMembers) {
        put(".*");
      } else if (step.kind == NodeKind::kElements) {
        put("[*]");
      } else {
        put("[");
        expression_or_statement(step.children[0]);
        put("]");
      }
    }
  }

  void expression_or_statement(const Node& node) {
    if (node.kind == NodeKind::kStatement) return statement(*node.statement);
    expression(node);
  }

  void statement(const Syntax& said) {
    lost_ = lost_ || said.alias || said.several || said.clause ||
            (said.returning && (said.returning->several || !said.returning->star));
    switch (said.kind) {
      case Syntax::Kind::kSelect:
        select(said);
        break;
      case Syntax::Kind::kDelete:
        put("DELETE FROM ");
        expression(said.source);
        where(said);
        break;
      case Syntax::Kind::kChange:
        change(said);
        break;
    }
    if (!said.returning) return;
    put(said.returning->modified ? " RETURNING MODIFIED" : " RETURNING ALL");
    put(said.returning->old ? " OLD *" : " NEW *");
  }

  void select(const Syntax& said) {
    put(said.value_only ? "SELECT VALUE " : "SELECT ");
    for (size_t i = 0; i < said.items.size(); ++i) {
      if (i > 0) put(", ");
      lost_ = lost_ || said.items[i].alias;
      if (said.items[i].star) {
        put("*");
      } else {
        operand(said.items[i].value);
      }
    }
    put(" FROM ");
    operand(said.source);
    where(said);
    for (size_t i = 0; i < said.order.size(); ++i) {
      put(i == 0 ? " ORDER BY " : ", ");
      operand(said.order[i].value);
      if (said.order[i].descending) put(" DESC");
    }
  }

  void where(const Syntax& said) {
    if (!said.where) return;
    put(" WHERE ");
    if (said.where->kind == NodeKind::kStatement) {
      operand(*said.where);
    } else {
      expression(*said.where);
    }
  }

  // The position of the first parameter within, or nothing.
  static std::optional<size_t> first_parameter(const Node& node) {
    if (node.kind == NodeKind::kParameter) return node.position;
    for (const Node& child : node.children) {
      if (const auto found = first_parameter(child)) return found;
    }
    return std::nullopt;
  }

  static bool is_simple(const Node& source) {
    if (source.kind == NodeKind::kName) return true;
    if (source.kind != NodeKind::kPath || source.children[0].kind != NodeKind::kName) return false;
    return std::all_of(source.children.begin() + 1, source.children.end(), [](const Node& step) {
      return step.kind == NodeKind::kMember ||
             (step.kind == NodeKind::kElement && step.children[0].kind <= NodeKind::kMissing);
    });
  }

  // FROM ... WHERE ... SET, or UPDATE ... SET ... WHERE: as the parameters are numbered.
  static bool is_from_first(const Syntax& said) {
    if (!is_simple(said.source)) return true;
    const auto where = said.where ? first_parameter(*said.where) : std::nullopt;
    for (const UpdateClause& one : said.changes) {
      const auto change = first_parameter(one.value);
      if (where && change) return *where < *change;
    }
    return false;
  }

  void change(const Syntax& said) {
    if (said.source.kind == NodeKind::kNull && said.source.text.empty()) return changes(said);
    const bool from_first = is_from_first(said);
    put(from_first ? "FROM " : "UPDATE ");
    operand(said.source);
    if (from_first) where(said);
    changes(said);
    if (!from_first) where(said);
  }

  void changes(const Syntax& said) {
    for (const UpdateClause& one : said.changes) {
      lost_ = lost_ || one.at;
      if (one.kind == UpdateClause::Kind::kRemove) {
        put(" REMOVE ");
        expression(one.target);
        continue;
      }
      put(one.kind == UpdateClause::Kind::kSet ? " SET " : " INSERT INTO ");
      expression(one.target);
      put(one.kind == UpdateClause::Kind::kSet ? " = " : one.one ? " VALUE " : " ");
      // A bare name behind the target would be taken for something else.
      if (one.kind == UpdateClause::Kind::kInsert && !one.one) lost_ = true;
      operand(one.value);
    }
  }

  std::string out_;
  bool lost_ = false;
};

}  // namespace

std::optional<std::string> print(const Node& node) { return Printer().run(node); }

}  // namespace partita::partiql
