// Everything that can be wrong with a request, as DynamoDB distinguishes it. Each fault has one row in
// wire/fault_table.cc with its exception and its text; the blanks of that text are filled by the error's args.
// Grouped by the code that finds them; within a group, order is free. Values are never stored.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace partita::model {

enum class Fault : uint16_t {
#define PARTITA_FAULT(name) name,
#include "model/faults.inc"
#undef PARTITA_FAULT
  kCount,
};

inline Error refuse(Fault fault, std::vector<std::string> args = {}) {
  return Error(ErrorKind::kInvalid, static_cast<uint16_t>(fault), std::move(args));
}

inline Fault fault_of(const Error& error) { return static_cast<Fault>(error.reason()); }

}  // namespace partita::model
