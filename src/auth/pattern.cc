#include "auth/pattern.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "auth/text_util.h"

namespace partita::auth {

namespace {

bool same_text(std::string_view one, std::string_view other, bool any_case) {
  if (one.size() != other.size()) return false;
  // Nearly everybody writes names as they are.
  return one == other || (any_case && std::ranges::equal(one, other, {}, lower, lower));
}

// Of comparing or skipping so many bytes, which are looked at many at a time.
uint64_t cost_of(size_t bytes) { return bytes / 8; }

// Bytes of the character that the text begins with, in UTF-8.
size_t character_bytes(std::string_view text) {
  size_t bytes = 1;
  while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) ++bytes;
  return bytes;
}

}  // namespace

void Pattern::add_text(std::string_view text) {
  if (text.empty()) return;
  if (pieces_.empty() || pieces_.back().kind != Piece::Kind::kText) pieces_.push_back({Piece::Kind::kText, {}});
  pieces_.back().text += text;
}

// What stands between the braces: a key, and perhaps a comma and a default in quotes.
bool Pattern::read_variable(std::string_view inside, Pattern& pattern) {
  if (inside == "*" || inside == "?" || inside == "$") {
    pattern.add_text(inside);
    return true;
  }
  Piece piece{Piece::Kind::kVariable, {}};
  if (const size_t comma = inside.find(','); comma != std::string_view::npos) {
    const std::string_view fallback = trim(inside.substr(comma + 1));
    if (fallback.size() < 2 || fallback.front() != '\'' || fallback.back() != '\'') return false;
    piece.text = fallback.substr(1, fallback.size() - 2);
    piece.has_default = true;
    inside = trim(inside.substr(0, comma));
  }
  auto name = key_name(inside);
  if (!name || name->key == ConditionKey::kUnknown) return false;
  piece.key = std::move(*name);
  pattern.pieces_.push_back(std::move(piece));
  pattern.has_variables_ = true;
  return true;
}

std::optional<Pattern> Pattern::read(std::string_view text, Rules rules) {
  Pattern pattern;
  pattern.any_case_ = rules.any_case;
  while (!text.empty()) {
    if (rules.variables && text.starts_with("${")) {
      const size_t end = text.find('}');
      if (end == std::string_view::npos || !read_variable(text.substr(2, end - 2), pattern)) return std::nullopt;
      text.remove_prefix(end + 1);
      continue;
    }
    const char first = text.front();
    if (rules.wildcards && first == '*') {
      const bool again = !pattern.pieces_.empty() && pattern.pieces_.back().kind == Piece::Kind::kAnyText;
      if (!again) pattern.pieces_.push_back({Piece::Kind::kAnyText, {}});
    } else if (rules.wildcards && first == '?') {
      pattern.pieces_.push_back({Piece::Kind::kAnyCharacter, {}});
    } else {
      pattern.add_text(text.substr(0, 1));
    }
    text.remove_prefix(1);
  }
  return pattern;
}

bool Pattern::is_whole(ConditionContext& condition_context) const {
  if (!has_variables_) return true;
  return std::ranges::all_of(pieces_, [&](const Piece& piece) {
    if (piece.kind != Piece::Kind::kVariable || piece.has_default) return true;
    const auto values = condition_context.values(piece.key);
    return values && values->size() == 1;
  });
}

const std::string* Pattern::plain() const { return any_case_ && !pieces_.empty() ? nullptr : literal(); }

const std::string* Pattern::literal() const {
  static const std::string kEmpty;
  if (pieces_.empty()) return &kEmpty;
  const bool text = pieces_.size() == 1 && pieces_.front().kind == Piece::Kind::kText;
  return text ? &pieces_.front().text : nullptr;
}

bool Pattern::matches(std::string_view text, ConditionContext& condition_context) const {
  if (!condition_context.effort().spend(1)) return false;
  if (pieces_.empty()) return text.empty();
  const Piece& first = pieces_.front();
  if (pieces_.size() == 1) {
    if (first.kind == Piece::Kind::kText) return same_text(first.text, text, any_case_);
    if (first.kind == Piece::Kind::kAnyText) return true;
  }
  if (pieces_.size() == 2 && first.kind == Piece::Kind::kText && pieces_[1].kind == Piece::Kind::kAnyText) {
    return condition_context.effort().spend(cost_of(first.text.size())) &&
           same_text(first.text, text.substr(0, first.text.size()), any_case_);
  }
  // What most patterns are found not to match by.
  const Piece& last = pieces_.back();
  if (last.kind == Piece::Kind::kText && !any_case_ && !text.ends_with(last.text)) return false;
  return is_whole(condition_context) && matches_pieces(text, condition_context);
}

// All but '*' take a known number of bytes, so it is enough to go back to the last '*'.
bool Pattern::matches_pieces(std::string_view text, ConditionContext& condition_context) const {
  Effort& effort = condition_context.effort();
  const auto taken = [&](const Piece& piece, std::string_view rest) -> std::optional<size_t> {
    if (piece.kind == Piece::Kind::kAnyCharacter) {
      return rest.empty() ? std::nullopt : std::optional(character_bytes(rest));
    }
    std::string_view wanted = piece.text;
    if (piece.kind == Piece::Kind::kVariable) {
      const auto values = condition_context.values(piece.key);
      if (values && values->size() == 1) wanted = values->front();
    }
    if (!effort.spend(cost_of(wanted.size()))) return std::nullopt;
    if (!same_text(wanted, rest.substr(0, wanted.size()), any_case_)) return std::nullopt;
    return wanted.size();
  };
  size_t piece = 0;
  size_t at = 0;
  std::optional<std::pair<size_t, size_t>> star;  // the piece behind it, and where the text goes on
  while (piece < pieces_.size() || at < text.size()) {
    if (!effort.spend(1)) return false;
    if (piece < pieces_.size() && pieces_[piece].kind == Piece::Kind::kAnyText) {
      if (++piece == pieces_.size()) return true;
      star = {piece, at};
      continue;
    }
    const auto bytes = piece < pieces_.size() ? taken(pieces_[piece], text.substr(at)) : std::nullopt;
    if (bytes) {
      at += *bytes;
      ++piece;
      continue;
    }
    if (!star || star->second >= text.size()) return false;
    const size_t before = star->second;
    star->second = next_place(pieces_[star->first], text, before);
    if (star->second == std::string_view::npos) return false;
    if (!effort.spend(cost_of(star->second - before))) return false;
    std::tie(piece, at) = *star;
  }
  return true;
}

// Behind `at`, where the piece that follows a '*' may be found next.
size_t Pattern::next_place(const Piece& piece, std::string_view text, size_t at) const {
  if (piece.kind == Piece::Kind::kText && !any_case_) return text.find(piece.text, at + 1);
  return at + character_bytes(text.substr(at));
}

std::vector<Pattern> Pattern::split_at_colons(size_t most) const {
  std::vector<Pattern> parts(1);
  for (const Piece& piece : pieces_) {
    if (piece.kind != Piece::Kind::kText) {
      parts.back().pieces_.push_back(piece);
      parts.back().has_variables_ |= piece.kind == Piece::Kind::kVariable;
      continue;
    }
    std::string_view text = piece.text;
    while (parts.size() < most) {
      const size_t colon = text.find(':');
      if (colon == std::string_view::npos) break;
      parts.back().add_text(text.substr(0, colon));
      parts.emplace_back();
      text.remove_prefix(colon + 1);
    }
    parts.back().add_text(text);
  }
  for (Pattern& part : parts) part.any_case_ = any_case_;
  return parts;
}

}  // namespace partita::auth
