#include "service/json.h"

#include <algorithm>
#include <cctype>

namespace partita::fuzz {

namespace {

constexpr int kMaxDepth = 500;

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  std::optional<Json> whole() {
    Json json;
    if (!value(json, 0)) return std::nullopt;
    space();
    return rest_.empty() ? std::optional(std::move(json)) : std::nullopt;
  }

 private:
  void space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }

  bool take(char c) {
    space();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool value(Json& json, int depth) {
    if (depth > kMaxDepth) return false;
    if (take('{')) return members(json, depth);
    if (take('[')) return elements(json, depth);
    if (rest_.starts_with('"')) return quoted(json.text);
    return bare(json.text);
  }

  bool members(Json& json, int depth) {
    json.kind = Json::Kind::kObject;
    if (take('}')) return true;
    do {
      space();
      std::string name;
      if (!quoted(name) || !take(':')) return false;
      json.names.push_back(name.substr(1, name.size() - 2));
      if (!value(json.children.emplace_back(), depth + 1)) return false;
    } while (take(','));
    return take('}');
  }

  bool elements(Json& json, int depth) {
    json.kind = Json::Kind::kArray;
    if (take(']')) return true;
    do {
      if (!value(json.children.emplace_back(), depth + 1)) return false;
    } while (take(','));
    return take(']');
  }

  bool quoted(std::string& text) {
    if (!rest_.starts_with('"')) return false;
    size_t at = 1;
    for (; at < rest_.size() && rest_[at] != '"'; ++at) {
      if (static_cast<unsigned char>(rest_[at]) < 0x20) return false;
      if (rest_[at] == '\\') ++at;
    }
    if (at >= rest_.size()) return false;
    text = rest_.substr(0, at + 1);
    rest_.remove_prefix(at + 1);
    return true;
  }

  bool bare(std::string& text) {
    size_t size = 0;
    while (size < rest_.size() && (std::isalnum(static_cast<unsigned char>(rest_[size])) != 0 || rest_[size] == '-' ||
                                   rest_[size] == '+' || rest_[size] == '.')) {
      ++size;
    }
    text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    const bool number = !text.empty() && (std::isdigit(static_cast<unsigned char>(text.back())) != 0);
    return number || text == "null" || text == "true" || text == "false";
  }

  std::string_view rest_;
};

void print(const Json& json, std::string& out) {
  if (json.kind == Json::Kind::kScalar) {
    out += json.text;
    return;
  }
  const bool object = json.kind == Json::Kind::kObject;
  out += object ? '{' : '[';
  for (size_t i = 0; i < json.children.size(); ++i) {
    if (i != 0) out += ',';
    if (object) out.append("\"").append(json.names[i]).append("\":");
    print(json.children[i], out);
  }
  out += object ? '}' : ']';
}

}  // namespace

Json Json::string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) continue;
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return scalar(quoted + '"');
}

const Json* Json::find(std::string_view name) const {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? nullptr : &children[static_cast<size_t>(found - names.begin())];
}

std::optional<Json> parse_json(std::string_view text) { return Parser(text).whole(); }

std::string print_json(const Json& json) {
  std::string out;
  print(json, out);
  return out;
}

}  // namespace partita::fuzz
