// The characters of a request's head, and the names that matter there: looked at many bytes at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace partita::http {

// How many characters at the front of `text` are of RFC 9110's token.
size_t token_size(std::string_view text);
// How many characters at the front of `text` may stand in a header's value, tabs not counted among them.
size_t plain_size(std::string_view text);

// `lower_name` is of lower-case letters, digits and hyphens; no other character of a head becomes one of these by the
// bit of the lower case.
bool same_name(std::string_view name, std::string_view lower_name);

// Headers that say where a request ends, what its body is, where it goes or who sends it: one of each.
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

// The place of that name, in whatever case, in kOnce; kOnce.size() for all others.
size_t place_in_once(std::string_view name);

}  // namespace partita::http
