// An operation in progress: its request as a plain struct, and the reply once it has run. A codec makes it from bytes
// and encodes its reply; run() knows no bytes.
//
// - ItemExecutionOf: `table` binds the request to the tables that it names, admits it, runs it and charges it, by the
//   overloads of bind(), admit(), run() and charge() for the types of its request and plan. Their headers must be
//   included here. The names of these executions are at the end of this file.
// - ControlExecutionOf (control_execution.h), for an operation on tables as such: subject() says what the request
// names.
// - An operation that consists of other ones derives from Execution. Its run() may run other executions with its own
//   Context: each of them is bound, admitted with the action of the Context's operation, and charged.
//
//     Task<Result<void>> run(const Context& context) override {
//       RangeExecution page(std::move(request));
//       PARTITA_CO_TRY_VOID(co_await page.run(context));
//       use(page.reply());
//
// The driver (driver.cc) takes the first two kinds through these stages.
#pragma once

#include <coroutine>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/coroutine_frames.h"
#include "base/function_ref.h"
#include "base/result.h"
#include "base/task.h"
#include "ops/admission.h"
#include "ops/operation.h"
#include "ops/resource_arn.h"
#include "table/control/tags.h"
#include "table/items/query.h"
#include "table/items/read.h"
#include "table/items/transact.h"
#include "table/items/write.h"
#include "table/streams/streams.h"
#include "table/vectors/vector_search.h"

namespace partita::ops {

// Called with each table or stream that a request names, by name or ARN, the index of it or "", and what is done with
// it.
using VisitName = FunctionRef<void(const std::string& name, std::string_view index, table::Verb verb)>;

// For one request, and one thread at a time. Its reply lives as long as it.
class Execution {
 public:
  Execution() = default;
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;
  virtual ~Execution() = default;

  // Once. The context outlives the task.
  virtual Task<Result<void>> run(const Context& context) = 0;
  // The names and ARNs as the request has them, also after run(): for the audit log and logs of requests, and for the
  // order of refusals.
  virtual void visit_names(VisitName visit) = 0;

  static void* operator new(size_t bytes) { return allocate_frame(bytes); }
  static void operator delete(void* place, size_t bytes) noexcept { free_frame(place, bytes); }
};

// The last task of an execution. The driver awaits it through virtual functions, so it needs no type of an outcome.
template <class Outcome>
class Running {
 public:
  bool start(Task<Result<Outcome>> task, std::coroutine_handle<> awaiter) {
    task_.emplace(std::move(task));
    return task_->await_suspend(awaiter);
  }
  Result<Outcome> finish() {
    Result<Outcome> outcome = task_->await_resume();
    task_.reset();
    return outcome;
  }

 private:
  std::optional<Task<Result<Outcome>>> task_;
};

class ItemExecution : public Execution {
 public:
  Task<Result<void>> run(const Context& context) final;

 private:
  friend struct ItemsRunning;
  // Binds the request to its tables and admits it; called again after a change of a table's description.
  virtual Result<void> prepare(const Context& context, RequestAuthorizer& checker) = 0;
  virtual bool start(table::Database& database, std::coroutine_handle<> awaiter) = 0;
  virtual Result<void> finish(RequestAuthorizer& checker) = 0;
  virtual api::CapacityDetail capacity() const = 0;
};

// The table of that name or ARN, ready for items. Faults: those of table_name_of(), kResourceNotFound.
Result<table::Table> find_table(std::string_view name_or_arn, const Context& context);

// The table that a request names, or for each of its parts a table or the error of its name. table::bind() reports
// these errors in the order of the parts.
template <class Request>
auto find_tables(const Request& request, const Context& context) {
  if constexpr (requires { request.parts; }) {
    std::vector<Result<table::Table>> tables;
    tables.reserve(request.parts.size());
    for (const auto& part : request.parts) tables.push_back(find_table(part.table, context));
    return Result<std::vector<Result<table::Table>>>(std::move(tables));
  } else {
    return find_table(request.table, context);
  }
}

// Calls `visit` with each table that the request names, its index and the verb.
template <class Request>
void visit_named(const Request& request, VisitName visit) {
  if constexpr (requires { request.parts; }) {
    for (const auto& part : request.parts) visit_named(part, visit);
  } else if constexpr (requires { request.action; }) {
    visit(request.table, {}, table::verb_of(request.action.kind));
  } else if constexpr (requires { request.index.value(); }) {
    visit(request.table, request.index ? std::string_view(*request.index) : std::string_view(), table::Verb::kGet);
  } else if constexpr (requires { request.index; }) {
    visit(request.table, request.index, table::Verb::kGet);
  } else {
    visit(request.table, {}, table::Verb::kGet);
  }
}

template <class RequestOf, class Plan, class ReplyOf>
class ItemExecutionOf : public ItemExecution {
 public:
  using Request = RequestOf;
  using Reply = ReplyOf;

