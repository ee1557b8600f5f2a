// A text of a policy that a text of a request is held against: with '*' and '?', and with variables such as
// ${aws:username}, which are put in when it is asked.
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
    bool any_case = false;  // letters of either case are the same
  };

  // Nothing when a variable does not end, or names nothing.
  static std::optional<Pattern> read(std::string_view text, Rules rules);

  // A variable that the request has no value or several for makes it match nothing. What a variable stands for is taken
  // letter by letter: a star in it is a star.
  bool matches(std::string_view text, Circumstances& circumstances) const;

  // The only text that it matches; null when there are several, or none is known before it is asked.
  const std::string* plain() const;
  // The same, where letters of either case may be the same.
  const std::string* literal() const;

  // Whether every variable has a value now.
  bool is_whole(Circumstances& circumstances) const;

  // The patterns between the colons of this one: `most` at most, the last with the colons that are left.
  std::vector<Pattern> split_at_colons(size_t most) const;

 private:
  struct Piece {
    enum class Kind : uint8_t { kText, kAnyText, kAnyCharacter, kVariable };
    Kind kind = Kind::kText;
    std::string text;  // of kText; of kVariable what stands in for a missing value, when `has_default`
    KeyName key = {};
    bool has_default = false;
  };

  static bool read_variable(std::string_view inside, Pattern& pattern);
  void add_text(std::string_view text);
  bool matches_pieces(std::string_view text, Circumstances& circumstances) const;
  size_t next_place(const Piece& piece, std::string_view text, size_t at) const;

  std::vector<Piece> pieces_;
  bool any_case_ = false;
  bool has_variables_ = false;
};

}  // namespace partita::auth
