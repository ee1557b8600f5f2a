#include "sinks/mark.h"

#include <algorithm>
#include <charconv>

#include "storage/positions.h"

namespace partita::sinks {

std::string mark_text(const Versions& versions) {
  std::string text;
  for (const uint64_t one : versions) text += (text.empty() ? "" : " ") + std::to_string(one);
  return text;
}

Versions versions_in(std::string_view mark) {
  Versions versions{};
  for (uint64_t& one : versions) {
    const size_t stop = std::min(mark.find(' '), mark.size());
    std::from_chars(mark.data(), mark.data() + stop, one);
    mark.remove_prefix(std::min(stop + 1, mark.size()));
  }
  return versions;
}

uint64_t version_of_mark(const Versions& versions) {
  constexpr uint64_t kMost = INT64_MAX;
  uint64_t sum = 1;
  for (const uint64_t one : versions) sum += std::min(one, kMost - sum);
  return sum;
}

bool is_ahead(const Versions& versions, const Positions& ends) {
  for (size_t i = 0; i < ends.size(); ++i) {
    if (versions[i] > std::max<uint64_t>(storage::leading_number(ends[i]), 1)) return true;
  }
  return false;
}

}  // namespace partita::sinks
