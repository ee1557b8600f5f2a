#include "cli/progress_line.h"

#include <unistd.h>

#include <cstdio>

#include "base/quantity.h"

namespace partita::cli {

namespace {

constexpr int64_t kIntervalNs = 1'000'000'000;

}  // namespace

std::string progress(uint64_t done_bytes, uint64_t total_bytes, int64_t passed_ns) {
  if (total_bytes == 0 || done_bytes > total_bytes) return mebibytes(done_bytes);
  std::string text = mebibytes(done_bytes);
  text.resize(text.find(' '));
  text += " of about " + mebibytes(total_bytes) + " (" + std::to_string(done_bytes * 100 / total_bytes) + " %)";
  if (done_bytes == 0 || passed_ns < kIntervalNs) return text;
  const double left_ns =
      static_cast<double>(passed_ns) * static_cast<double>(total_bytes - done_bytes) / static_cast<double>(done_bytes);
  const auto seconds = static_cast<uint64_t>(left_ns / static_cast<double>(kIntervalNs)) + 1;
  return text + ", about " + std::to_string(seconds) + " s left";
}

ProgressLine::~ProgressLine() {
  if (unfinished_) std::fputc('\n', stderr);
}

std::string ProgressLine::so_far(uint64_t done_bytes, uint64_t total_bytes) const {
  return progress(done_bytes, total_bytes, system_clock().monotonic_ns() - began_ns_);
}

void ProgressLine::update(FunctionRef<std::string()> line) {
  const int64_t now_ns = system_clock().monotonic_ns();
  if (now_ns < due_ns_) return;
  due_ns_ = now_ns + kIntervalNs;
  unfinished_ = isatty(STDERR_FILENO) != 0;
  std::fprintf(stderr, "%s%s%s", unfinished_ ? "\r" : "", line().c_str(), unfinished_ ? "\033[K" : "\n");
}

}  // namespace partita::cli
