// The id of a store, given at its creation, by which backups identify it regardless of its path.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace partita::rocks {

struct StoreId {
  std::string id;       // a UUID; empty: not known
  int64_t made_ms = 0;  // when the store was made, since 1970; 0: before stores had ids
  bool operator==(const StoreId&) const = default;

  bool is_from_birth() const { return made_ms != 0; }
};

// Draws a new id. Error: kUnavailable, with one sentence.
Result<StoreId> draw_store_id(int64_t made_ms);

// The stored form: docs/formats/store.md.
std::string encode(const StoreId& id);
std::optional<StoreId> decode_store_id(std::string_view stored);

}  // namespace partita::rocks