  explicit ItemExecutionOf(Request request) : request_(std::move(request)) {}
  // Constructs the request in place from the result of `decode`. If that is an error, only decoded() may be called.
  template <class Decode>
    requires std::is_invocable_r_v<Result<Request>, Decode>
  explicit ItemExecutionOf(Decode decode) : request_(decode()) {}
  void visit_names(VisitName visit) override { visit_named(*request_, visit); }

  Result<Request>& decoded() { return request_; }
  const Request& request() const { return *request_; }
  // Precondition: run() succeeded. Its views point into the execution.
  const Reply& reply() const { return *reply_; }

  template <class Call>
  static auto encode(const ItemExecutionOf& done, const Context& /*context*/) {
    return Call::encode(done.request(), done.reply());
  }

 protected:
  Result<void> prepare(const Context& context, RequestAuthorizer& checker) override {
    auto tables = find_tables(*request_, context);
    if (!tables.ok()) return std::move(tables).error();
    return prepare_with(std::move(tables).value(), checker);
  }
  // The same for tables that were found before. A class derived from this one may know them.
  template <class Tables>
  [[gnu::always_inline]] Result<void> prepare_with(Tables tables, RequestAuthorizer& checker) {
    plan_.emplace(table::bind(*request_, std::move(tables)));
    if (!plan_->ok()) return std::move(*plan_).error();
    return table::admit(**plan_, checker);
  }

 private:
  bool start(table::Database& database, std::coroutine_handle<> awaiter) override {
    return running_.start(table::run(database, **plan_), awaiter);
  }
  Result<void> finish(RequestAuthorizer& checker) override {
    Result<Reply> reply = running_.finish();
    if (!reply.ok()) {
      if constexpr (requires { table::charge_refused(**plan_, reply.error(), checker); }) {
        table::charge_refused(**plan_, reply.error(), checker);
      }
      return std::move(reply).error();
    }
    reply_.emplace(std::move(reply).value());
    if constexpr (std::is_same_v<Reply, api::RangeReply>) checker.returned(reply_->count);
    table::charge(**plan_, *reply_, checker);
    return {};
  }
  api::CapacityDetail capacity() const override { return request_->capacity; }

  Result<Request> request_;
  std::optional<Result<Plan>> plan_;
  Running<Reply> running_;
  std::optional<Reply> reply_;
};

using GetItemExecution = ItemExecutionOf<api::GetRequest, table::GetPlan, api::GetReply>;
// PutItem, UpdateItem or DeleteItem.
using WriteItemExecution = ItemExecutionOf<api::WriteRequest, table::WritePlan, api::WriteReply>;
// Query or Scan.
using RangeExecution = ItemExecutionOf<api::RangeRequest, table::RangePlan, api::RangeReply>;
using BatchWriteExecution = ItemExecutionOf<api::BatchWriteRequest, table::WritesPlan, api::WritesReply>;
using TransactGetExecution = ItemExecutionOf<api::TransactGetRequest, table::TransactGetPlan, api::TransactGetReply>;
using TransactWriteExecution = ItemExecutionOf<api::TransactWriteRequest, table::WritesPlan, api::WritesReply>;
using SearchExecution = ItemExecutionOf<api::SearchRequest, table::SearchPlan, api::SearchReply>;

}  // namespace partita::ops
