// The rows of operations. Only operation_list.inc lists them all; routing, authorisation, metrics, the audit log and
// the compatibility page are derived from its rows. All functions are callable from any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "auth/authenticate.h"
#include "base/result.h"
#include "base/task.h"
#include "table/open/database.h"

namespace partita::ops {

class Admission;
class Source;
class RequestFootprint;
struct JsonCodec;
struct Operation;

// operation_list.inc says what depends on it.
enum class Kind : uint8_t { kRead, kWrite, kControl };
// The AWS service of an operation. All are served at the same address.
enum class Api : uint8_t { kDynamoDb, kStreams, kIam, kSts, kCloudWatch };

// What a request needs beside its parameters. Lives as long as the request.
struct Context {
  table::Database& database;
  Admission& admission;
  const auth::Caller& caller;
  const Operation& operation;
  std::string_view host;                  // the Host header; see Call
  std::string_view body;                  // as it was received
  const Source* source = nullptr;         // null: unknown
  int64_t iterators_from_ms = 0;          // older iterators of shards are expired
  RequestFootprint* footprint = nullptr;  // gets the tables that the request is admitted to; may be null
  // Not null: the database has no tables, and the only question is whether policies allow any part of the request. If
  // they do, admission sets it, and ControlExecution does not call the operation's run().
  bool* allowed = nullptr;
  int64_t began_ns = 0;  // see Call
};

// For Operation::action: each statement of a request has its own.
inline constexpr std::string_view kActionsOfStatements = "dynamodb:PartiQL*";

struct Operation {
  std::string_view name;  // as in X-Amz-Target
  Kind kind;
  // The IAM action. Empty or kActionsOfStatements: each part of a request has its own, see action_of().
  std::string_view action;
  const JsonCodec& json;
  Api api = Api::kDynamoDb;
};

// The value of X-Amz-Target: "DynamoDB_20120810.GetItem".
std::string target_of(const Operation& operation);
// Null: no operation has that target.
const Operation* find_target(std::string_view target);

// All operations, sorted by name.
std::span<const Operation> operations();
// Null: no operation has that name.
const Operation* find_operation(std::string_view name);

}  // namespace partita::ops
