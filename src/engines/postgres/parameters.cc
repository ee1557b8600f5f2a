#include "engines/postgres/parameters.h"

#include <utility>

#include "base/bytes.h"
#include "base/check.h"

namespace partita::postgres {

namespace {

constexpr size_t kHeaderBytes = 20;
constexpr uint32_t kNull = 0xffff'ffff;

}  // namespace

ArrayParameter::ArrayParameter(Element element) {
  out_.reserve(kHeaderBytes);
  append_u32(out_, 1);  // dimensions
  append_u32(out_, 0);  // whether there are nulls
  append_u32(out_, static_cast<uint32_t>(element));
  append_u32(out_, 0);  // elements
  append_u32(out_, 1);  // number of the first
}

void ArrayParameter::add_bytes(std::string_view bytes) {
  append_u32(out_, static_cast<uint32_t>(bytes.size()));
  out_.append(bytes);
  ++size_;
}

void ArrayParameter::add_int64(int64_t value) {
  append_u32(out_, sizeof value);
  append_u64(out_, static_cast<uint64_t>(value));
  ++size_;
}

void ArrayParameter::add_int32(int32_t value) {
  append_u32(out_, sizeof value);
  append_u32(out_, static_cast<uint32_t>(value));
  ++size_;
}

void ArrayParameter::add_null() {
  append_u32(out_, kNull);
  has_null_ = true;
  ++size_;
}

std::string ArrayParameter::bytes() && {
  std::string header;
  append_u32(header, size_ == 0 ? 0 : 1);
  append_u32(header, has_null_ ? 1 : 0);
  header.append(out_, 8, 4);
  if (size_ == 0) return header;
  append_u32(header, size_);
  out_.replace(0, header.size(), header);
  return std::move(out_);
}

void Parameters::add_int64(int64_t value) { append_u64(values_.emplace_back(), static_cast<uint64_t>(value)); }
void Parameters::add_int32(int32_t value) { append_u32(values_.emplace_back(), static_cast<uint32_t>(value)); }

std::string_view Rows::bytes(int row, int column) const {
  return {libpq().PQgetvalue(result_.get(), row, column),
          static_cast<size_t>(libpq().PQgetlength(result_.get(), row, column))};
}

int64_t Rows::int64(int row, int column) const {
  std::string_view in = bytes(row, column);
  const auto value = take_u64(in);
  PARTITA_CHECK(value && in.empty());
  return static_cast<int64_t>(*value);
}

int32_t Rows::int32(int row, int column) const {
  std::string_view in = bytes(row, column);
  const auto value = take_u32(in);
  PARTITA_CHECK(value && in.empty());
  return static_cast<int32_t>(*value);
}

SplitKey split(std::string_view key) {
  if (key.size() <= kMaxHeadBytes) return {key, {}};
  return {key.substr(0, kMaxHeadBytes), key.substr(kMaxHeadBytes)};
}

void KeyList::add(std::string_view key, bool with_value) {
  const SplitKey parts = split(key);
  heads_.add_bytes(parts.head);
  tails_.add_bytes(parts.tail);
  values_.add_int32(with_value ? 1 : 0);
}

Parameters KeyList::parameters() && {
  Parameters parameters;
  for (ArrayParameter* array : {&heads_, &tails_, &values_}) parameters.add_array(std::move(*array));
  return parameters;
}

const std::string& beyond_all_heads() {
  static const std::string beyond(kMaxHeadBytes + 1, '\xff');
  return beyond;
}

}  // namespace partita::postgres
