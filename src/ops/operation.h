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
// The AWS service of an operation. All are served at the same address. IAM and STS take forms, CloudWatch several
// encodings, the others JSON.
enum class Api : uint8_t { kDynamoDb, kStreams, kAutoScaling, kDax, kIam, kSts, kCloudWatch };

// What requests of a service that takes JSON have in common.
struct JsonService {
  Api api;
  std::string_view target;        // what precedes the operation in X-Amz-Target
  std::string_view content_type;  // static storage
  auth::SignedFor signed_for;
  bool both_message_members = false;  // errors have "message" and "Message", as SDKs differ in what they read
};
// Precondition: the service takes JSON.
const JsonService& json_service(Api api);
// The service that X-Amz-Target names; null: none of those that take JSON.
const JsonService* find_json_service(std::string_view target);

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

// All operations of services that take JSON, sorted by name. Those of several services with one name are in the order
// of Api.
std::span<const Operation> operations();
// The first one of that name. Null: there is none.
const Operation* find_operation(std::string_view name);

}  // namespace partita::ops
