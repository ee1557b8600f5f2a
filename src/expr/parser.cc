#include "expr/parser.h"

#include <charconv>

#include "expr/reserved_words.h"

namespace partita::expr {

using model::Fault;

namespace {

// The words that mean something in an update only.
bool opens_section(TokenKind kind) {
  return kind == TokenKind::kSet || kind == TokenKind::kRemove || kind == TokenKind::kAdd || kind == TokenKind::kDelete;
}

}  // namespace

Result<void> Parser::begin() {
  if (text_.empty()) return refuse(Fault::kExpressionEmpty);
  if (text_.size() > model::kMaxExpressionBytes && kind_ == ExpressionKind::kUpdate)
    return refuse(Fault::kUpdateTooLong);
  if (text_.size() > model::kMaxExpressionBytes) {
    return refuse(Fault::kExpressionTooLong, {std::to_string(text_.size())});
  }
  tokens_ = tokenize(text_);
  if (kind_ == ExpressionKind::kUpdate) return {};
  for (Token& token : tokens_) {
    if (opens_section(token.kind)) token.kind = TokenKind::kIdentifier;
  }
  return {};
}

const Token& Parser::take() {
  const Token& token = tokens_[at_];
  if (token.kind != TokenKind::kEnd) ++at_;
  return token;
}

bool Parser::take_if(TokenKind kind) {
  if (!next_is(kind)) return false;
  take();
  return true;
}

Result<void> Parser::expect(TokenKind kind) {
  if (!take_if(kind)) return syntax_error();
  return {};
}

Error Parser::refuse(Fault fault, std::vector<std::string> args) const {
  args.insert(args.begin(), std::string(expression_name(kind_)));
  return model::refuse(fault, std::move(args));
}

Error Parser::syntax_error() const {
  const Token& token = tokens_[at_];
  const Token& first = at_ > 0 ? tokens_[at_ - 1] : token;
  const Token& last = at_ + 1 < tokens_.size() ? tokens_[at_ + 1] : token;
  const std::string_view near = text_.substr(first.offset, last.offset + last.text.size() - first.offset);
  const std::string_view shown = token.kind == TokenKind::kEnd ? "<EOF>" : token.text;
  return refuse(Fault::kExpressionSyntax, {std::string(shown), std::string(near)});
}

Result<void> Parser::count_operator() {
  if (++operators_ <= model::kMaxExpressionOperators) return {};
  return refuse(Fault::kExpressionTooManyOperators, {std::to_string(operators_)});
}

void Parser::note_form(uint64_t rank, Fault fault, std::vector<std::string> args) {
  if (form_error_ && form_rank_ <= rank) return;
  form_rank_ = rank;
  form_error_ = refuse(fault, std::move(args));
}

void Parser::note_meaning(Fault fault, std::vector<std::string> args) {
  if (meaning_error_ || (name_error_ && !names_apart_)) return;
  meaning_error_ = refuse(fault, std::move(args));
}

std::string Parser::resolve_name(const Token& token) {
  if (token.kind == TokenKind::kIdentifier) {
    if (is_reserved_word(token.text)) {
      note_form(rank_of(token), Fault::kExpressionReservedWord, {std::string(token.text)});
    }
    return std::string(token.text);
  }
  const std::string* name = given_.use_name(token.text);
  if (name != nullptr) return *name;
  if (!name_error_ && (names_apart_ || !meaning_error_)) {
    name_error_ = refuse(Fault::kExpressionUndefinedName, {std::string(token.text)});
  }
  return {};
}

Result<void> Parser::parse_position(Path& path) {
  if (!next_is(TokenKind::kInteger)) return syntax_error();
  const Token& token = take();
  uint64_t position = 0;
  const auto [end, error] = std::from_chars(token.text.data(), token.text.data() + token.text.size(), position);
  if (error != std::errc() || position > kMaxListPosition) {
    note_form(rank_of(token), Fault::kExpressionIndexRange, {std::string(token.text)});
    position = 0;
  }
  path.steps.emplace_back(static_cast<uint32_t>(position));
  return expect(TokenKind::kCloseBracket);
}

Result<Path> Parser::parse_path() {
  if (!next_is(TokenKind::kIdentifier) && !next_is(TokenKind::kName)) return syntax_error();
  Path path;
  path.attribute = resolve_name(take());
  while (true) {
    if (take_if(TokenKind::kDot)) {
      if (!next_is(TokenKind::kIdentifier) && !next_is(TokenKind::kName)) return syntax_error();
      path.steps.emplace_back(resolve_name(take()));
    } else if (take_if(TokenKind::kOpenBracket)) {
      PARTITA_TRY_VOID(parse_position(path));
    } else {
      break;
    }
  }
  if (path.steps.size() + 1 > kMaxPathLevels) {
    note_meaning(Fault::kExpressionPathTooDeep, {std::to_string(path.steps.size() + 1)});
  }
  return path;
}

ValuePtr Parser::use_value(const Token& token) {
  ValuePtr value = given_.use_value(token.text);
  if (value == nullptr) note_meaning(Fault::kExpressionUndefinedValue, {std::string(token.text)});
  return value;
}

}  // namespace partita::expr
