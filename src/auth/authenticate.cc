#include "auth/authenticate.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace partita::auth {

namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";
constexpr std::string_view kAccount = "123456789012";

using Pair = std::pair<std::string_view, std::string_view>;
using Pairs = std::vector<Pair>;

Refused incomplete(std::string detail) { return {Refusal::kIncompleteSignature, std::move(detail)}; }
Refused invalid(std::string detail) { return {Refusal::kInvalidSignature, std::move(detail)}; }

std::string_view trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Calls `visit` with each part of `text` between separators, without the empty ones.
template <class IsSeparator, class Visit>
void split(std::string_view text, IsSeparator is_separator, Visit visit) {
  size_t begin = 0;
  for (size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size() && !is_separator(text[at])) continue;
    if (at > begin) visit(text.substr(begin, at - begin));
    begin = at + 1;
  }
}

Pair split_pair(std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos) return {text, {}};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::optional<std::string_view> find(const Pairs& pairs, std::string_view name) {
  for (const auto& [key, value] : pairs) {
    if (key == name) return value;
  }
  return std::nullopt;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::string decode_percent(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escaped =
        text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0;
    out.push_back(escaped ? static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2])) : text[i]);
    if (escaped) i += 2;
  }
  return out;
}

// A region goes into names and replies, so it has no other characters than a region has.
bool is_region(std::string_view text) {
  constexpr size_t kLongest = 64;
  return !text.empty() && text.size() <= kLongest && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

// "AKID/20260102/us-east-1/dynamodb/aws4_request"; slashes at the end do not count.
Verdict read_credential(std::string_view credential) {
  const std::string_view whole = credential;
  while (credential.ends_with('/')) credential.remove_suffix(1);
  std::array<std::string_view, 5> parts;
  size_t slashes = 0;
  for (size_t end = 0; slashes < parts.size() && (end = credential.find('/')) != std::string_view::npos; ++slashes) {
    parts[slashes] = credential.substr(0, end);
    credential.remove_prefix(end + 1);
  }
  if (slashes + 1 != parts.size()) {
    return incomplete(
        "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got '" +
        std::string(whole) + "'");
  }
  parts.back() = credential;
  const auto& [key, date, region, service, terminator] = parts;
  std::string wrong;
  if (!is_region(region)) {
    wrong += "Credential should be scoped to a valid region, not '" + std::string(region) + "'. ";
  }
  if (service != "dynamodb") wrong += "Credential should be scoped to correct service: 'dynamodb'. ";
  if (terminator != "aws4_request") {
    wrong +=
        "Credential should be scoped with a valid terminator: 'aws4_request', not '" + std::string(terminator) + "'. ";
  }
  if (!wrong.empty()) return invalid(std::move(wrong));
  return Caller{std::string(key), std::string(region), std::string(kAccount)};
}

Refused unsupported(std::string_view algorithm) {
  return incomplete("Unsupported AWS 'algorithm': '" + std::string(algorithm) + "' (only AWS4-HMAC-SHA256 for now). ");
}

bool is_whole(std::string_view parameter) {
  const auto lacks = [&](char c) { return parameter.find(c) == std::string_view::npos; };
  return !parameter.empty() && lacks(',') && lacks(' ') && lacks('\t');
}

// What matters of a header as the SDKs write it: the three parameters in their order, ", " or "," between them.
struct Usual {
  std::string_view credential;
  std::string_view signature;  // to the end of the header
};

// Nothing for every other header, whatever is right or wrong with it.
std::optional<Usual> read_usual(std::string_view authorization) {
  constexpr std::array<std::string_view, 3> kNames = {"Credential=", "SignedHeaders=", "Signature="};
  if (!authorization.starts_with(kAlgorithm)) return std::nullopt;
  authorization.remove_prefix(kAlgorithm.size());
  if (!authorization.starts_with(' ')) return std::nullopt;
  std::array<std::string_view, 3> values;
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (authorization.starts_with(' ')) authorization.remove_prefix(1);
    if (!authorization.starts_with(kNames[i])) return std::nullopt;
    authorization.remove_prefix(kNames[i].size());
    const size_t end = std::min(authorization.find(','), authorization.size());
    if ((end == authorization.size()) != (i + 1 == kNames.size())) return std::nullopt;
    values[i] = authorization.substr(0, end);
    authorization.remove_prefix(std::min(end + 1, authorization.size()));
  }
  if (!std::ranges::all_of(values, is_whole)) return std::nullopt;
  return Usual{values[0], values[2]};
}

