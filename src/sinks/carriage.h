// A sink as one server carries it: fills the other end from the table, then follows the logs. What it must not forget
// is in the Progress, which is stored with the job; the rest is found again by whoever takes the job over.
//
// The order of things makes the other end what the table holds, whatever is killed: the end of a log is read before the
// items that it names, an item is sent at the version of that end, and the log is trimmed only after the answers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "base/task.h"
#include "base/workers.h"
#include "sinks/backlog.h"
#include "sinks/destination.h"
#include "sinks/lease_keeper.h"
#include "sinks/mark.h"
#include "sinks/pauses.h"
#include "sinks/progress.h"
#include "sinks/sender.h"
#include "sinks/sink_meters.h"
#include "sinks/sink_store.h"
#include "table/jobs/job_run.h"

namespace partita::sinks {

// Only for the background thread. After an error of step() it is of no more use.
class SinkCarriage {
 public:
  virtual ~SinkCarriage() = default;

  // As JobType::step().
  virtual Task<Result<table::StepEnd>> step(table::JobRun& run) = 0;
};

// What all carriages of a database share. Outlives them.
struct CarriageTools {
  Workers& workers;
  SinkMeters& meters;
  const FindDestination& find;
  std::stop_token hurry;
};

// What is sent, and then stored as delivered.
struct CarriageBatch {
  std::vector<std::string> keys;  // still to be sent; empty: the page below
  Positions delivered{};          // of the logs
  std::array<uint64_t, table::kSinkSlices> entries{};
  std::array<uint64_t, table::kSinkSlices> bytes{};
  std::string cursor;  // of a fill
  uint64_t rows = 0;
};

// Of a sink that keeps the newest state of each item.
class Carriage final : public SinkCarriage {
 public:
  Carriage(CarriageTools tools, table::JobRun& run);
  ~Carriage() override;

  Task<Result<table::StepEnd>> step(table::JobRun& run) override;

 private:
  using StepEnd = table::StepEnd;
  static constexpr int64_t kStepMs = 500;  // of work before the progress is stored
  static constexpr int64_t kLookMs = 200;  // how often the sink is read
  // What is being sent, and how far the sink is once all of it is.
  using Batch = CarriageBatch;

  Task<Result<StepEnd>> step_now(table::JobRun& run);
  // Reads the sink; true if it is another than before.
  Task<Result<bool>> look(table::JobRun& run);
  Task<Result<void>> make_ready(table::JobRun& run);
  Task<Result<void>> connect(table::JobRun& run);
  Task<Result<StepEnd>> give_up(table::JobRun& run, Error error);
  // True: the index is gone, and a new fill was asked for.
  Task<Result<bool>> lost_index(table::JobRun& run);
  Task<Result<StepEnd>> begin_fill(table::JobRun& run);
  Task<Result<StepEnd>> fill(table::JobRun& run);
  Task<Result<bool>> fill_some(table::JobRun& run);
  Task<Result<StepEnd>> publish(table::JobRun& run);
  Task<Result<StepEnd>> follow(table::JobRun& run);
  Task<Result<bool>> read_logs();
  Task<Result<StepEnd>> retry(table::JobRun& run);
  Task<Result<bool>> retry_some();
  Task<Result<StepEnd>> stand_by(table::JobRun& run);
  Task<Result<StepEnd>> wind_up(table::JobRun& run);
  // Sends what is left of the batch. False: not all of it.
  Task<Result<bool>> deliver();
  void take(Sent sent);
  void count(const Sent& sent);
  // Whether a fill is wanted that has not begun, or the sink is gone.
  bool wants_fill() const { return !sink_ || progress_.generation != sink_->generation; }
  // After an error of the other end: kMore, or the error if it is of the store.
  Task<Result<StepEnd>> after_failure(table::JobRun& run, Error error);
  Task<Result<void>> fill_anew(table::JobRun& run, std::string because);
  void pace_fills();
  // If there is anything to store.
  Task<Result<StepEnd>> store(table::JobRun& run);
  Task<Result<void>> count_letters();
  Task<Result<void>> write_mark();
  Result<void> merge_mark();
  Task<Result<void>> count_backlog(table::JobRun& run);
  bool over_bound();
  void hold_up(std::string trouble);
  void go_on();
  void show();
  int64_t now_ns() const { return context_.clock().monotonic_ns(); }
  std::string name() const { return "The sink " + progress_.sink + " of table " + table_name_; }

  const CarriageTools tools_;
  table::TableContext& context_;
  const std::string table_name_;
  const uint32_t table_id_;
  const uint16_t number_;
  LeaseKeeper lease_;
  Backlog backlog_;

  std::optional<table::Sink> sink_;
  storage::Version sink_version_{};
  int64_t looked_ns_ = 0;
  int64_t until_ns_ = 0;  // of this step
  table::Table table_;
  Progress progress_;
  bool loaded_ = false;
  std::unique_ptr<Destination> destination_;
  std::optional<Sender> sender_;
  std::optional<Positions> first_ends_;  // of the logs, when this server began
  bool compared_ = false;                // with the mark and the logs
  uint64_t absent_ = 0;                  // the generation whose index was not there
  int64_t intact_due_ns_ = 0;
  Versions marked_{};  // the highest version that was sent to each slice
  bool mark_changed_ = false;
  std::optional<Batch> batch_;
  bool followed_ = false;     // the logs, at least for one step
  bool retries_now_ = false;  // this step is for the dead letters
  uint64_t retrying_ = 0;     // Sink::retries of these
  std::string retried_to_;    // the id of the last that was tried
  bool changed_ = false;      // the progress is ahead of the store
  LogThrottle complaints_{10'000};
  bool complained_ = false;
  int64_t backoff_ms_ = 0;
  int64_t held_until_ns_ = 0;
  size_t fills_anew_ = 0;        // since one was completed
  int64_t stuck_since_ns_ = 0;   // since when nothing was sent for a trouble; 0: something was
  Positions drain_to_{};         // of the logs, after a fill or when this server began
  uint64_t gathered_bytes_ = 0;  // of the logs, beyond their bound
  IdlePause idle_;
  int64_t counted_ns_ = 0;
  bool caught_up_ = false;
  SinkFigures figures_;
  int64_t letters_counted_ns_ = 0;
};

}  // namespace partita::sinks
