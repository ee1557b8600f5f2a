#include "app/teller.h"

#include <unistd.h>

#include <cstdio>

#include "base/clock.h"

namespace partita::app {

namespace {

constexpr int64_t kTellEveryNs = 1'000'000'000;
constexpr double kMebibyte = 1 << 20;

}  // namespace

std::string mebibytes(uint64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MiB", static_cast<double>(bytes) / kMebibyte);
  return text;
}

std::string counted(uint64_t count, std::string_view one, std::string_view many) {
  return std::to_string(count).append(" ").append(count == 1 ? one : many);
}

Teller::~Teller() {
  if (open_line_) std::fputc('\n', stderr);
}

void Teller::tell(FunctionRef<std::string()> line) {
  const int64_t now_ns = system_clock().monotonic_ns();
  if (now_ns < due_ns_) return;
  due_ns_ = now_ns + kTellEveryNs;
  open_line_ = isatty(STDERR_FILENO) != 0;
  std::fprintf(stderr, "%s%s%s", open_line_ ? "\r" : "", line().c_str(), open_line_ ? "\033[K" : "\n");
}

}  // namespace partita::app
