// GetItem, BatchGetItem, Query and Scan by the caches. Each is bound and admitted as without them, but a hit consumes
// no capacity. Consistent reads pass the caches.
#pragma once

#include <coroutine>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "api/reads.h"
#include "base/result.h"
#include "base/task.h"
#include "base/yield_budget.h"
#include "dax/caches.h"
#include "ops/execution.h"
#include "table/items/query.h"
#include "table/items/read.h"

namespace partita::dax {

// An entry of the item cache is a whole item: projections are made of it, and of whole items on a miss.
class CachedGet final : public ops::ItemExecution {
 public:
  // The caches outlive it.
  CachedGet(Caches& caches, api::GetRequest request, std::string_view /*arguments*/)
      : items_(caches.items()), request_(std::move(request)) {}
  void visit_names(ops::VisitName visit) override { ops::visit_named(request_, visit); }
  const api::GetRequest& request() const { return request_; }
  // Precondition: run() succeeded.
  const api::GetReply& reply() const { return *reply_; }

 private:
  Result<void> prepare(const ops::Context& context, ops::RequestAuthorizer& checker) override;
  bool start(table::Database& database, std::coroutine_handle<> awaiter) override;
  Result<void> finish(ops::RequestAuthorizer& checker) override;
  api::CapacityDetail capacity() const override { return request_.capacity; }

  ItemCache& items_;
  const api::GetRequest request_;
  const api::GetRequest whole_;  // without a projection; only this is read of it
  const ops::Context* context_ = nullptr;
  std::optional<table::GetPlan> plan_;
  std::optional<ItemCache::Fill> fill_;  // of a miss
  CachedItem item_;                      // the reply points into it
  ops::Running<api::GetReply> running_;
  std::optional<api::GetReply> reply_;
};

class CachedBatchGet final : public ops::ItemExecution {
 public:
  // The caches outlive it.
  CachedBatchGet(Caches& caches, api::BatchGetRequest request, std::string_view /*arguments*/)
      : items_(caches.items()), request_(std::move(request)) {}
  void visit_names(ops::VisitName visit) override { ops::visit_named(request_, visit); }
  const api::BatchGetRequest& request() const { return request_; }
  // Precondition: run() succeeded.
  const api::BatchGetReply& reply() const { return *reply_; }

 private:
  // Of one part of the request.
  struct Part {
    std::vector<std::pair<size_t, CachedItem>> hits;  // by position among the part's keys, ascending
    std::vector<std::pair<size_t, ItemCache::Fill>> fills;
  };
  class Admission;

  Result<void> prepare(const ops::Context& context, ops::RequestAuthorizer& checker) override;
  bool start(table::Database& database, std::coroutine_handle<> awaiter) override;
  Result<void> finish(ops::RequestAuthorizer& checker) override;
  api::CapacityDetail capacity() const override { return request_.capacity; }

  void look_up(const table::BatchGetPlan::Read& read, Part& part);
  void leave_out_hits();
  Task<Result<api::BatchGetReply>> read(table::Database& database);
  // Of a part that the cache may answer: `answer` has only the misses, and gets the hits for which the reply has room.
  Task<Result<void>> complete(size_t part, api::BatchGetReply::Part& answer, size_t& bytes, table::TreesKept& trees,
                              YieldBudget& budget);
  Result<api::ReadItem> shown(size_t part, CachedItem item, table::TreesKept& trees);

  ItemCache& items_;
  const api::BatchGetRequest request_;
  std::vector<api::BatchGetRequest::Part> whole_;  // the parts without projections and keys
  const ops::Context* context_ = nullptr;
  ops::RequestAuthorizer* checker_ = nullptr;
  std::optional<table::BatchGetPlan> plan_;  // of the misses
  std::vector<Part> parts_;
  std::vector<CachedItem> owners_;  // the reply points into them
  ops::Running<api::BatchGetReply> running_;
  std::optional<api::BatchGetReply> reply_;
};

// Query or Scan.
class CachedRange final : public ops::ItemExecution {
 public:
  // `arguments`: of the request, its key in the cache together with Select. They and the caches outlive it.
  CachedRange(Caches& caches, api::RangeRequest request, std::string_view arguments)
      : queries_(caches.queries()), request_(std::move(request)), arguments_(arguments) {}
  void visit_names(ops::VisitName visit) override { ops::visit_named(request_, visit); }
  const api::RangeRequest& request() const { return request_; }
  // Precondition: run() succeeded.
  const api::RangeReply& reply() const { return *reply_; }

 private:
  Result<void> prepare(const ops::Context& context, ops::RequestAuthorizer& checker) override;
  bool start(table::Database& database, std::coroutine_handle<> awaiter) override;
  Result<void> finish(ops::RequestAuthorizer& checker) override;
  api::CapacityDetail capacity() const override { return request_.capacity; }

  CacheKey key() const;

  QueryCache& queries_;
  const api::RangeRequest request_;
  const std::string_view arguments_;
  const ops::Context* context_ = nullptr;
  std::optional<table::RangePlan> plan_;
  CachedPage page_;  // of a hit
  ops::Running<api::RangeReply> running_;
  std::optional<api::RangeReply> reply_;
};

}  // namespace partita::dax
