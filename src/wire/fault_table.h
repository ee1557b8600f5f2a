// The only place that knows AWS's names for errors: each exception's name, namespace and HTTP status, and each fault's
// exception and text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/fault.h"

namespace partita::wire {

enum class Exception : uint8_t {
#define PARTITA_EXCEPTION(name, ...) name,
#include "wire/exceptions.inc"
#undef PARTITA_EXCEPTION
  kCount,
};

struct ExceptionName {
  Exception exception;
  std::string_view space;  // the part of "__type" before the '#'
  std::string_view name;
  int status;                                // HTTP
  std::string_view reason_code;              // in a transaction's CancellationReasons; empty if it cannot occur there
  std::string_view message_key = "message";  // some are "Message"
  // The name and status in IAM and STS; empty and 0: the same.
  std::string_view query_name = {};
  int query_status = 0;
};

struct FaultRow {
  model::Fault fault;
  Exception exception;
  std::string_view text;  // {0}, {1}, ... stand for the error's args; empty: AWS sends no message
  // The text of AWS's newer checks of requests (see Checks in shape.h); empty: the same.
  std::string_view newer = {};
};

const ExceptionName& name_of(Exception exception);
const FaultRow& row_of(model::Fault fault);

// The text with its blanks filled. A blank without an arg is left empty.
std::string fill(std::string_view text, const std::vector<std::string>& args);

}  // namespace partita::wire
