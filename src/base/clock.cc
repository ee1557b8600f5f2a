#include "base/clock.h"

#include <chrono>
#include <cstdio>
#include <ctime>

namespace partita {

namespace {

class SystemClock final : public Clock {
 public:
  int64_t now_ms() const override {
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
  }
  int64_t monotonic_ns() const override {
    using namespace std::chrono;
    return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
  }
};

}  // namespace

std::array<char, 32> utc_text(int64_t ms) {
  const auto seconds = static_cast<time_t>(ms / 1000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  const size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(text.data() + size, text.size() - size, ".%03d", static_cast<int>(ms % 1000));
  return text;
}

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

}  // namespace partita
