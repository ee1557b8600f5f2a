#include "storage/engine.h"

#include "base/check.h"

namespace partita::storage {

void Page::append(std::string_view key, std::string_view value, Version version) {
  rows_.push_back({static_cast<uint32_t>(buffer_.size()), static_cast<uint32_t>(key.size()),
                   static_cast<uint32_t>(value.size()), version});
  buffer_.append(key);
  buffer_.append(value);
}

void Page::reserve(size_t rows, size_t bytes) {
  rows_.reserve(rows);
  buffer_.reserve(bytes);
}

Page::Row Page::operator[](size_t index) const {
  PARTITA_CHECK(index < rows_.size());
  const Place& place = rows_[index];
  const std::string_view buffer = buffer_;
  return {buffer.substr(place.offset, place.key_size), buffer.substr(place.offset + place.key_size, place.value_size),
          place.version};
}

}  // namespace partita::storage
