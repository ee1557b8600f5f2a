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
#include "clusters/dax_address.h"
#include "metrics/counts.h"
#include "metrics/evaluation.h"
#include "metrics/insights.h"
#include "ops/authorisation.h"
#include "ops/call.h"
#include "ops/request_totals.h"
#include "throttle/capacity_limits.h"
#include "throttle/heat_report.h"
#include "throttle/hot_keys.h"

namespace partita::table {
class Database;
struct IndexInfo;
struct TableInfo;
}  // namespace partita::table
namespace partita::iam {
class Directory;
}

namespace partita::ops {

class Admission;
class CallCodec;
class Execution;

class Service {
 public:
  // The database outlives the service. `requests_per_second`: the limit of each principal; 0: none. `directory`: the
  // users that calls of IAM and STS change; it outlives the service. Null: these calls are refused. `capacity`: of
  // tables without a tag that says otherwise.
  explicit Service(table::Database& database, Enforcement enforcement = Enforcement::kRefuse,
                   uint64_t requests_per_second = 0, iam::Directory* directory = nullptr,
                   throttle::CapacityModes capacity = {});
  // The service of a namespace in the same server, without a directory. It shares the enforcement, the limits and the
  // metrics of tables with `elder`, whose report() includes them.
  Service(table::Database& database, const Service& elder, std::string space);
  ~Service();

  // Answers a call. Never fails: an error is a Reply with AWS's error body. `call` and what it points to outlive the
  // task. Callable from any thread; continues through the current Executor.
  Task<Reply> call(const Call& call);

  // Answers a call of a protocol that is not JSON, by its codec (call_codec.h). An error is for the codec's protocol to
  // send. Faults: the refusal of the signature, kInvalidSignature for one of another service than DAX, kRateExceeded,
  // and those of the operation. Both arguments, and what `call` points to, outlive the task. Callable from any thread;
  // continues through the current Executor.
  Task<Result<void>> call_by(const Call& call, CallCodec& codec);
  // As CallHandler::admit().
  Result<const auth::Caller*> admit(const Call& call);

  // An operation without a protocol: the execution, of that operation, holds the request and then the reply. Policies
  // of `caller.identity` are enforced; without an identity everything is allowed. Capacity counts in the metrics of
  // tables. Not done: authentication, limits of rates and of capacity, and metrics, logs, audit and traces of requests.
  // All arguments outlive the task. Callable from any thread; continues through the current Executor (base/executor.h).
  Task<Result<void>> run(const Operation& operation, const auth::Caller& caller, Execution& execution);

  // Before a call creates a namespace: the refusal if policies allow no part of it, judged by the names in it alone.
  // Absent: they allow a part. Precondition: the service's database has no tables. `call` as for call().
  Task<std::optional<Reply>> refuse_in_empty(const Call& call);

  // The most bytes that answering the call takes beyond its body and its reply.
  static size_t memory_of(const Call& call);

  // Counts a call that this service or another part of the server answered, with its reply and its time. Callable from
  // any thread.
  void answered(const Call& call, const Reply& reply, int64_t took_ns);
  // Counts a request that was refused with that status before it became a call. Callable from any thread.
  void refused(int status);

  // Code other than call() and run() must hold the drain lock while it uses the database; see pause().
  DrainLock& drain_lock() { return drain_lock_; }
  // Null: resume_without() was called.
  table::Database* database() { return database_; }
  // Gives `use` the database, under the drain lock. False: there is none, or it is being changed, and `use` was not
  // called. For other threads than those that serve.
  template <class Use>
  bool with_database(Use use) {
    DrainLock::SharedGuard guard(drain_lock_);
    if (!guard.try_enter() || database_ == nullptr) return false;
    use(*database_);
    return true;
  }
  // Blocks until no call is in progress; new calls wait for resume(). Not on a serving thread; for one thread at a
  // time.
  void pause() { drain_lock_.close(); }
  // Continues with this database, the previous one or another.
  void resume(table::Database& database);
  // Iterators of shards issued before that time are expired. Call while paused, or before the first call.
  void expire_iterators(int64_t from_ms) { iterators_from_ms_ = from_ms; }
  // That time, which each rollback of the database changes. Precondition: the calling code holds the drain lock.
  int64_t iterators_from_ms() const { return iterators_from_ms_; }
  // Continues without a database: calls fail until the service is paused and resumed again.
  void resume_without();

  // Shares the capacity of tables with other servers of the store, from now on (throttle/capacity_ledger.h). Blocks.
  // Call once, before the first call; the database then stays the same.
  void share_capacity();

  // The caller, which the call holds. Calls whose signature was refused share one rate limit. Faults: the refusal of
  // the signature, kRateExceeded. Callable from any thread.
  Result<const auth::Caller*> caller_of(const Call& call);

  // Whether the caller may do an action of Partita's own, such as "partita:ListNamespaces": counts the call against the
  // rate limit and checks policies. `table`: the name of the table concerned; empty: the resource is "*". Precondition:
  // the calling code holds the drain lock. Faults: kRateExceeded, kDeniedByIdentity and those after it. Error:
  // kUnavailable without a database.
  Result<void> permit(const Call& call, const auth::Caller& caller, std::string_view action,
                      std::string_view table = {});

  // The limits and the authorisation of this service.
  const Admission& admission() const;
  // What becomes of the actions of alarms; kIgnored at first. Set it before the first call.
  void set_alarm_actions(metrics::AlarmActions actions) { alarm_actions_ = actions; }
  metrics::AlarmActions alarm_actions() const { return alarm_actions_; }
  // Where the server offers the DAX protocol, which clusters need; nowhere at first. Services of namespaces that are
  // made afterwards share it. Set it before the first call.
  void set_dax_address(clusters::DaxAddress address);
  // Writes all metrics of requests. Callable from any thread.
  void report(Exposition& out);
  // What CloudWatch's metrics are made of, of the tables of this service. For one thread, which is the only one to take
  // extremes. Precondition: the calling code holds the drain lock, and database() is not null.
  metrics::ServerCounts counts();
  // Counts the keys of those tables whose Contributor Insights are on. Call it once a second. Preconditions as above.
  void follow_insights();
  // What was counted of them since the last call.
  std::vector<metrics::InsightMinute> take_insights();
  // The same as numbers: those of operations since the start, and those of the tables of all namespaces. Callable from
  // any thread.
  RequestTotals totals();
  // The keys with the largest share of a table's capacity: see TableMeters::hot_keys(). Each key is the name of an
  // index (empty: the table), a '\0', and the attributes of the partition key as DynamoDB's JSON. Weights are half
  // units. Preconditions: the table is of this database, and the calling code holds the drain lock.
  throttle::HotKeys::Top hot_keys(const table::TableInfo& table, size_t most);
  // The load on the logical partitions of a table, or of its global index. Preconditions as above.
  throttle::HeatReport heat(const table::TableInfo& table, const table::IndexInfo* index);

 private:
  struct Parts;
  Task<Reply> call(const Call& call, bool* allowed);
  table::Database* database_;      // changes only while the drain lock is closed
  int64_t iterators_from_ms_ = 0;  // the same
  metrics::AlarmActions alarm_actions_ = metrics::AlarmActions::kIgnored;
  DrainLock drain_lock_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace partita::ops
