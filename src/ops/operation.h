// What an operation is. The list in operations.cc is the only place that names them all: routing, authorisation,
// metering and the compatibility page are derived from its rows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "auth/authenticate.h"
#include "base/result.h"
#include "base/task.h"
#include "table/database.h"
#include "wire/json_reader.h"
#include "wire/shape.h"

namespace partita::ops {

enum class Kind : uint8_t { kRead, kWrite, kControl };

// What a handler works with beside the request's own words. Lives as long as the request.
struct Context {
  table::Database& database;
  const auth::Caller& caller;
};

// Decodes the body, calls the table layer, encodes the answer. The body has passed its shape's checks; it and the
// context live until the task has ended. The result is the reply's JSON.
using Handler = Task<Result<std::string>> (*)(const Context& context, wire::JsonValue body);

struct Operation {
  std::string_view name;  // as in X-Amz-Target
  Kind kind;
  std::string_view action;  // of IAM
  const wire::Shape& shape;
  Handler handler;
};

// All operations, sorted by name.
std::span<const Operation> operations();
// Null when there is none of that name.
const Operation* find_operation(std::string_view name);

}  // namespace partita::ops
