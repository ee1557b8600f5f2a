// What waits for RequestPipeline: each is a Waiter in the frame of the coroutine that awaits it, once. The pipeline's
// thread owns all other members until the coroutine resumes.
#pragma once

#include <coroutine>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "engines/postgres/parameters.h"
#include "engines/postgres/schema.h"
#include "storage/batch.h"
#include "storage/engine.h"
#include "storage/group_commit.h"

namespace partita::postgres {

class RequestPipeline;

class PipelineRequest : public storage::PipelineWaiter {
 public:
  void await_suspend(std::coroutine_handle<> handle);

 protected:
  enum class Kind : uint8_t { kStatement, kLookup, kTxn };
  PipelineRequest(RequestPipeline& pipeline, Kind kind) : pipeline_(pipeline), kind_(kind) {}

 private:
  friend class RequestPipeline;
  RequestPipeline& pipeline_;
  const Kind kind_;
  int64_t asked_at_ns_ = 0;
  int64_t deadline_ms_ = 0;
  int losses_ = 0;      // connections lost while it was under way
  bool alone_ = false;  // neither merged with others nor sent behind them: it may be why statements fail or are lost
};

// A statement that can be sent again when its answer is lost.
class SqlRequest : public PipelineRequest {
 public:
  SqlRequest(RequestPipeline& pipeline, PreparedStatement statement, Parameters parameters)
      : PipelineRequest(pipeline, Kind::kStatement), statement_(statement), parameters_(std::move(parameters)) {}
  Result<Rows> result = Error(ErrorKind::kUnavailable, "");

 private:
  friend class RequestPipeline;
  const PreparedStatement statement_;
  const Parameters parameters_;
};

// Records by their keys, all from one snapshot; nothing for absent ones. The keys outlive it.
class LookupRequest : public PipelineRequest {
 public:
  LookupRequest(RequestPipeline& pipeline, std::span<const storage::Key> keys)
      : PipelineRequest(pipeline, Kind::kLookup), keys_(keys), records(keys.size()) {}

 private:
  friend class RequestPipeline;
  const std::span<const storage::Key> keys_;

 public:
  std::vector<std::optional<storage::Record>> records;
  Result<void> result;
};

// One call of transact(). Its arguments outlive it.
class PendingTxn : public PipelineRequest {
 public:
  PendingTxn(RequestPipeline& pipeline, std::vector<storage::Key>& keys, std::vector<storage::Compare>& compare,
             storage::Decide& decide)
      : PipelineRequest(pipeline, Kind::kTxn), transaction{keys, compare, decide} {}
  storage::Transaction transaction;

 private:
  friend class RequestPipeline;
  int attempts_ = 0;
  int64_t not_before_ms_ = 0;
  bool by_itself_ = false;  // committed alone, since it waited long in vain
};

}  // namespace partita::postgres
