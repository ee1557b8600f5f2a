// Checks for bugs, never for input: a failed check prints where it stands and aborts.
#pragma once

namespace partita {

[[noreturn]] void check_failed(const char* condition, const char* file, int line) noexcept;

}  // namespace partita

#define PARTITA_CHECK(condition) \
  (static_cast<bool>(condition) ? static_cast<void>(0) : ::partita::check_failed(#condition, __FILE__, __LINE__))
