// A pattern in a policy, matched against a text of a request: with '*' and '?', and variables such as ${aws:username},
// which are substituted when it is matched.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/condition_key.h"

namespace partita::auth {

// Immutable.
class Pattern {
 public:
  struct Rules {
    bool wildcards = true;
    bool variables = true;
    bool any_case = false;  // ignores case
  };

  // Nullopt if a variable is not terminated or names nothing.
  static std::optional<Pattern> read(std::string_view text, Rules rules);

  // If the request has no value or several for a variable, the pattern matches nothing. The value of a variable is
  // matched literally: a star in it is a star.
  bool matches(std::string_view text, ConditionContext& condition_context) const;

  // The only text that it matches; null if there are several, or if it depends on the request.
  const std::string* plain() const;
  // The same, also for a pattern that ignores case.
  const std::string* literal() const;

  // Whether every variable has a value in this request.
  bool is_whole(ConditionContext& condition_context) const;

  // The patterns between the colons of this one, at most `most`; the last one has the remaining colons.
  std::vector<Pattern> split_at_colons(size_t most) const;

 private:
  struct Piece {
    enum class Kind : uint8_t { kText, kAnyText, kAnyCharacter, kVariable };
    Kind kind = Kind::kText;
    std::string text;  // of kText; of kVariable the default value, if `has_default`
    KeyName key = {};
    bool has_default = false;
  };

  static bool read_variable(std::string_view inside, Pattern& pattern);
  void add_text(std::string_view text);
  bool matches_pieces(std::string_view text, ConditionContext& condition_context) const;
  size_t next_place(const Piece& piece, std::string_view text, size_t at) const;

  std::vector<Piece> pieces_;
  bool any_case_ = false;
  bool has_variables_ = false;
};

}  // namespace partita::auth
