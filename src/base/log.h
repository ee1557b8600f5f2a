// Log messages for the operator: one line on stderr for each call, such as
//
//   2026-11-22T10:15:30.123Z warn  The disk is full.
//
// or, with LogFormat::kJson, a JSON object:
//
//   {"time":"2026-11-22T10:15:30.123Z","level":"warn","message":"The disk is full."}
//
// A line is written with one system call and allocates no memory, so it can report that memory ran out. Control
// characters in a sentence are replaced and long sentences are cut, so that no client can forge or flood lines.
//
// No thread waits for the reader of stderr. Lines that it does not accept are queued, up to 256 KiB, then dropped and
// counted. Once lines are accepted again, the first new one says how many were dropped.
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace partita {

enum class LogLevel : uint8_t { kError, kWarn, kInfo, kDebug };

enum class LogFormat : uint8_t { kText, kJson };

// "error", "warn", "info" or "debug"; nullopt for any other word.
std::optional<LogLevel> log_level_named(std::string_view name);

// Lines above this level are dropped. The default is kInfo. All functions of this file are callable from any thread.
void set_log_level(LogLevel most);
bool logs(LogLevel level) noexcept;

// The default is kText.
void set_log_format(LogFormat format);

// `sentence` may consist of several parts, so that the caller need not allocate memory to join them.
void log(LogLevel level, std::initializer_list<std::string_view> sentence) noexcept;
inline void log(LogLevel level, std::string_view sentence) noexcept { log(level, {sentence}); }

// Number of lines dropped so far.
uint64_t log_lines_dropped() noexcept;
// Before the process ends: waits at most `ms` until the queued lines are read.
void flush_log(int ms) noexcept;
// For a process that is about to abort: writes the queued lines, then this text unchanged. Waits a moment at most.
void log_last_words(std::string_view text) noexcept;

// Lets one line pass in each `period_ms`, for events that may happen a thousand times a second. One object for each
// place that logs.
class LogThrottle {
 public:
  explicit LogThrottle(int64_t period_ms = 1'000) : period_ns_(period_ms * 1'000'000) {}
  // Whether to log now. If so, `unsaid` is the number of lines that were suppressed since the last one.
  bool pass(uint64_t& unsaid) noexcept;

 private:
  const int64_t period_ns_;
  std::atomic<int64_t> next_ns_{0};
  std::atomic<uint64_t> unsaid_{0};
};

}  // namespace partita
