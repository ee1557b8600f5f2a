// Writes that leave the item cache right: PutItem, UpdateItem, DeleteItem, BatchWriteItem and TransactWriteItems. They
// are carried out as without a cache.
#pragma once

#include <coroutine>
#include <optional>
#include <utility>
#include <vector>

#include "api/writes.h"
#include "base/result.h"
#include "dax/caches.h"
#include "ops/execution.h"
#include "table/items/transact.h"
#include "table/items/write.h"

namespace partita::dax {

template <class RequestOf, class PlanOf, class ReplyOf>
class CachedWriteOf final : public ops::ItemExecution {
 public:
  // `caches`: null: none. They outlive it.
  CachedWriteOf(Caches* caches, RequestOf request) : caches_(caches), request_(std::move(request)) {}
  void visit_names(ops::VisitName visit) override { ops::visit_named(request_, visit); }
  const RequestOf& request() const { return request_; }
  // Precondition: run() succeeded.
  const ReplyOf& reply() const { return *reply_; }

 private:
  Result<void> prepare(const ops::Context& context, ops::RequestAuthorizer& checker) override;
  bool start(table::Database& database, std::coroutine_handle<> awaiter) override {
    return running_.start(table::run(database, *plan_), awaiter);
  }
  Result<void> finish(ops::RequestAuthorizer& checker) override;
  api::CapacityDetail capacity() const override { return request_.capacity; }

  Caches* const caches_;
  const RequestOf request_;
  const ops::Context* context_ = nullptr;
  std::optional<PlanOf> plan_;
  std::vector<ItemCache::Write> writes_;  // one for each write of the plan, without checks; empty without a cache
  ops::Running<ReplyOf> running_;
  std::optional<ReplyOf> reply_;
};

using CachedWrite = CachedWriteOf<api::WriteRequest, table::WritePlan, api::WriteReply>;
using CachedBatchWrite = CachedWriteOf<api::BatchWriteRequest, table::WritesPlan, api::WritesReply>;
using CachedTransactWrite = CachedWriteOf<api::TransactWriteRequest, table::WritesPlan, api::WritesReply>;

extern template class CachedWriteOf<api::WriteRequest, table::WritePlan, api::WriteReply>;
extern template class CachedWriteOf<api::BatchWriteRequest, table::WritesPlan, api::WritesReply>;
extern template class CachedWriteOf<api::TransactWriteRequest, table::WritesPlan, api::WritesReply>;

}  // namespace partita::dax
