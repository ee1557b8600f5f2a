// Items as bytes on disk: docs/formats/items.md. Every encoding starts with a format version, and carries the item's
// DynamoDB size so that reading it can be charged without decoding it. Values carry their lengths, so that a
// projection skips what it does not want.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/value.h"

namespace partita::model {

void encode_item(const Item& item, std::string& out);

// Errors: kCorrupt when the bytes are not an encoded item, or of a version that this build does not know.
Result<Item> decode_item(std::string_view bytes);

// model::item_size of the encoded item, without decoding it.
Result<size_t> encoded_item_size(std::string_view bytes);

// Only the named attribute, decoded; nothing when the item has none of that name.
Result<std::optional<AttributeValue>> decode_attribute(std::string_view bytes, std::string_view name);

// A walk over encoded bytes that builds nothing, for writing JSON straight from the stored form. Strings and binaries
// point into `bytes`. Calls come in stored order; every begin_* has its end_*.
class ItemVisitor {
 public:
  virtual ~ItemVisitor() = default;
  virtual void begin_map(size_t members) = 0;
  virtual void name(std::string_view name) = 0;  // before each member of a map
  virtual void end_map() = 0;
  virtual void begin_list(size_t members) = 0;
  virtual void end_list() = 0;
  virtual void string(std::string_view text) = 0;
  virtual void number(const Number& number) = 0;
  virtual void binary(std::string_view bytes) = 0;
  virtual void boolean(bool value) = 0;
  virtual void null() = 0;
  virtual void begin_set(Type type, size_t members) = 0;  // then string(), number() or binary() for each member
  virtual void end_set() = 0;
};

// Walks the whole item; the outermost map is announced by begin_map too. Errors: kCorrupt.
Result<void> visit_item(std::string_view bytes, ItemVisitor& visitor);

}  // namespace partita::model
