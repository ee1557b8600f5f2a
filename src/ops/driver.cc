#include "ops/driver.h"

#include "ops/control_execution.h"
#include "ops/execution.h"
#include "ops/resource_arn.h"
#include "ops/stream_names.h"
#include "table/control/policy.h"

namespace partita::ops {

Task<Result<bool>> tries_again(const Context& context, const Error& error, int tries) {
  if (!table::Database::binds_again(error) || tries == kMostTries) co_return false;
  PARTITA_CO_TRY_VOID(co_await context.database.before_binding_again(error));
  co_return true;
}

Task<Result<bool>> tries_again(const Context& context, RequestAuthorizer& checker, Error& error, int tries, Word word) {
  bool waited = false;
  while (true) {
    const bool binds_again = table::Database::binds_again(error);
    if (!binds_again) error = word(std::move(error));
    // Policies may also be found wanting by the error of the wait.
    if (Authorisation::is_not_loaded(error)) {
      if (tries >= kMostTries) co_return false;
      checker.give_back();
      PARTITA_CO_TRY_VOID(co_await checker.load(error));
      co_return true;
    }
    if (!binds_again || waited) co_return false;
    checker.give_back();
    auto again = co_await tries_again(context, error, tries);
    if (again.ok()) co_return again;
    error = std::move(again).error();
    waited = true;
  }
}

Result<table::Table> find_table(std::string_view name_or_arn, const Context& context) {
  if (!name_or_arn.starts_with("arn:")) return context.database.ready_table(name_or_arn);
  PARTITA_TRY(const std::string name, table_name_of(name_or_arn, context));
  return context.database.ready_table(name);
}

// The last stage of a kind of execution, awaited.
struct ItemsRunning {
  ItemExecution& execution;
  table::Database& database;
  RequestAuthorizer& checker;
  bool await_ready() const { return false; }
  bool await_suspend(std::coroutine_handle<> awaiter) { return execution.start(database, awaiter); }
  Result<void> await_resume() { return execution.finish(checker); }
};

struct ControlRunning {
  ControlExecution& execution;
  const Context& context;
  bool await_ready() const { return false; }
  bool await_suspend(std::coroutine_handle<> awaiter) { return execution.start(context, awaiter); }
  Result<void> await_resume() { return execution.finish(); }
};

Task<Result<void>> ItemExecution::run(const Context& context) {
  RequestAuthorizer checker(context, capacity());
  const auto word = [&](Error error) {
    auto visit = [&](const std::string& name, std::string_view index, table::Verb verb) {
      error = checker.worded(std::move(error), name, index, verb);
    };
    visit_names(visit);
    return error;
  };
  for (int tries = 1;; ++tries) {
    auto done = prepare(context, checker);
    if (done.ok()) done = co_await ItemsRunning{*this, context.database, checker};
    if (done.ok()) co_return done;
    Error refusal = std::move(done).error();
    if (table::is_throttled(refusal)) co_return refusal;  // it was admitted, and is not worded otherwise
    PARTITA_CO_TRY(const bool again, co_await tries_again(context, checker, refusal, tries, word));
    if (!again) co_return refusal;
  }
}

namespace {

// What the request names, as the access that it is; ARNs become names.
Result<table::Access> access_of(const Subject& subject, const Context& context) {
  table::Access access;
  access.verb = table::Verb::kControl;
  if (subject.resource != nullptr) {
    PARTITA_TRY(*subject.resource, resource_of(subject.resource->arn, subject.arn_rules, context));
    access.name = subject.resource->name;
    access.stream = subject.resource->stream;
  }
  if (subject.table != nullptr) {
    PARTITA_TRY(*subject.table, table_name_of(*subject.table, context));
    access.name = *subject.table;
  }
  if (subject.stream_arn != nullptr) {
    PARTITA_TRY(*subject.stream, stream_of(*subject.stream_arn, context));
    access.name = subject.stream->table;
    access.stream = subject.stream->label;
  }
  if (subject.global_table != nullptr) access.other_name = *subject.global_table;
  if (subject.cluster != nullptr) access.other_name = *subject.cluster;
  if (subject.index != nullptr && *subject.index) access.index_name = **subject.index;
  if (subject.region != nullptr) *subject.region = context.caller.region;
  access.tags = subject.tags;
  access.tag_names = subject.tag_names;
  return access;
}

// Waits for policies until the access is allowed or refused, as one of the operation's action and of `others`.
Task<Result<void>> admit(const Context& context, table::Access access, const std::vector<std::string_view>& others) {
  RequestAuthorizer checker(context);
  table::Owner owner;
  if (context.caller.identity != nullptr && !access.name.empty()) {
    PARTITA_CO_TRY(owner, co_await table::owner_of(context.database, std::string(access.name), access.stream));
    access.owner = owner.table.get();
    access.owner_id = owner.id;
  }
  while (true) {
    auto admitted = checker.admit(access);
    for (const std::string_view action : others) {
      if (admitted.ok()) admitted = checker.check(access, action);
    }
    if (admitted.ok() || !Authorisation::is_not_loaded(admitted.error())) co_return admitted;
    PARTITA_CO_TRY_VOID(co_await checker.load(admitted.error()));
  }
}

}  // namespace

Task<Result<void>> ControlExecution::run(const Context& context) {
  const Subject named = subject();
  if (named.table != nullptr && named.table->starts_with("arn:")) arn_given_ = *named.table;
  PARTITA_CO_TRY(table::Access access, access_of(named, context));
  PARTITA_CO_TRY_VOID(co_await admit(context, access, named.other_actions));
  if (context.allowed != nullptr) co_return Result<void>();
  co_return co_await ControlRunning{*this, context};
}

}  // namespace partita::ops
