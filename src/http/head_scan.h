// Scans of a request's head, sixteen characters at a time, and the names of headers that matter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace partita::http {

// The length of the RFC 9110 token at the front of `text`.
size_t token_size(std::string_view text);
// How many characters at the front of `text` are allowed in a header's value, tabs excluded.
size_t plain_size(std::string_view text);

// Without regard to case. `lower_name` consists of lower-case letters, digits and hyphens: no other character of a
// head becomes one of these when its bit for lower case is set.
bool same_name(std::string_view name, std::string_view lower_name);

// "name: value", as nearly every client writes it.
struct HeaderLine {
  std::string_view name;
  std::string_view value;
  size_t size = 0;  // of the line with its CR LF; 0: there is none
};
// The line at the front of `text`; none if it is not complete there, or has other white space around the value. It is
// not malformed then, but must be read byte by byte.
HeaderLine usual_header(std::string_view text);

// Headers that decide where a request ends, what its body is, where it goes or who sends it: each may come once.
enum class Once : uint8_t {
  kHost,
  kContentLength,
  kTransferEncoding,
  kTarget,
  kAuthorization,
  kContentType,
  kAmzDate,
  kDate,
  kOrigin,
  kSecurityToken,
  kExpect,
  kReferer,
  kFetchSite,
  kNamespace,
  kContentEncoding,
};
// Their names, in the order of Once.
inline constexpr std::array<std::string_view, 15> kOnce = {"host",
                                                           "content-length",
                                                           "transfer-encoding",
                                                           "x-amz-target",
                                                           "authorization",
                                                           "content-type",
                                                           "x-amz-date",
                                                           "date",
                                                           "origin",
                                                           "x-amz-security-token",
                                                           "expect",
                                                           "referer",
                                                           "sec-fetch-site",
                                                           "x-partita-namespace",
                                                           "content-encoding"};

// The place of that name in kOnce, without regard to case; kOnce.size() for all others.
size_t place_in_once(std::string_view name);

}  // namespace partita::http
