#include "auth/signature.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "auth/text_util.h"

namespace partita::auth {

namespace {

constexpr std::string_view kUnsigned = "UNSIGNED-PAYLOAD";

std::string_view view(const Digest& digest) { return {reinterpret_cast<const char*>(digest.data()), digest.size()}; }

// A header's value as it is signed: white space at both ends is gone, and within it is one space.
void append_value(std::string& out, std::string_view value) {
  value = trim(value);
  if (value.find('\t') == std::string_view::npos && value.find("  ") == std::string_view::npos) {
    out.append(value);
    return;
  }
  bool space = false;
  const size_t begin = out.size();
  for (const char c : value) {
    if (c == ' ' || c == '\t') {
      space = true;
      continue;
    }
    if (space && out.size() > begin) out.push_back(' ');
    space = false;
    out.push_back(c);
  }
}

// The parameters, encoded, in the order of their names and values; that of the signature itself is left out.
void append_query(std::string& out, std::string_view query, bool presigned) {
  std::vector<std::pair<std::string, std::string>> parameters;
  split(query, '&', [&](std::string_view part) {
    const auto [name, value] = split_pair(part);
    std::pair<std::string, std::string> encoded;
    encoded.first = encode_percent(decode_percent(name));
    encoded.second = encode_percent(decode_percent(value));
    if (!presigned || encoded.first != "X-Amz-Signature") parameters.push_back(std::move(encoded));
  });
  std::ranges::sort(parameters);
  for (const auto& [name, value] : parameters) {
    if (&name != &parameters.front().first) out.push_back('&');
    out.append(name).append("=").append(value);
  }
}

void append_headers(std::string& out, const Facts& facts, std::string_view names) {
  split(names, ';', [&](std::string_view given) {
    std::string lowered;
    std::string_view name = given;
    if (std::ranges::any_of(given, [](char c) { return c >= 'A' && c <= 'Z'; })) {
      std::ranges::transform(given, std::back_inserter(lowered), lower);
      name = lowered;
    }
    out.append(name).append(":");
    for (size_t place = 0; const auto value = facts.values(name, place); ++place) {
      if (place > 0) out.push_back(',');
      append_value(out, *value);
    }
    out.push_back('\n');
  });
}

// A client may say that it did not sign the body, if it signs that it says so.
bool leaves_out_body(const Facts& facts, std::string_view names) {
  constexpr std::string_view kName = "x-amz-content-sha256";
  return facts.header(kName) == kUnsigned && names_header(names, kName);
}

}  // namespace

bool names_header(std::string_view names, std::string_view name) {
  bool found = false;
  split(names, ';', [&](std::string_view one) { found = found || std::ranges::equal(one, name, {}, lower); });
  return found;
}

std::string scope_of(std::string_view day, std::string_view region, std::string_view service) {
  std::string scope(day);
  return scope.append("/").append(region).append("/").append(service).append("/aws4_request");
}

HmacKey signing_key(std::string_view secret, std::string_view day, std::string_view region, std::string_view service) {
  std::string first("AWS4");
  Digest key = HmacKey(first.append(secret)).sign(day);
  for (const std::string_view part : {region, service, std::string_view("aws4_request")}) {
    key = HmacKey(view(key)).sign(part);
  }
  return HmacKey(view(key));
}

void write_texts(const Facts& facts, const Signed& what, SignedTexts& texts) {
  std::string& canonical = texts.canonical;
  canonical.clear();
  const size_t mark = std::min(facts.target.find('?'), facts.target.size());
  canonical.append(facts.method).append("\n");
  append_percent(canonical, facts.target.substr(0, mark), "/");
  canonical.append("\n");
  if (mark < facts.target.size()) append_query(canonical, facts.target.substr(mark + 1), what.presigned);
  canonical.append("\n");
  append_headers(canonical, facts, what.headers);
  canonical.append("\n").append(what.headers).append("\n");
  if (leaves_out_body(facts, what.headers)) {
    canonical.append(kUnsigned);
  } else {
    append_hex(canonical, sha256(facts.body));
  }
  texts.to_sign.assign("AWS4-HMAC-SHA256\n").append(what.date).append("\n").append(what.scope).append("\n");
  append_hex(texts.to_sign, sha256(canonical));
}

}  // namespace partita::auth
