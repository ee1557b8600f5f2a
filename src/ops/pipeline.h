// One way through the house, the same for every operation:
//
//   decode   bytes to a request struct, which knows no table and keeps no JSON
//   bind     request and table description to a plan, with every check that needs the schema
//   admit    every access of the plan comes by the one gate
//   run      the plan, against the store
//   encode   what came of it, as the reply's JSON
//
// An operation on items says how it is decoded and encoded; the rest is in `table`, by overload:
//
//   struct GetItem {
//     using Request = table::GetRequest;
//     static Result<Request> decode(const wire::Members& in);
//     static Result<std::string> encode(const Request& request, const table::GetPlan& plan, const table::GetOutcome&
//     got);
//   };
//   Task<Result<std::string>> get_item(const Context& context, wire::JsonDocument document) {
//     return serve<GetItem>(context, std::move(document));
//   }
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/function_ref.h"
#include "base/result.h"
#include "base/task.h"
#include "ops/admission.h"
#include "ops/operation.h"
#include "ops/resource_arn.h"
#include "ops/stream_names.h"
#include "table/query.h"
#include "table/read.h"
#include "table/transact.h"
#include "table/vector_search.h"
#include "table/write.h"
#include "wire/checks.h"
#include "wire/members.h"

namespace partita::ops {

// A table's name from a name or an ARN, which must be of the caller's region. Faults: kArnInvalid, kArnPartition,
// kArnRegion, kArnResourceType; kArnOfAnotherAccount, of an operation on tables as such kTableOfAnotherAccount.
Result<std::string> table_name_of(std::string_view name_or_arn, const Context& context);

// The table of that name or ARN, ready for items. Faults: also kResourceNotFound.
Result<table::Table> find_table(std::string_view name_or_arn, const Context& context);

// Bytes to a request struct, and the document goes. DynamoDB's first fault is found by check_shape(),
// which is asked only when the one pass over the members has a doubt.
template <class Call>
Result<typename Call::Request> decode(wire::JsonDocument document, const wire::Shape& shape) {
  wire::Members in;
  if (!in.fits(document.root(), shape)) PARTITA_TRY_VOID(wire::check_shape(document.root(), shape));
  auto request = Call::decode(in);
  if (!request.ok()) return wire::worded(std::move(request).error(), document.root(), shape);
  return request;
}

// The tables that a request names: one, or one for each part, with what was wrong with it, so that the faults of parts
// come in the order of the parts.
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

// A plan that may be run.
template <class Request>
auto prepare(const Request& request, const Context& context, Entrance& gate) {
  using Plan = decltype(table::bind(request, *find_tables(request, context)));
  auto tables = find_tables(request, context);
  if (!tables.ok()) return Plan(std::move(tables).error());
  Plan plan = table::bind(request, std::move(tables).value());
  if (!plan.ok()) return plan;
  auto admitted = table::admit(*plan, gate);
  return admitted.ok() ? std::move(plan) : Plan(std::move(admitted).error());
}

// A table that changes that often during one request is at war with somebody.
inline constexpr int kMostTries = 100;

// Whether a request that failed so, at this try, is to be bound and run again; waits until that makes sense. The error
// is that of the wait.
Task<Result<bool>> tries_again(const Context& context, const Error& error, int tries);

// The same, with an error that is told to the caller when it is not: as `word` makes it, which sees it first, and again
// when the wait ends in another.
using Word = FunctionRef<Error(Error)>;
Task<Result<bool>> tries_again(const Context& context, Entrance& gate, Error& error, int tries, Word word);

table::Verb verb_of(table::WriteAction::Kind kind);

// The index that a request or a statement names; empty: none.
template <class Request>
std::string_view index_named(const Request& request) {
  if constexpr (requires { request.index.has_value(); }) {
    return request.index ? std::string_view(*request.index) : std::string_view();
  } else if constexpr (requires { request.index; }) {
    return request.index;
  } else {
    return {};
  }
}

// Calls `visit` with each table that the request names, the index of it, and what is done with it.
template <class Request, class Visit>
void visit_named(const Request& request, Visit visit) {
  if constexpr (requires { request.parts; }) {
    for (const auto& part : request.parts) visit_named(part, visit);
  } else if constexpr (requires { request.action; }) {
    visit(request.table, index_named(request), verb_of(request.action.kind));
  } else {
    visit(request.table, index_named(request), table::Verb::kGet);
  }
}

// Waits for policies until the access is allowed or refused, as one of the operation's action and of `others`.
Task<Result<void>> admit_control(const Context& context, table::Access access, std::vector<std::string_view> others);

// An encode() whose reply may be large is a Task, which lets others go first between its pieces.
template <class Encoded>
inline constexpr bool kEncodesInPieces = requires(Encoded encoded) { encoded.await_ready(); };

template <class Call>
Task<Result<std::string>> serve(const Context& context, wire::JsonDocument document) {
  PARTITA_CO_TRY(const typename Call::Request request, decode<Call>(std::move(document), context.operation.shape));
  Entrance gate(context, request.capacity);
  const auto word = [&](Error error) {
    visit_named(request, [&](const std::string& name, std::string_view index, table::Verb verb) {
      error = gate.worded(std::move(error), name, index, verb);
    });
    return error;
  };
  for (int tries = 1;; ++tries) {
    auto plan = prepare(request, context, gate);
    std::optional<Error> refusal;
    if (plan.ok()) {
      auto outcome = co_await table::run(context.database, *plan);
      if (outcome.ok()) {
        table::charge(*plan, *outcome, gate);
        if constexpr (kEncodesInPieces<decltype(Call::encode(request, *plan, *outcome))>) {
          co_return co_await Call::encode(request, *plan, *outcome);
        } else {
          co_return Call::encode(request, *plan, *outcome);
        }
      }
      refusal = std::move(outcome).error();
    } else {
      refusal = std::move(plan).error();
    }
    PARTITA_CO_TRY(const bool again, co_await tries_again(context, gate, *refusal, tries, word));
    if (!again) co_return std::move(*refusal);
  }
}

// What an operation is asked, or answers, when that is nothing.
struct Nothing {};

// The same for an operation on tables as such. There is no description to bind to: `table` holds such a request against
// the newest one in the very transaction that changes it.
//
//   struct DeleteTable {
//     using Request = ...;  // has a `name`, which may be an ARN until it is run; or a `resource`, of which only the
//                           // ARN is known until then, with `kArnRules`; or a `stream_arn` and a `stream`; or none,
//                           // where none is named
//     static Result<Request> decode(const wire::Members& in);
//     static std::vector<std::string_view> other_actions(const Request& request);  // that it needs too; or none
//     static Task<Result<Outcome>> run(const Context& context, const Request& request);
//     static std::string encode(const Context& context, const Outcome& outcome);
//   };
template <class Call>
Task<Result<std::string>> serve_control(const Context& context, wire::JsonDocument document) {
  PARTITA_CO_TRY(typename Call::Request request, decode<Call>(std::move(document), context.operation.shape));
  table::Access access;
  access.verb = table::Verb::kControl;
  if constexpr (requires { request.resource; }) {
    PARTITA_CO_TRY(request.resource, resource_of(request.resource.arn, Call::kArnRules, context));
    access.name = request.resource.name;
    access.stream = request.resource.stream;
  }
  if constexpr (requires { request.name; }) {
    PARTITA_CO_TRY(request.name, table_name_of(request.name, context));
    access.name = request.name;
  }
  if constexpr (requires { request.stream_arn; }) {
    PARTITA_CO_TRY(request.stream, stream_of(request.stream_arn, context));
    access.name = request.stream.table;
    access.stream = request.stream.label;
  }
  if constexpr (requires { request.index.value_or(std::string()); }) {
    if (request.index) access.index_name = *request.index;
  }
  if constexpr (requires { request.region; }) request.region = context.caller.region;
  if constexpr (requires { request.tags; }) access.tags = &request.tags;
  if constexpr (requires { request.tag_names; }) access.tag_names = &request.tag_names;
  std::vector<std::string_view> others;
  if constexpr (requires { Call::other_actions(request); }) others = Call::other_actions(request);
  PARTITA_CO_TRY_VOID(co_await admit_control(context, access, std::move(others)));
  if (context.allowed != nullptr) co_return std::string();
  auto outcome = co_await Call::run(context, request);
  if (!outcome.ok()) co_return std::move(outcome).error();
  if constexpr (kEncodesInPieces<decltype(Call::encode(context, *outcome))>) {
    co_return co_await Call::encode(context, *outcome);
  } else {
    co_return Call::encode(context, *outcome);
  }
}

}  // namespace partita::ops
