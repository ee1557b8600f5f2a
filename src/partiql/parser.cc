#include <memory>

#include "model/fault.h"
#include "partiql/expression_parser.h"
#include "partiql/syntax.h"

namespace partita::partiql {

namespace {

using model::Fault;
using model::refuse;

class StatementParser final : public ExpressionParser {
 public:
  explicit StatementParser(std::vector<Token> tokens) : ExpressionParser(std::move(tokens)) {}

  Result<Parsed> run() {
    Parsed parsed;
    PARTITA_TRY_VOID(parse_expression(kWhole, parsed.node));
    if (take_if(TokenKind::kSemicolon)) {
      if (!next_is(TokenKind::kEnd)) return refuse(Fault::kPartiqlAfterSemicolon);
    } else if (!next_is(TokenKind::kEnd)) {
      return refuse(Fault::kPartiqlLeftover);
    }
    parsed.parameters = parameters_;
    return parsed;
  }

 private:
  Result<void> parse_statement(Node& node) override {
    const Level level(depth_);
    if (depth_ > kMaxDepth) return refuse(Fault::kPartiqlUnreadable);
    auto said = std::make_shared<Syntax>();
    node.kind = NodeKind::kStatement;
    node.place = peek().place;
    node.statement = said;
    if (take_keyword("select")) return parse_select(*said);
    if (take_keyword("delete")) return parse_delete(*said);
    if (take_keyword("update")) return parse_update(*said);
    if (take_keyword("from")) return parse_from_first(*said);
    said->kind = Syntax::Kind::kChange;
    PARTITA_TRY_VOID(parse_changes(*said));
    return parse_returning(*said);
  }

  Result<void> parse_select(Syntax& said) {
    if (next_is_keyword("distinct")) {
      said.clause = Clause{"DISTINCT", take().place};
    } else {
      take_keyword("all");
    }
    if (take_keyword("value")) {
      said.value_only = true;
      PARTITA_TRY_VOID(parse_expression(kWhole, said.items.emplace_back().value));
    } else {
      PARTITA_TRY_VOID(parse_select_list(said));
    }
    if (!take_keyword("from")) return refuse(Fault::kPartiqlNoFrom);
    PARTITA_TRY_VOID(parse_sources(kClause, said));
    if (take_keyword("where")) PARTITA_TRY_VOID(parse_expression(kClause, said.where.emplace()));
    PARTITA_TRY_VOID(parse_unsupported("group", "by", "GROUP BY", said));
    PARTITA_TRY_VOID(parse_unsupported("having", "", "HAVING", said));
    PARTITA_TRY_VOID(parse_order(said));
    PARTITA_TRY_VOID(parse_unsupported("limit", "", "LIMIT", said));
    return parse_unsupported("offset", "", "OFFSET", said);
  }

  Result<void> parse_select_list(Syntax& said) {
    do {
      SelectItem& item = said.items.emplace_back();
      item.star = take_if(TokenKind::kStar);
      if (item.star) continue;
      PARTITA_TRY_VOID(parse_expression(kWhole, item.value));
      PARTITA_TRY_VOID(parse_alias(item.alias));
    } while (take_if(TokenKind::kComma));
    return {};
  }

  Result<void> parse_alias(bool& alias) {
    const bool spelt = take_keyword("as");
    if (spelt && !is_name(peek())) return refuse(Fault::kPartiqlAliasExpected);
    alias = spelt || is_name(peek());
    if (alias) take();
    return {};
  }

  Result<void> parse_sources(int precedence, Syntax& said) {
    PARTITA_TRY_VOID(parse_expression(precedence, said.source));
    PARTITA_TRY_VOID(parse_alias(said.alias));
    const auto goes_on = [&] {
      return next_is(TokenKind::kComma) || next_is_keyword("join") || next_is_keyword("inner") ||
             next_is_keyword("left") || next_is_keyword("right") || next_is_keyword("full") ||
             next_is_keyword("outer") || next_is_keyword("cross");
    };
    while (goes_on()) {
      said.several = true;
      while (next_is(TokenKind::kComma) || next_is_keyword("join") || goes_on()) take();
      Node other;
      PARTITA_TRY_VOID(parse_expression(precedence, other));
      bool alias = false;
      PARTITA_TRY_VOID(parse_alias(alias));
      if (take_keyword("on")) PARTITA_TRY_VOID(parse_expression(precedence, other = Node()));
    }
    return {};
  }

  Result<void> parse_unsupported(std::string_view word, std::string_view second, std::string_view name, Syntax& said) {
    if (!take_keyword(word)) return {};
    if (!second.empty() && !take_keyword(second)) return refuse(Fault::kPartiqlExpected, {"BY"});
    Node list;
    PARTITA_TRY_VOID(parse_elements(list));
    if (!said.clause) said.clause = Clause{std::string(name), list.children.front().place};
    return {};
  }

