// A sink that takes every change, as one server carries it. What it must not forget is in the Progress, which is stored
// with the job; the rest is found again by whoever takes the job over.
//
// What is stored as delivered is never ahead of what the other end has said, and a log is trimmed only up to there:
// after a crash, changes are sent again, and none is left out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/log.h"
#include "base/result.h"
#include "base/task.h"
#include "sinks/backlog.h"
#include "sinks/carriage.h"
#include "sinks/change_slice.h"
#include "sinks/lease_keeper.h"
#include "sinks/progress.h"
#include "sinks/sink_meters.h"
#include "sinks/sink_store.h"
#include "table/jobs/job_run.h"

namespace partita::sinks {

// What all of a database share. Outlives them.
struct ChangeCarriageTools {
  Workers& workers;
  SinkMeters& meters;
  const FindChangeDestination& find;
  const std::string& region;  // of ARNs
  std::stop_token hurry;
};

// Only for the background thread. After an error of step() it is of no more use.
class ChangeCarriage final : public SinkCarriage {
 public:
  ChangeCarriage(ChangeCarriageTools tools, table::JobRun& run);
  ~ChangeCarriage() override;

  Task<Result<table::StepEnd>> step(table::JobRun& run) override;

 private:
  using StepEnd = table::StepEnd;

  Task<Result<StepEnd>> step_now(table::JobRun& run);
  // What is to be done between two pauses.
  Task<Result<void>> tend(table::JobRun& run);
  // Reads the sink.
  Task<Result<void>> look(table::JobRun& run);
  // Whether changes are to be sent.
  bool carries() const;
  Task<Result<void>> begin_session();
  // Begins the slices, unless the destination cannot be prepared.
  Task<Result<void>> after_preparing();
  // Positions of logs that the store no longer has, or not yet again.
  Task<Result<void>> check_logs();
  // Cuts calls in progress short, and waits for them. `finishes`: what is open at the other end is finished.
  Task<Result<void>> end_session(bool finishes);
  Task<Result<void>> fail(table::JobRun& run, std::string sentence);
  Task<Result<StepEnd>> wind_up(table::JobRun& run);
  void gather();
  // If there is anything to store.
  Task<Result<StepEnd>> store(table::JobRun& run);
  Task<Result<void>> count_backlog();
  bool over_bound() const { return backlog_.bytes() > static_cast<uint64_t>(sink_->max_backlog_bytes); }
  // What waits is too much: all of it is dropped, and the sink fails.
  Task<Result<void>> drop(table::JobRun& run);
  Task<Result<void>> count_letters();
  void note_trouble(std::string trouble);
  // Of one that was not begun yet.
  void note_failed_attempt();
  bool caught_up() const;
  void show();
  int64_t now_ns() const { return context_.clock().monotonic_ns(); }
  std::string name() const { return "The sink " + progress_.sink + " of table " + table_name_; }

  const ChangeCarriageTools tools_;
  table::TableContext& context_;
  const std::string table_name_;
  const uint32_t table_id_;
  const uint16_t number_;
  const std::shared_ptr<LeaseKeeper> lease_;
  Backlog backlog_;

  std::optional<table::Sink> sink_;
  storage::Version sink_version_{};
  int64_t looked_ns_ = 0;
  table::Table table_;
  Progress progress_;
  bool loaded_ = false;
  bool checked_ = false;   // the logs
  bool changed_ = false;   // the progress is ahead of the store
  bool dropping_ = false;  // once no slice runs
  int64_t stored_ns_ = 0;
  std::shared_ptr<ChangeSession> session_;
  Backoff backoff_;                   // of connecting
  std::optional<int64_t> failed_ms_;  // the last attempt that failed
  LogThrottle complaints_{10'000};
  bool complained_ = false;
  int64_t counted_ns_ = 0;
  SinkFigures figures_;
  int64_t letters_counted_ns_ = 0;
};

}  // namespace partita::sinks
