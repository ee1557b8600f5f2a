// Items as bytes on disk: docs/formats/items.md. Every encoding starts with a format version, and carries the item's
// DynamoDB size so that reading it can be charged without decoding it. Values carry their lengths, so that a
// projection skips what it does not want.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/value.h"

namespace partita::model {

std::string encode_item(const Item& item);

// Errors: kCorrupt when the bytes are not an encoded item, or of a version that this build does not know.
Result<Item> decode_item(std::string_view bytes);

// model::item_size of the encoded item, without decoding it.
Result<size_t> encoded_item_size(std::string_view bytes);

// Only the attributes of these names, which are sorted. No more is looked at than that takes.
Result<Item> decode_attributes(std::string_view bytes, std::span<const std::string> names);

// Only the named attribute, decoded; nothing when the item has none of that name.
Result<std::optional<AttributeValue>> decode_attribute(std::string_view bytes, std::string_view name);

// For who reads the bytes himself, see item_walk.h.
inline constexpr uint8_t kItemVersion = 1;
Error corrupt_item();

}  // namespace partita::model
