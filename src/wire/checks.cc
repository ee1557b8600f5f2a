#include "wire/checks.h"

#include <algorithm>

#include "model/fault.h"
#include "wire/error_body.h"
#include "wire/fault_table.h"

namespace partita::wire {
namespace {

using model::Fault;

// Measured: a value of 63 maps, each in the one before, is past it wherever a request may hold one, and one of 40 is
// not. Each is two objects, and as many as four are around them.
constexpr int kDeepestForNewer = 128;

bool is_deeper(const JsonValue& value, int levels) {
  if (!value.is(JsonValue::Kind::kObject) && !value.is(JsonValue::Kind::kArray)) return false;
  if (levels == 0) return true;
  for (const JsonValue element : value.elements()) {
    if (is_deeper(element, levels - 1)) return true;
  }
  for (const auto [name, member] : value.members()) {
    if (is_deeper(member, levels - 1)) return true;
  }
  return false;
}

}  // namespace

bool lacks_a_member(const JsonValue& body, const Shape& shape) {
  return std::any_of(shape.members.begin(), shape.members.end(), [&](const Member& member) {
    return member.absence == Absence::kNull && !body.get(member.name).present();
  });
}

bool meets_newer_checks(const JsonValue& body, const Shape& shape) {
  return shape.checks != Checks::kOlder && !lacks_a_member(body, shape) && !is_deeper(body, kDeepestForNewer);
}

Error constraint_violated(std::string_view violation) {
  return model::refuse(Fault::kConstraints, {"1 validation error detected: " + std::string(violation)});
}

Error worded(Error error, const JsonValue& body, const Shape& shape) {
  if (error.kind() != ErrorKind::kInvalid || !meets_newer_checks(body, shape)) return error;
  return worded(std::move(error), shape);
}

// The size of an item is told bare, although it is known before the table is.
Error worded(Error error, const Shape& shape) {
  if (error.kind() != ErrorKind::kInvalid || shape.checks == Checks::kOlder) return error;
  const Fault fault = model::fault_of(error);
  const bool of_size = fault == Fault::kItemTooLarge || fault == Fault::kItemToUpdateTooLarge;
  if (of_size || fault == Fault::kConstraints || row_of(fault).exception != Exception::kValidation) return error;
  std::string text = message_of(error, Words::kNewer);
  if (shape.checks == Checks::kEnveloped) return constraint_violated(text);
  return model::refuse(Fault::kConstraints, {std::move(text)});
}

}  // namespace partita::wire
