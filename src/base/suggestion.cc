#include "base/suggestion.h"

#include <algorithm>
#include <vector>

namespace partita {

namespace {

constexpr size_t kLongestWord = 64;  // bounds the work for a word of any length

}  // namespace

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::string_view closest(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.empty() || word.size() > kLongestWord) return {};
  std::string_view found;
  size_t least = std::max<size_t>(1, word.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    if (const size_t distance = edit_distance(word, candidate); distance < least) {
      least = distance;
      found = candidate;
    }
  }
  if (!found.empty()) return found;
  const auto begins = [&](std::string_view candidate) { return word.size() > 2 && candidate.starts_with(word); };
  if (std::ranges::count_if(candidates, begins) == 1) return *std::ranges::find_if(candidates, begins);
  return {};
}

std::string did_you_mean(std::string_view candidate) {
  return candidate.empty() ? std::string() : " Did you mean '" + std::string(candidate) + "'?";
}

std::string suggestion(std::string_view word, std::span<const std::string_view> candidates) {
  return did_you_mean(closest(word, candidates));
}

}  // namespace partita
