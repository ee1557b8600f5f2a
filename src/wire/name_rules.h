// Rules for names, and AWS's measure of text length.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/bytes.h"

namespace partita::wire {

inline constexpr std::string_view kNamePattern = "[a-zA-Z0-9_.-]+";

inline bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '-';
  });
}

inline constexpr int64_t kShortestTableName = 3;
inline constexpr int64_t kLongestTableName = 255;

inline bool is_table_name(std::string_view text) {
  return is_name(text) && text.size() >= kShortestTableName && text.size() <= kLongestTableName;
}

// An ARN may replace a name. It is resolved after the check of the shape.
inline bool is_arn(std::string_view text) { return text.starts_with("arn:"); }

// In UTF-16 code units, as Java counts.
inline int64_t length_of(std::string_view text) { return static_cast<int64_t>(utf16_length(text)); }

}  // namespace partita::wire
