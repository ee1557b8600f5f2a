#include "base/log.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/clock.h"

namespace partita {

namespace {

constexpr size_t kMostBytes = 2048;
constexpr std::array<std::string_view, 4> kNames = {"error", "warn", "info", "debug"};

std::atomic<LogLevel>& most_logged() {
  static std::atomic<LogLevel> level{LogLevel::kInfo};
  return level;
}

// A line that is being put together.
class Line {
 public:
  void add(std::string_view text) {
    for (const char c : text) {
      if (size_ + 1 == bytes_.size()) return;
      const auto byte = static_cast<unsigned char>(c);
      bytes_[size_++] = byte < 0x20 || byte == 0x7f ? '?' : c;
    }
  }

  void write() {
    bytes_[size_++] = '\n';
    // Nobody is left to be told that this failed.
    if (::write(STDERR_FILENO, bytes_.data(), size_) < 0) return;
  }

 private:
  std::array<char, kMostBytes> bytes_;
  size_t size_ = 0;
};

void add_time(Line& line) {
  line.add(utc_text(system_clock().now_ms()).data());
  line.add("Z ");
}

}  // namespace

std::optional<LogLevel> log_level_named(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<LogLevel>(found - kNames.begin());
}

void set_log_level(LogLevel most) { most_logged().store(most, std::memory_order_relaxed); }
bool logs(LogLevel level) noexcept { return level <= most_logged().load(std::memory_order_relaxed); }

void log(LogLevel level, std::initializer_list<std::string_view> sentence) noexcept {
  if (!logs(level)) return;
  constexpr size_t kColumn = 6;
  const std::string_view name = kNames[static_cast<size_t>(level)];
  Line line;
  add_time(line);
  line.add(name);
  line.add(std::string_view("      ").substr(0, kColumn - name.size()));
  for (const std::string_view part : sentence) line.add(part);
  line.write();
}

bool LogThrottle::pass(uint64_t& unsaid) noexcept {
  const int64_t now = system_clock().monotonic_ns();
  int64_t next = next_ns_.load(std::memory_order_relaxed);
  if (now < next || !next_ns_.compare_exchange_strong(next, now + period_ns_, std::memory_order_relaxed)) {
    unsaid_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  unsaid = unsaid_.exchange(0, std::memory_order_relaxed);
  return true;
}

}  // namespace partita