  Result<void> parse_order(Syntax& said) {
    if (!take_keyword("order")) return {};
    if (!take_keyword("by")) return refuse(Fault::kPartiqlExpected, {"BY"});
    do {
      OrderTerm& term = said.order.emplace_back();
      PARTITA_TRY_VOID(parse_expression(kClause, term.value));
      term.descending = take_keyword("desc");
      if (!term.descending) take_keyword("asc");
    } while (take_if(TokenKind::kComma));
    return {};
  }

  Result<void> parse_delete(Syntax& said) {
    said.kind = Syntax::Kind::kDelete;
    if (!take_keyword("from")) return refuse(Fault::kPartiqlNoFromAfterDelete);
    PARTITA_TRY_VOID(parse_simple_path(said.source));
    PARTITA_TRY_VOID(parse_alias(said.alias));
    PARTITA_TRY_VOID(parse_where(said));
    return parse_returning(said);
  }

  Result<void> parse_update(Syntax& said) {
    said.kind = Syntax::Kind::kChange;
    PARTITA_TRY_VOID(parse_simple_path(said.source));
    PARTITA_TRY_VOID(parse_alias(said.alias));
    PARTITA_TRY_VOID(parse_changes(said));
    PARTITA_TRY_VOID(parse_where(said));
    return parse_returning(said);
  }

  Result<void> parse_from_first(Syntax& said) {
    said.kind = Syntax::Kind::kChange;
    PARTITA_TRY_VOID(parse_sources(kWhole, said));
    PARTITA_TRY_VOID(parse_where(said));
    PARTITA_TRY_VOID(parse_changes(said));
    return parse_returning(said);
  }

  Result<void> parse_where(Syntax& said) {
    if (!take_keyword("where")) return {};
    return parse_expression(kWhole, said.where.emplace());
  }

  // One or more of SET, REMOVE and INSERT INTO.
  Result<void> parse_changes(Syntax& said) {
    do {
      if (take_keyword("set")) {
        PARTITA_TRY_VOID(parse_assignments(said));
      } else if (take_keyword("remove")) {
        UpdateClause& change = said.changes.emplace_back();
        change.kind = UpdateClause::Kind::kRemove;
        PARTITA_TRY_VOID(parse_simple_path(change.target));
      } else if (take_keyword("insert into")) {
        PARTITA_TRY_VOID(parse_insert(said.changes.emplace_back()));
      } else {
        return refuse(Fault::kPartiqlChangeExpected);
      }
    } while (next_is_keyword("set") || next_is_keyword("remove") || next_is_keyword("insert into"));
    return {};
  }

  Result<void> parse_assignments(Syntax& said) {
    do {
      UpdateClause& change = said.changes.emplace_back();
      PARTITA_TRY_VOID(parse_simple_path(change.target));
      if (!next_is(TokenKind::kOperator) || peek().text != "=") return refuse(Fault::kPartiqlAssignmentExpected);
      take();
      PARTITA_TRY_VOID(parse_expression(kWhole, change.value));
    } while (take_if(TokenKind::kComma));
    return {};
  }

  Result<void> parse_insert(UpdateClause& change) {
    change.kind = UpdateClause::Kind::kInsert;
    PARTITA_TRY_VOID(parse_simple_path(change.target));
    change.one = take_keyword("value");
    PARTITA_TRY_VOID(parse_expression(kWhole, change.value));
    if (!change.one || !take_keyword("at")) return {};
    change.at = true;
    Node position;
    return parse_expression(kWhole, position);
  }

  Result<void> parse_returning(Syntax& said) {
    if (!take_keyword("returning")) return {};
    Returning& returning = said.returning.emplace();
    bool first = true;
    do {
      const Token& token = peek();
      const bool known =
          token.kind == TokenKind::kKeyword && (token.text == "all old" || token.text == "all new" ||
                                                token.text == "modified old" || token.text == "modified new");
      if (!known) return refuse(Fault::kPartiqlExpected, {"( MODIFIED | ALL ) ( NEW | OLD ) in RETURNING clause"});
      if (first) {
        returning.modified = token.text.starts_with("modified");
        returning.old = token.text.ends_with("old");
      }
      returning.several = !first;
      first = false;
      take();
      if (take_if(TokenKind::kStar)) continue;
      returning.star = false;
      Node other;
      PARTITA_TRY_VOID(parse_expression(kWhole, other));
    } while (take_if(TokenKind::kComma));
    return {};
  }
};

}  // namespace

bool Node::operator==(const Node& other) const {
  const bool same_statement =
      statement == nullptr ? other.statement == nullptr : other.statement != nullptr && *statement == *other.statement;
  return same_statement && kind == other.kind && text == other.text && quoted == other.quoted &&
         negated == other.negated && grouped == other.grouped && position == other.position &&
         children == other.children;
}

Result<Parsed> parse(std::string_view text) {
  PARTITA_TRY(std::vector<Token> tokens, tokenize(text));
  return StatementParser(std::move(tokens)).run();
}

}  // namespace partita::partiql
