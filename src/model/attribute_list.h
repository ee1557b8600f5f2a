// Attribute lists: names of attributes in an order, known by an id. DAX sends an item as the id of a list and the
// values of its attributes in that order. An id means the same for ever and on every server of a store
// (docs/formats/catalogue.md).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace partita::model {

inline constexpr uint64_t kEmptyAttributeList = 1;                // always known, never stored
inline constexpr uint64_t kAttributeListIds = uint64_t{1} << 52;  // ids are lower; 0 is none

// Immutable; shared by threads.
struct AttributeList {
  uint64_t id = kEmptyAttributeList;
  std::vector<std::string> names;  // distinct
  bool sorted = true;              // ascending by bytes
};

// Null: unknown.
using AttributeListPtr = std::shared_ptr<const AttributeList>;

// `sorted` is found out. Precondition: the names are distinct.
AttributeListPtr make_attribute_list(uint64_t id, std::vector<std::string> names);

// The id that a list has unless a list of other names has it. It depends on the names and their order alone, and never
// changes; without names it is kEmptyAttributeList.
uint64_t list_digest(std::span<const std::string> names);
uint64_t list_digest(std::span<const std::string_view> names);

// The id to try after `id`, which another list has.
uint64_t next_list_id(uint64_t id);

}  // namespace partita::model
