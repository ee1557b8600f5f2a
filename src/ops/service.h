// Every operation of DynamoDB: call() takes and returns AWS's JSON, run() takes a request struct.
//
//   GetItemExecution get(std::move(request));
//   PARTITA_CO_TRY_VOID(co_await service.run(*find_operation("GetItem"), caller, get));
//   use(get.reply());
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "auth/authenticate.h"
#include "base/drain_lock.h"
#include "base/exposition.h"
#include "base/result.h"
#include "base/task.h"
#include "ops/authorisation.h"
#include "ops/call.h"
#include "ops/request_totals.h"
#include "throttle/hot_keys.h"

namespace partita::table {
class Database;
struct TableInfo;
}  // namespace partita::table
namespace partita::iam {
class Directory;
}

namespace partita::ops {

class Admission;
class Execution;

class Service {
 public:
  // The database outlives the service. `requests_per_second`: of each principal; 0 is as many as they like.
  // `directory`: what calls of IAM and STS are about, which outlives the service too; null: they are refused.
  explicit Service(table::Database& database, Enforcement enforcement = Enforcement::kRefuse,
                   uint64_t requests_per_second = 0, iam::Directory* directory = nullptr);
  // Another one of the same server, for the namespace of that name and without a directory: the same enforcement, each
  // principal has one rate in both, and the elder reports the tables of both.
  Service(table::Database& database, const Service& elder, std::string space);
  ~Service();

  // Never fails: what goes wrong is a Reply with AWS's error body. What `call` points into must live until the task has
  // ended. Callable from any thread.
  Task<Reply> call(const Call& call);

  // An operation without a protocol: the execution, of that operation, holds the request and then the reply. Policies
  // of `caller.identity` are enforced; without an identity everything is allowed. Capacity counts in the metrics of
  // tables. Not done: authentication, rate limits, and metrics, logs, audit and traces of requests. All arguments
  // outlive the task. Callable from any thread; continues through the current Executor (base/executor.h).
  Task<Result<void>> run(const Operation& operation, const auth::Caller& caller, Execution& execution);

  // What the call is answered when its policies allow no part of it, by the names in it alone: for a database in which
  // nothing is, to be made of the call if they do. Nothing: they do. The service has a database without tables.
  Task<std::optional<Reply>> refuse_in_empty(const Call& call);

  // Bytes that answering the call may take beyond its body and its reply, at most.
  static size_t memory_of(const Call& call);

  // Counts what the call was answered with, by this service or for it, and how long that took. Callable from any
  // thread.
  void answered(const Call& call, const Reply& reply, int64_t took_ns);
  // Counts what was no call, and was answered so. Callable from any thread.
  void refused(int status);

  // Whoever uses the database beside the calls goes through here; see pause(). Null: there is none now.
  DrainLock& drain_lock() { return drain_lock_; }
  table::Database* database() { return database_; }
  // Blocks until no call is under way; those that come wait for resume(). Not on a thread that serves, and only one at
  // a time.
  void pause() { drain_lock_.close(); }
  // Goes on, with another database, which may be what became of the one before.
  void resume(table::Database& database);
  // Iterators of shards that were issued before that moment are expired. While it is paused, or before the first call.
  void expire_iterators(int64_t from_ms) { iterators_from_ms_ = from_ms; }
  // Goes on without any: calls fail, until it is paused and resumed.
  void resume_without();

  // Who calls; a call whose signature is wrong counts against the rate that such calls share. Faults: what is wrong
  // with the signature; kRateExceeded.
  Result<const auth::Caller*> caller_of(const Call& call);

  // Whether the caller may do what is no operation of DynamoDB, such as "partita:ListNamespaces": by the rate, which it
  // is counted with, and by its policies. `table`: the name of the table that it is about; empty: the resource is "*".
  // Faults: kRateExceeded; kDeniedByIdentity and those that follow it.
  Result<void> permit(const Call& call, const auth::Caller& caller, std::string_view action,
                      std::string_view table = {});

  // What decides over each access.
  const Admission& admission() const;
  // All of it, for an operator. Callable from any thread.
  void report(Exposition& out);
  // The numbers in it: those of operations since the start, and those of the tables of all namespaces. Callable from
  // any thread.
  RequestTotals totals();
  // The keys that take most of the capacity of a table of the database: see TableMeters::hot_keys(). Each key is the
  // name of an index, or nothing, a '\0', and the attributes of the partition key as DynamoDB's JSON. Weights are half
  // units. Callable from any thread.
  throttle::HotKeys::Top hot_keys(const table::TableInfo& table, size_t most);

 private:
  struct Parts;
  Task<Reply> call(const Call& call, bool* allowed);
  table::Database* database_;      // changes only while the drain lock is closed
  int64_t iterators_from_ms_ = 0;  // so does this
  DrainLock drain_lock_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace partita::ops
