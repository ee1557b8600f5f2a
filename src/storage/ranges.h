// Ranges by prefix, and the continuation of a scan after a page.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "storage/engine.h"

namespace partita::storage {

// True if the range cannot contain any key.
inline bool is_empty(const Range& range) { return !range.end.empty() && range.end <= range.begin; }

// The end of the range of all keys that start with `prefix`.
inline std::string end_of(const std::string& prefix) { return prefix_end(prefix).value_or(""); }

// All keys that start with `prefix`.
inline Range range_of(std::string prefix) {
  Range range;
  range.end = end_of(prefix);
  range.begin = std::move(prefix);
  return range;
}

// The range that contains only that key.
inline Range just(std::string key) {
  Range range;
  range.begin = std::move(key);
  range.end = range.begin + '\0';
  return range;
}

// The same range without everything up to and including `key`.
inline Range behind(std::string_view key, Range range) {
  range.begin.assign(key).push_back('\0');
  return range;
}

// Removes from the range what `page`, its first page in that direction, covered. False if nothing is left.
inline bool advance(Range& range, const Page& page, Direction direction = Direction::kAscending) {
  if (!page.more || page.empty()) return false;
  const std::string_view last = page[page.size() - 1].key;
  if (direction == Direction::kAscending) {
    range.begin.assign(last).push_back('\0');
  } else {
    range.end = last;
  }
  return true;
}

}  // namespace partita::storage
