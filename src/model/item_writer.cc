#include "model/item_writer.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "model/item_format.h"
#include "model/size.h"

namespace partita::model {

ItemWriter::ItemWriter(size_t expected_bytes) {
  constexpr size_t kHead = 1 + kUsualSizeBytes;
  bytes_.resize_and_overwrite(kHead + expected_bytes, [](char*, size_t count) { return count; });
  next_ = bytes_.data();
  end_ = next_ + bytes_.size();
  put(static_cast<char>(kItemVersion));
  next_ += kUsualSizeBytes;
}

void ItemWriter::grow(size_t bytes) {
  const auto used = static_cast<size_t>(next_ - bytes_.data());
  const size_t wanted = std::max(2 * bytes_.size(), used + bytes);
  bytes_.resize_and_overwrite(wanted, [](char*, size_t count) { return count; });
  next_ = bytes_.data() + used;
  end_ = bytes_.data() + bytes_.size();
}

std::string ItemWriter::take() && {
  bytes_.resize(static_cast<size_t>(next_ - bytes_.data()));
  std::array<char, kMaxVarintBytes> size;
  const char* const end = write_varint(size.data(), size_);
  bytes_.replace(1, kUsualSizeBytes, size.data(), static_cast<size_t>(end - size.data()));
  next_ = end_ = nullptr;
  return std::move(bytes_);
}

ItemWriter::Container ItemWriter::begin(Type type, size_t count) {
  PARTITA_CHECK(type == Type::kM || type == Type::kL);
  size_ += kContainerBytes + kMemberBytes * count;
  return open(type, count);
}

ItemWriter::Container ItemWriter::open(Type type, size_t count) {
  ensure(1 + kLengthBytes + kMaxVarintBytes);
  put(static_cast<char>(type));
  const Container container{static_cast<size_t>(next_ - bytes_.data())};
  next_ += kLengthBytes;
  varint(count);
  return container;
}

// The length of what was written since, in front of it.
void ItemWriter::end(Container container) {
  char* const at = bytes_.data() + container.at;
  auto length = static_cast<uint32_t>(next_ - at - static_cast<ptrdiff_t>(kLengthBytes));
  for (size_t i = kLengthBytes; i-- > 0; length >>= 8) at[i] = static_cast<char>(length & 0xff);
}

void ItemWriter::reorder(std::span<const Part> parts) {
  std::string ordered;
  size_t bytes = 0;
  for (const Part& part : parts) bytes += part.end - part.begin;
  ordered.reserve(bytes);
  for (const Part& part : parts) ordered.append(bytes_.data() + part.begin, part.end - part.begin);
  PARTITA_CHECK(bytes <= position());
  std::copy(ordered.begin(), ordered.end(), next_ - bytes);
}

void ItemWriter::compact(const Number& number) {
  ensure(1 + Number::kMaxCompactBytes);
  char* const end = number.write_compact(next_ + 1);
  *next_ = static_cast<char>(end - next_ - 1);
  next_ = end;
  size_ += number.size_bytes();
}

void ItemWriter::set(const AttributeValue& value) {
  if (value.is(Type::kNS)) {
    const auto& members = value.as_number_set();
    const Container set = open(Type::kNS, members.size());
    for (const Number& member : members) compact(member);
    return end(set);
  }
  const auto& members = value.is(Type::kSS) ? value.as_string_set() : value.as_binary_set();
  const Container set = open(value.type(), members.size());
  for (const std::string& member : members) name(member);
  end(set);
}

void ItemWriter::map(const AttributeMap& map) {
  for (const auto& [key, member] : map) {
    name(key);
    value(member);
  }
}

void ItemWriter::value(const AttributeValue& value) {
  switch (value.type()) {
    case Type::kS:
      return string(value.as_string());
    case Type::kB:
      return binary(value.as_binary());
    case Type::kN:
      return number(value.as_number());
    case Type::kBool:
      return boolean(value.as_bool());
    case Type::kNull:
      return null();
    case Type::kM: {
      const Container inner = begin(Type::kM, value.as_map().size());
      map(value.as_map());
      return end(inner);
    }
    case Type::kL: {
      const Container inner = begin(Type::kL, value.as_list().size());
      for (const AttributeValue& member : value.as_list()) this->value(member);
      return end(inner);
    }
    default:
      return set(value);
  }
}

}  // namespace partita::model
