// Items as bytes on disk: docs/formats/items.md. Every encoding starts with a format version and contains the item's
// DynamoDB size, so that reads are charged without decoding. Values carry their lengths, so that a projection skips
// what it does not need.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/value.h"

namespace partita::model {

std::string encode_item(const Item& item);

// Errors: kCorrupt if the bytes are not an encoded item, or have a version that this build does not know.
Result<Item> decode_item(std::string_view bytes);

// model::item_size of the encoded item, without decoding it.
Result<size_t> encoded_item_size(std::string_view bytes);

// Only the attributes of these names, which must be sorted. Reads no more of the item than that needs.
Result<Item> decode_attributes(std::string_view bytes, std::span<const std::string> names);

// Only the named attribute, decoded; nullopt if the item has none of that name.
Result<std::optional<AttributeValue>> decode_attribute(std::string_view bytes, std::string_view name);

}  // namespace partita::model
