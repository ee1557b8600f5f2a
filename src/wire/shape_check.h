// The check of a request against its shape.
//
//   PARTITA_TRY_VOID(check_shape(document.root(), shapes::kPutItem));
#pragma once

#include <string>

#include "base/result.h"
#include "wire/json_reader.h"
#include "wire/shape.h"

namespace partita::wire {

// Checks every JSON kind in the body, in the order of the text, and then all constraints. Members that the shape does
// not know are ignored. Afterwards, members have the kinds that the shape declares (numbers may be of either JSON kind,
// a boolean may be a word: truth()), and decoding attribute values gives no kSerialization.
// Faults: kSerialization; kMissingParameter, kParameterRequiredFor, kConstraints.
Result<void> check_shape(const JsonValue& body, const Shape& shape);

// The location of the first value of the wrong kind: "Item.Year", "KeySchema[0]". Empty if no value inside the body has
// one.
std::string misfit(const JsonValue& body, const Shape& shape);

}  // namespace partita::wire
