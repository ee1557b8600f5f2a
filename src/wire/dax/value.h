// Attribute values between DAX's CBOR and model::AttributeValue, or the stored form of an item.
//
// S is a text, B a byte string, N as in number.h, BOOL and NULL simple values, L an array, M a map with texts as names,
// SS, NS and BS an array with the tag 3321, 3322 or 3323. Lengths are definite.
//
// The readers check what wire/item_reader.h checks, with the same faults in the same order: numbers, empty sets,
// duplicates in sets, nesting; then names that are empty or too long. kDaxMalformed: the bytes are no value, a text is
// not UTF-8, or a map has a name twice. kItemTooLarge: there are more values than ValueCount allows; kOverloaded: there
// is no memory for them. Both are checked while they are read, since a value of one byte on the wire takes more memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "model/item_writer.h"
#include "model/limits.h"
#include "model/value.h"
#include "wire/cbor.h"
#include "wire/dax/decoded_bytes.h"
#include "wire/dax/number.h"
#include "wire/item_reader.h"

namespace partita::wire::dax {

inline constexpr uint64_t kStringSetTag = 3321;
inline constexpr uint64_t kNumberSetTag = 3322;
inline constexpr uint64_t kBinarySetTag = 3323;
inline constexpr uint64_t kOrdinalTag = 3324;  // of an index into a list, in the path of an expression

// Of values that belong together, such as those of an item: each has at least one byte of their size, so more of them
// than bytes are too large, with all that is in them.
struct ValueCount {
  DecodedBytes& memory;
  size_t left = model::kMaxItemBytes;
};

// After an error `in` has failed.
Result<model::AttributeValue> read_value(CborReader& in, Nesting nesting, ValueCount& count);
// A value alone.
Result<model::AttributeValue> read_value(CborReader& in, Nesting nesting = Nesting::kInItem);
// Writes the value of an attribute of an item without an intermediate object. After an error `out` is of no use.
Result<void> copy_value(CborReader& in, model::ItemWriter& out, ValueCount& count);
Result<void> copy_value(CborReader& in, model::ItemWriter& out);

// is_utf8(), quicker for ASCII.
bool is_unicode(std::string_view text);

void write_value(CborWriter& out, const model::AttributeValue& value);

// A visitor for model/item_walk.h that writes stored values as CBOR: whole items, or single values by
// item_walk::value(). Damaged bytes give CBOR whose counts may be wrong; the walk reports them.
class StoredValues {
 public:
  explicit StoredValues(CborWriter& out) : out_(out) {}

  void begin_map(size_t members) { out_.map(members); }
  void name(std::string_view name) { out_.text(name); }
  void end_map() {}
  void begin_list(size_t members) { out_.array(members); }
  void end_list() {}
  void string(std::string_view text) { out_.text(text); }
  void number(const model::Number& number) { write_number(out_, number); }
  void binary(std::string_view bytes) { out_.bytes(bytes); }
  void boolean(bool value) { out_.boolean(value); }
  void null() { out_.null(); }
  void begin_set(model::Type type, size_t members) {
    out_.tag(type == model::Type::kSS ? kStringSetTag : type == model::Type::kNS ? kNumberSetTag : kBinarySetTag);
    out_.array(members);
  }
  void end_set() {}

 private:
  CborWriter& out_;
};

}  // namespace partita::wire::dax
