// Functions behind HTTP as destinations of changes, called as Lambda calls them for a stream: docs/change-sinks.md.
//
// The changes of a slice go to lanes by their item, and each lane makes one call after the other. A lane may be ahead
// of the slice, whose delivered changes have no gap: how far lanes are, and how often they tried, is in the slice's
// text.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "sinks/change_destination.h"
#include "sinks/hook_call.h"
#include "sinks/hook_lane.h"
#include "sinks/hook_options.h"
#include "sinks/hook_window.h"
#include "sinks/lane_threads.h"

namespace partita::sinks {

// The clock outlives it.
class HookDestination final : public ChangeDestination {
 public:
  static constexpr size_t kMostEventBytes = size_t{6} << 20;

  static constexpr int64_t kTellPauseMs = 10'000;  // after a call of `on_failure` that failed

  // `on_failure` is told of the records that are given up; nullptr: they become dead letters.
  HookDestination(ChangeSettings settings, HookOptions options, std::unique_ptr<HookCaller> caller, const Clock& clock,
                  std::unique_ptr<HookCaller> on_failure = nullptr);

  Result<void> prepare() override;
  Result<ChangesSent> send(size_t slice, std::span<const Change> changes, std::string& state) override;
  std::optional<int64_t> due_ms(std::string_view state) const override;
  // Each in a call of its own, or a tumbling window of its own. Those that the function fails for are rejected again.
  Result<ChangesSent> resend(size_t slice, std::span<const Change> changes) override;
  Limits limits() const override;
  std::string target() const override { return settings_.url; }

 private:
  enum class Fate : uint8_t { kWaits, kDone, kRejected };
  // A change that was given, until the slice is behind it.
  struct Seen {
    storage::Position position{};
    size_t lane = 0;
    Fate fate = Fate::kWaits;
    std::string reason = {};  // of kRejected
    // Of one that was given up, until OnFailure is told.
    bool is_untold = false;
    bool is_too_old = false;
    int64_t calls = 0;
  };
  struct Lane {
    // nullptr: it was not given up before the restart.
    const GivenUp* find(const storage::Position& position) const;

    HookLane calls;
    std::optional<storage::Position> upto;  // it was done up to here before the restart
    std::vector<GivenUp> given_up;          // the same, ascending
    std::optional<int64_t> window_ns;       // when the first of its changes began to wait
    int64_t until_ns = 0;                   // when it makes its next call, if nothing more comes
    std::string trouble;
  };
  // Used by the thread of the slice.
  struct Slice {
    bool loaded = false;
    std::vector<Lane> lanes;
    std::deque<Seen> seen;  // the changes that were given last, and perhaps older ones before them
    int64_t tells_from_ns = INT64_MIN;
    std::optional<HookWindow> window;
  };
  // A call that a lane makes now.
  struct Batch {
    size_t lane = 0;
    std::vector<size_t> indexes;       // of the changes
    std::optional<HookWindow> window;  // in which they are
    HookCall call;
    HookAnswer answer;
  };

  void load(Slice& slice, const std::string& state) const;
  Result<void> look_at(size_t number, Slice& slice, std::span<const Change> changes) const;
  std::vector<Batch> gather(size_t number, Slice& slice, std::span<const Change> changes) const;
  std::vector<std::vector<size_t>> waiting(Slice& slice, std::span<const Change> changes) const;
  void fill(size_t number, Slice& slice, std::span<const Change> changes, Batch& batch) const;
  void call_all(size_t number, std::vector<Batch>& batches);
  void take(Slice& slice, Batch& batch) const;
  // Tells OnFailure of what was given up. What it has not taken stays rejected.
  void tell(size_t number, Slice& slice, std::span<const Change> changes) const;
  // The indexes of the lane's next changes that it is told of in one call, and their event.
  std::vector<size_t> take_untold(size_t number, Slice& slice, std::span<const Change> changes, size_t from,
                                  HookCall& event) const;
  void report(Slice& slice, std::span<const Change> changes, ChangesSent& sent) const;
  std::string text_of(const Slice& slice, size_t done) const;
  // One record of an event. Error: kCorrupt.
  Result<std::string> record(size_t number, const Change& change) const;
  HookCall call_of(size_t number, std::span<const Change> changes, const std::vector<size_t>& indexes,
                   std::string records, const std::optional<HookWindow>& window) const;
  // hook_tumbling.cc: the end of the window of the first change that waits.
  int64_t window_end_ms(const Slice& slice, const Change& first) const;
  // When these changes wait for no more of their window.
  int64_t tumbles_at_ns(const Slice& slice, std::span<const Change> changes, const std::vector<size_t>& indexes) const;
  // A change of a later window is next, or it is time.
  bool window_is_over(const Slice& slice, std::span<const Change> changes) const;
  // Makes the last call of the window. False: it waits, or has failed.
  bool end_window(size_t number, Slice& slice) const;
  // Keeps the state of an answer, or ends the window, before take().
  void take_state(size_t number, Slice& slice, Batch& batch) const;
  HookAnswer call_alone(size_t number, const Change& change, std::string records) const;
  bool is_full(std::span<const Change> changes) const;

  const ChangeSettings settings_;
  const HookOptions options_;
  const std::unique_ptr<HookCaller> caller_;
  const std::unique_ptr<HookCaller> on_failure_;
  const Clock& clock_;
  const std::string source_arn_;
  LaneThreads::Share lane_threads_{LaneThreads::all()};
  std::array<Slice, table::kSinkSlices> slices_;
};

}  // namespace partita::sinks
