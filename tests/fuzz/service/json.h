// JSON as a tree that can be changed: what the mutator of whole requests works on, and what their replies are read
// with. It keeps what the server's own reader drops: doubled members, and how each scalar was spelled.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace partita::fuzz {

struct Json {
  enum class Kind { kScalar, kArray, kObject };

  static Json scalar(std::string text) { return Json{Kind::kScalar, std::move(text), {}, {}}; }
  static Json string(std::string_view text);

  bool is_string() const { return kind == Kind::kScalar && text.starts_with('"'); }
  // What stands between the quotes, escapes as they are. Precondition: is_string().
  std::string_view content() const { return std::string_view(text).substr(1, text.size() - 2); }
  // The first member of that name, or null.
  const Json* find(std::string_view name) const;

  Kind kind = Kind::kScalar;
  std::string text;                // of a scalar, with its quotes
  std::vector<std::string> names;  // of an object's members, without quotes, escapes as they are
  std::vector<Json> children;      // elements, or members' values
};

// Nothing for what is no JSON, or deeper than 500 levels.
std::optional<Json> parse_json(std::string_view text);
std::string print_json(const Json& json);

}  // namespace partita::fuzz
