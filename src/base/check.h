// Checks for bugs, never for input: a failed check prints its condition, file and line, and aborts.
#pragma once

#include <string_view>

namespace partita {

[[noreturn]] void check_failed(const char* condition, const char* file, int line) noexcept;

// What writes the text of a failed check; plain stderr until log.cc, which has lines queued for it, takes its place.
using LastWords = void (*)(std::string_view text) noexcept;
void set_last_words(LastWords write) noexcept;

}  // namespace partita

#define PARTITA_CHECK(condition) \
  (static_cast<bool>(condition) ? static_cast<void>(0) : ::partita::check_failed(#condition, __FILE__, __LINE__))
