#include "cli/teller.h"

#include <unistd.h>

#include <cstdio>

namespace partita::cli {

namespace {

constexpr int64_t kTellEveryNs = 1'000'000'000;
constexpr double kMebibyte = 1 << 20;

}  // namespace

std::string mebibytes(uint64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MiB", static_cast<double>(bytes) / kMebibyte);
  return text;
}

std::string progress(uint64_t done_bytes, uint64_t total_bytes, int64_t passed_ns) {
  if (total_bytes == 0 || done_bytes > total_bytes) return mebibytes(done_bytes);
  std::string text = mebibytes(done_bytes);
  text.resize(text.find(' '));
  text += " of about " + mebibytes(total_bytes) + " (" + std::to_string(done_bytes * 100 / total_bytes) + " %)";
  if (done_bytes == 0 || passed_ns < kTellEveryNs) return text;
  const double left_ns =
      static_cast<double>(passed_ns) * static_cast<double>(total_bytes - done_bytes) / static_cast<double>(done_bytes);
  const auto seconds = static_cast<uint64_t>(left_ns / static_cast<double>(kTellEveryNs)) + 1;
  return text + ", about " + std::to_string(seconds) + " s left";
}

std::string counted(uint64_t count, std::string_view one, std::string_view many) {
  return std::to_string(count).append(" ").append(count == 1 ? one : many);
}

Teller::~Teller() {
  if (open_line_) std::fputc('\n', stderr);
}

std::string Teller::so_far(uint64_t done_bytes, uint64_t total_bytes) const {
  return progress(done_bytes, total_bytes, system_clock().monotonic_ns() - began_ns_);
}

void Teller::tell(FunctionRef<std::string()> line) {
  const int64_t now_ns = system_clock().monotonic_ns();
  if (now_ns < due_ns_) return;
  due_ns_ = now_ns + kTellEveryNs;
  open_line_ = isatty(STDERR_FILENO) != 0;
  std::fprintf(stderr, "%s%s%s", open_line_ ? "\r" : "", line().c_str(), open_line_ ? "\033[K" : "\n");
}

}  // namespace partita::cli
