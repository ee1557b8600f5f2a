#include "wire/strict_body.h"

#include <algorithm>
#include <string>
#include <vector>

#include "model/fault.h"

namespace partita::wire {

namespace {

using model::Fault;

constexpr std::string_view kBlanks = " \t\r\n";

// Steps over a text that is JSON, part by part.
class Walk {
 public:
  explicit Walk(std::string_view text) : text_(text) {}

  void skip_blanks() { at_ = std::min(text_.find_first_not_of(kBlanks, at_), text_.size()); }
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void step() { ++at_; }

  // A string without its quotes, as it is written.
  std::string_view string() {
    const size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    const size_t end = std::min(at_, text_.size());
    ++at_;
    return text_.substr(begin, end - begin);
  }

  // A number or a word.
  std::string_view bare() {
    const size_t begin = at_;
    at_ = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
    return text_.substr(begin, at_ - begin);
  }

  void container() {
    for (int depth = 0; at_ < text_.size();) {
      const char c = text_[at_];
      if (c == '"') {
        string();
        continue;
      }
      ++at_;
      if (c == '[' || c == '{') ++depth;
      if ((c == ']' || c == '}') && --depth == 0) return;
    }
  }

  // " at line 1 column 7": of what was stepped over last.
  std::string place() const {
    const std::string_view before = text_.substr(0, std::min(at_, text_.size()));
    const size_t line = before.rfind('\n');
    const size_t column = line == std::string_view::npos ? before.size() : before.size() - line - 1;
    return " at line " + std::to_string(std::ranges::count(before, '\n') + 1) + " column " + std::to_string(column);
  }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

std::string_view expected(StrictKind kind) {
  if (kind == StrictKind::kString) return "a string";
  if (kind == StrictKind::kMap) return "a map";
  return kind == StrictKind::kList ? "a sequence" : "i32";
}

// What stands there, where that is not what is expected; empty where it is. Steps over it.
std::string unexpected(Walk& walk, StrictKind kind) {
  switch (walk.next()) {
    case '"': {
      const std::string_view text = walk.string();
      return kind == StrictKind::kString ? "" : "string \"" + std::string(text) + "\"";
    }
    case '[':
      if (kind == StrictKind::kList) return walk.container(), "";
      return "sequence";
    case '{':
      if (kind == StrictKind::kMap) return walk.container(), "";
      return "map";
    default:
      break;
  }
  const std::string bare(walk.bare());
  if (bare == "null") return bare;
  if (bare == "true" || bare == "false") return "boolean `" + bare + "`";
  if (bare.find_first_of(".eE") != std::string::npos) return "floating point `" + bare + "`";
  return kind == StrictKind::kInteger ? "" : "integer `" + bare + "`";
}

}  // namespace

Result<void> check_strict(std::string_view body, std::span<const StrictMember> members) {
  Walk walk(body);
  walk.skip_blanks();
  if (walk.next() != '{') return {};
  walk.step();
  std::vector<std::string_view> seen;
  for (walk.skip_blanks(); walk.next() == '"'; walk.skip_blanks()) {
    const std::string_view name = walk.string();
    walk.skip_blanks();
    walk.step();  // the colon
    walk.skip_blanks();
    const auto member = std::ranges::find(members, name, &StrictMember::name);
    if (member != members.end()) {
      const std::string found = unexpected(walk, member->kind);
      const bool absent = found == "null" && !member->required;
      if (!found.empty() && !absent) {
        return model::refuse(Fault::kStrictSerialization, {"invalid type: " + found + ", expected " +
                                                     std::string(expected(member->kind)) + walk.place()});
      }
      seen.push_back(name);
    } else if (walk.next() == '"') {
      walk.string();
    } else if (walk.next() == '[' || walk.next() == '{') {
      walk.container();
    } else {
      walk.bare();
    }
    walk.skip_blanks();
    if (walk.next() == ',') walk.step();
  }
  walk.step();  // the bracket
  for (const StrictMember& member : members) {
    if (!member.required || std::ranges::find(seen, member.name) != seen.end()) continue;
    return model::refuse(Fault::kConstraints, {"missing field `" + std::string(member.name) + "`" + walk.place()});
  }
  return {};
}

}  // namespace partita::wire
