// The C attributes of partita.h from and to what is stored.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string_view>

#include "base/coroutine_frames.h"
#include "base/result.h"
#include "library/partita.h"
#include "model/value.h"
#include "wire/json_writer.h"

namespace partita::library {

// Whether these can be read at all: known types, no null where bytes are announced, texts in UTF-8, and neither deeper
// nor larger than a request may be. The next two require it. All are pure functions.
bool are_sound(const partita_attribute* attributes, size_t count);

// The item; absent if DynamoDB may refuse it: then a request with the JSON of the item gets the answer.
std::optional<model::Item> read_attributes(const partita_attribute* attributes, size_t count);

// The item as DynamoDB's JSON: {"name":{"S":"..."}}.
void write_attributes(wire::JsonWriter& json, const partita_attribute* attributes, size_t count);

// What a partita_reply owns.
class Owned {
 public:
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  virtual ~Owned() = default;

  // Memory that a thread keeps for the next one; another thread may free it.
  static void* operator new(size_t bytes) { return allocate_frame(bytes); }
  static void operator delete(void* place, size_t bytes) noexcept { free_frame(place, bytes); }
};

// An item that was stored, as C attributes. Few small ones take no memory beside this.
class ItemAttributes final : public Owned {
 public:
  // Error: kCorrupt.
  static Result<std::unique_ptr<ItemAttributes>> make(std::string_view stored);

  const partita_attribute* first() const { return first_; }
  uint32_t count() const { return count_; }

 private:
  class Builder;
  // Not `= default`, which would let make() fill all of it with zeros.
  ItemAttributes() {}  // NOLINT(modernize-use-equals-default)

  std::array<std::byte, 1800> room_;
  std::pmr::monotonic_buffer_resource memory_{room_.data(), room_.size()};
  const partita_attribute* first_ = nullptr;
  uint32_t count_ = 0;
};

}  // namespace partita::library
