// What a lane of a hook sends next, and how often it has tried: batches, retries and bisection, without I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sinks/hook_options.h"
#include "storage/engine.h"

namespace partita::sinks {

// For one thread.
class HookLane {
 public:
  static constexpr int64_t kFirstDelayMs = 100;
  static constexpr int64_t kMostDelayMs = 30'000;

  // A batch that failed, or a part of one.
  struct Part {
    size_t records = 0;
    int64_t failures = 0;  // of calls with these records at the front
    bool operator==(const Part&) const = default;
  };
  // What became of the records of a call that failed, from the front. Later ones are sent again.
  struct Failed {
    size_t done = 0;
    size_t discarded = 0;  // after these: no retries are left
    int64_t calls = 0;     // failed calls with the records at the front, the discarded ones
  };

  // How many of its records the next call has, at most.
  size_t batch_size(const HookOptions& options) const {
    return parts_.empty() ? options.batch_size : parts_.back().records;
  }
  // The next call repeats one that failed, so it waits for no further records.
  bool retries() const { return !parts_.empty(); }
  // Of calls with the records at the front.
  int64_t failures() const { return parts_.empty() ? 0 : parts_.back().failures; }
  // The next call waits until then.
  int64_t retry_at_ns() const { return retry_at_ns_; }

  // That many records at the front are no longer waiting, without a call.
  void pass(size_t records);
  void succeed(size_t records);
  // A call with that many records failed; those before the `first` of them did not.
  Failed fail(size_t records, size_t first, const HookOptions& options, int64_t now_ns);
  // A call did not reach the function: it counts as no attempt.
  void miss(int64_t now_ns) { delay(now_ns); }

  // From the front to the back. Stored in the text of the slice.
  std::vector<Part> parts() const { return {parts_.rbegin(), parts_.rend()}; }
  void restore(const std::vector<Part>& parts) { parts_.assign(parts.rbegin(), parts.rend()); }

 private:
  void delay(int64_t now_ns);

  std::vector<Part> parts_;  // the last one is at the front
  int64_t delay_ms_ = 0;
  int64_t retry_at_ns_ = 0;
};

// Changes of a lane that it gave up while the slice was behind them: all from the first to the last.
struct GivenUp {
  static constexpr size_t kMostReason = 200;  // bytes that are stored

  storage::Position first{};
  storage::Position last{};
  std::string reason = {};
  bool operator==(const GivenUp&) const = default;
};

// What is stored of a lane: up to which position it is done, if it is ahead of the slice, what it gave up until there,
// and its parts.
struct StoredLane {
  static constexpr size_t kMostGivenUp = 64;  // of all lanes of a slice

  std::optional<storage::Position> upto = {};
  std::vector<HookLane::Part> parts = {};
  std::vector<GivenUp> given_up = {};  // ascending
  bool operator==(const StoredLane&) const = default;
};

// The text of a slice; empty if there is nothing to store.
std::string hook_text(const std::vector<StoredLane>& lanes);
// As many as `lanes`. All are empty if the text is another one's, such as of another number of lanes.
std::vector<StoredLane> hook_lanes_from(std::string_view text, size_t lanes);

}  // namespace partita::sinks
