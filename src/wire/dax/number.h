// DynamoDB's numbers as DAX has them in CBOR: an integer, a bignum (tag 2 or 3), a decimal fraction (tag 4: [exponent,
// mantissa]), or a float, which stands for the shortest decimal that reads as it.
#pragma once

#include "base/result.h"
#include "model/number.h"
#include "wire/cbor.h"

namespace partita::wire::dax {

// Faults: those of model::Number::parse(); kDaxMalformed for what is no number.
Result<model::Number> read_number(CborReader& in);
// The number whose `head` was just taken.
Result<model::Number> read_number_behind(const CborHead& head, CborReader& in);

// An integer if the number is one of at most 38 digits, otherwise a decimal fraction whose mantissa ends in no zero.
// Returns the end. `out` needs room for kMaxNumberBytes.
inline constexpr size_t kMaxNumberBytes = 24;
char* write_number(char* out, const model::Number& number);

inline void write_number(CborWriter& out, const model::Number& number) {
  out.wrote(write_number(out.room(kMaxNumberBytes), number));
}

}  // namespace partita::wire::dax
