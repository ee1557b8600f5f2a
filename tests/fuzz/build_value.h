// Values of all types out of a target's input.
#pragma once

#include "input.h"
#include "model/value.h"

namespace partita::fuzz {

// S, N or B, whatever the input is.
model::AttributeValue build_scalar(model::Type type, Input& in);

// Any value, with maps and lists at most `levels` deep.
model::AttributeValue build_value(Input& in, int levels);

model::AttributeMap build_map(Input& in, int levels);

}  // namespace partita::fuzz
