// Keeps the lease of a job whose steps may take long, such as those that wait for another server: it stores the job
// again and again. A store that no other process uses needs none, and then it does nothing.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "base/task.h"
#include "table/jobs/job_run.h"

namespace partita::sinks {

// Only for the background thread.
class LeaseKeeper {
 public:
  // Begins at once. The context outlives it.
  LeaseKeeper(table::TableContext& context, const table::Job& job);
  ~LeaseKeeper() { state_->ended = true; }
  LeaseKeeper(const LeaseKeeper&) = delete;
  LeaseKeeper& operator=(const LeaseKeeper&) = delete;

  // Another server has taken the job over.
  bool lost() const { return state_->lost; }
  // Stores the job's progress; the keeper stores the same from then on.
  Task<Result<table::JobRun::Stored>> store(table::JobRun& run, table::StepWrites extra = {});

 private:
  // Shared with the coroutine, which may outlive this.
  struct State {
    table::Job job;  // as it is stored
    bool ended = false;
    bool storing = false;
    bool held = false;
    bool lost = false;
  };
  static Task<void> keep(table::TableContext& context, std::shared_ptr<State> state);

  table::TableContext& context_;
  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace partita::sinks
