#include "model/size.h"

#include <algorithm>

#include "model/limits.h"

namespace partita::model {

namespace {

size_t bytes_of(const std::vector<std::string>& members) {
  size_t size = 0;
  for (const std::string& member : members) size += member.size();
  return size;
}

HalfUnits half_units(size_t bytes, size_t unit_bytes, HalfUnits each) {
  const size_t units = std::max<size_t>(1, (bytes + unit_bytes - 1) / unit_bytes);
  return static_cast<HalfUnits>(units) * each;
}

}  // namespace

size_t value_size(const AttributeValue& value) {
  size_t size = 0;
  switch (value.type()) {
    case Type::kS:
    case Type::kB:
      return value.as_bytes().size();
    case Type::kN:
      return value.as_number().size_bytes();
    case Type::kBool:
    case Type::kNull:
      return 1;
    case Type::kM:
      return kContainerBytes + kMemberBytes * value.as_map().size() + item_size(value.as_map());
    case Type::kL:
      size = kContainerBytes + kMemberBytes * value.as_list().size();
      for (const AttributeValue& member : value.as_list()) size += value_size(member);
      return size;
    case Type::kSS:
      return bytes_of(value.as_string_set());
    case Type::kNS:
      for (const Number& member : value.as_number_set()) size += member.size_bytes();
      return size;
    case Type::kBS:
      return bytes_of(value.as_binary_set());
  }
  return size;
}

size_t item_size(const Item& item) {
  size_t size = 0;
  for (const auto& [name, value] : item) size += name.size() + value_size(value);
  return size;
}

HalfUnits read_half_units(size_t bytes, bool consistent) {
  return half_units(bytes, kReadUnitBytes, consistent ? 2 : 1);
}

HalfUnits write_half_units(size_t bytes) { return half_units(bytes, kWriteUnitBytes, 2); }

}  // namespace partita::model
