// What the operator is told while the server runs: one line on stderr for each call, such as
//
//   2026-11-22T10:15:30.123Z warn  The disk is full.
//
// or, with LogFormat::kJson, an object of JSON:
//
//   {"time":"2026-11-22T10:15:30.123Z","level":"warn","message":"The disk is full."}
//
// A line is written whole, with one system call, and needs no memory: it can tell of memory that ran out. Control
// characters in a sentence are replaced and long ones are cut, so that no caller can forge or flood a line.
//
// Nobody waits for whoever reads stderr. Lines that it does not take are queued, up to 256 KiB, then dropped and
// counted; once it takes lines again, the first new one says how many were dropped.
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace partita {

enum class LogLevel : uint8_t { kError, kWarn, kInfo, kDebug };

enum class LogFormat : uint8_t { kText, kJson };

// "error", "warn", "info" or "debug"; nothing for any other word.
std::optional<LogLevel> log_level_named(std::string_view name);

// Lines above this level are dropped. kInfo at first. Callable from any thread, like all of this file.
void set_log_level(LogLevel most);
bool logs(LogLevel level) noexcept;

// kText at first.
void set_log_format(LogFormat format);

// `sentence` may come in several parts, so that the caller needs no memory to join them.
void log(LogLevel level, std::initializer_list<std::string_view> sentence) noexcept;
inline void log(LogLevel level, std::string_view sentence) noexcept { log(level, {sentence}); }

// Lines that were dropped so far.
uint64_t log_lines_dropped() noexcept;
// Before the process ends: gives what is queued at most so long to be read.
void flush_log(int ms) noexcept;
// Of a process that is about to abort: what is queued, then this text as it is. Waits a moment at most.
void log_last_words(std::string_view text) noexcept;

// Lets one through each `period_ms`, for what may happen a thousand times a second. One for each place that logs.
class LogThrottle {
 public:
  explicit LogThrottle(int64_t period_ms = 1'000) : period_ns_(period_ms * 1'000'000) {}
  // Whether to log now. `unsaid` then says how many were held back since the last line.
  bool pass(uint64_t& unsaid) noexcept;

 private:
  const int64_t period_ns_;
  std::atomic<int64_t> next_ns_{0};
  std::atomic<uint64_t> unsaid_{0};
};

}  // namespace partita