Verdict by_unusual_header(const Facts& facts, std::string_view authorization) {
  const size_t space = std::min(authorization.find(' '), authorization.size());
  const std::string_view algorithm = authorization.substr(0, space);
  Pairs pairs;
  pairs.reserve(4);
  std::string wrong;
  const auto is_separator = [](char c) { return c == ',' || c == ' ' || c == '\t'; };
  split(authorization.substr(space), is_separator, [&](std::string_view part) {
    if (wrong.empty() && part.find('=') == std::string_view::npos) {
      wrong = "'" + std::string(part) + "' not a valid key=value pair (missing equal-sign) in Authorization header: '" +
              std::string(authorization) + "'.";
    }
    pairs.push_back(split_pair(part));
  });
  if (!wrong.empty()) return incomplete(std::move(wrong));

  for (const std::string_view name : {"Credential", "Signature", "SignedHeaders"}) {
    if (find(pairs, name).value_or("").empty()) {
      wrong += "Authorization header requires '" + std::string(name) + "' parameter. ";
    }
  }
  if (facts.header("x-amz-date").empty() && facts.header("date").empty()) {
    wrong += "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ";
  }
  if (!wrong.empty()) return incomplete(wrong + "Authorization=" + std::string(authorization));
  if (algorithm != kAlgorithm) return unsupported(algorithm);
  return read_credential(*find(pairs, "Credential"));
}

Verdict by_query(const Pairs& query) {
  std::string wrong;
  for (const std::string_view name :
       {"X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Signature", "X-Amz-SignedHeaders", "X-Amz-Date"}) {
    if (find(query, name).value_or("").empty()) {
      wrong += "AWS query-string parameters must include '" + std::string(name) + "'. ";
    }
  }
  if (!wrong.empty()) return incomplete(wrong + "Re-examine the query-string parameters.");
  const std::string_view algorithm = *find(query, "X-Amz-Algorithm");
  if (algorithm != kAlgorithm) return unsupported(algorithm);
  return read_credential(decode_percent(*find(query, "X-Amz-Credential")));
}

}  // namespace

// The very header of the last request but for its signature.
bool Authenticator::is_last(const Facts& facts, std::string_view authorization) const {
  return !opening_.empty() && authorization.starts_with(opening_) && is_whole(authorization.substr(opening_.size())) &&
         !facts.header("x-amz-date").empty();
}

Verdict Authenticator::by_header(const Facts& facts, std::string_view authorization) {
  const auto usual = read_usual(authorization);
  if (!usual || facts.header("x-amz-date").empty()) return by_unusual_header(facts, authorization);
  Verdict verdict = read_credential(usual->credential);
  if (const auto* caller = std::get_if<Caller>(&verdict)) {
    last_ = *caller;
    opening_ = authorization.substr(0, authorization.size() - usual->signature.size());
  }
  return verdict;
}

Verdict Authenticator::authenticate(const Facts& facts) {
  const std::string_view authorization = trim(facts.header("authorization"));
  const size_t mark = facts.target.find('?');
  if (mark == std::string_view::npos && is_last(facts, authorization)) return last_;
  Pairs query;
  if (mark != std::string_view::npos) {
    split(
        facts.target.substr(mark + 1), [](char c) { return c == '&'; },
        [&](std::string_view part) { query.push_back(split_pair(part)); });
  }
  const bool presigned = find(query, "X-Amz-Algorithm").has_value();
  if (presigned && !authorization.empty()) {
    return invalid("Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.");
  }
  if (presigned) return by_query(query);
  if (!authorization.starts_with("AWS4-")) return Refused{Refusal::kMissingToken, {}};
  return by_header(facts, authorization);
}

}  // namespace partita::auth
