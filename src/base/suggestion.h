// "Did you mean": the known word that a mistyped one is closest to.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace partita {

// Insertions, deletions, replacements and swaps of neighbours that make `a` of `b` (optimal string alignment).
size_t edit_distance(std::string_view a, std::string_view b);

// The candidate closest to `word`, or an empty string when none is within a third of the word's length. A word that is
// the beginning of exactly one candidate names that one.
std::string_view closest(std::string_view word, std::span<const std::string_view> candidates);

// " Did you mean 'serve'?"; empty for an empty candidate.
std::string did_you_mean(std::string_view candidate);
// The same of the closest one.
std::string suggestion(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace partita
