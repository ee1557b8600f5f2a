#include "wire/cbor.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace partita::wire {
namespace {

template <class Word>
uint64_t big_endian(const char* bytes) {
  Word word;
  std::memcpy(&word, bytes, sizeof word);
  if constexpr (std::endian::native == std::endian::little) word = std::byteswap(word);
  return word;
}

double of_half(uint16_t bits) {
  constexpr int kBias = 15;
  constexpr int kFractionBits = 10;
  const int exponent = bits >> kFractionBits & 0x1f;
  const int fraction = bits & 0x3ff;
  double value = 0;
  if (exponent == 0x1f) {
    value = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    value = std::ldexp(fraction, 1 - kBias - kFractionBits);
  } else {
    value = std::ldexp(fraction + (1 << kFractionBits), exponent - kBias - kFractionBits);
  }
  return bits >> 15 == 0 ? value : -value;
}

bool has_length(CborMajor major) { return major >= CborMajor::kBytes && major <= CborMajor::kMap; }

}  // namespace

CborHead CborReader::long_head() {
  const uint8_t first = peek();
  const auto major = static_cast<CborMajor>(first >> 5);
  const uint8_t low = first & 0x1f;
  if (at_ == end_) return fail(CborHead());
  if (low == kCborIndefinite) {
    if (!has_length(major) && major != CborMajor::kSimple) return fail(CborHead());
    ++at_;
    return {major, low, kEndless};
  }
  if (low > 27) return fail(CborHead());
  const size_t bytes = size_t{1} << (low - 24);
  if (left() <= bytes) return fail(CborHead());
  const char* const behind = at_ + 1;
  at_ = behind + bytes;
  if (low == 24) return {major, low, static_cast<uint8_t>(*behind)};
  if (low == 25) return {major, low, big_endian<uint16_t>(behind)};
  if (low == 26) return {major, low, big_endian<uint32_t>(behind)};
  return {major, low, big_endian<uint64_t>(behind)};
}

double CborReader::number() {
  const CborHead head = this->head();
  if (head.is_simple(kCborDouble)) return std::bit_cast<double>(head.argument);
  if (head.is_simple(kCborFloat)) return std::bit_cast<float>(static_cast<uint32_t>(head.argument));
  if (head.is_simple(kCborHalf)) return of_half(static_cast<uint16_t>(head.argument));
  return fail(0.0);
}

std::string_view CborReader::skip() {
  constexpr uint64_t kAwaitsValue = kEndless - 1;  // of an indefinite map, behind a name
  constexpr uint64_t kAwaitsName = kEndless - 2;
  const char* const begin = at_;
  std::array<uint64_t, kMaxSkippedDepth> open;  // the members to come, from the outermost container inwards
  size_t depth = 0;
  do {
    const CborHead head = this->head();
    uint64_t inside = 0;
    if (head.major == CborMajor::kBytes || head.major == CborMajor::kText) {
      take(head.argument);
    } else if (head.major == CborMajor::kTag) {
      inside = 1;
    } else if (head.major == CborMajor::kArray || head.major == CborMajor::kMap) {
      const bool map = head.major == CborMajor::kMap;
      inside = head.indefinite() ? (map ? kAwaitsName : kEndless) : head.argument;
      if (!head.indefinite() && inside > (map ? left() / 2 : left())) fail();
      if (map && !head.indefinite()) inside *= 2;
    } else if (head.is_simple(kCborBreak)) {
      const bool ends = depth > 0 && (open[depth - 1] == kEndless || open[depth - 1] == kAwaitsName);
      if (!ends) fail();
      if (ends) --depth;
    }
    if (inside != 0 && depth == kMaxSkippedDepth) fail();
    if (!ok_) return kNothing;
    if (inside != 0) {
      open[depth++] = inside;
      continue;
    }
    while (depth > 0) {
      uint64_t& members = open[depth - 1];
      if (members >= kAwaitsName) {
        if (members != kEndless) members = members == kAwaitsName ? kAwaitsValue : kAwaitsName;
        break;
      }
      if (--members != 0) break;
      --depth;
    }
  } while (depth > 0);
  return {begin, static_cast<size_t>(at_ - begin)};
}

CborWriter::CborWriter(size_t expected_bytes) {
  buffer_.resize_and_overwrite(expected_bytes, [](char*, size_t count) { return count; });
  next_ = buffer_.data();
  end_ = next_ + buffer_.size();
}

void CborWriter::grow(size_t bytes) {
  const size_t used = size();
  const size_t wanted = std::max(2 * buffer_.size(), used + bytes);
  buffer_.resize_and_overwrite(wanted, [](char*, size_t count) { return count; });
  next_ = buffer_.data() + used;
  end_ = buffer_.data() + buffer_.size();
}

void CborWriter::number(double value) {
  char* const out = room(kMaxCborHeadBytes);
  uint64_t bits = std::bit_cast<uint64_t>(value);
  if constexpr (std::endian::native == std::endian::little) bits = std::byteswap(bits);
  *out = static_cast<char>(static_cast<uint8_t>(CborMajor::kSimple) << 5 | kCborDouble);
  std::memcpy(out + 1, &bits, sizeof bits);
  next_ = out + kMaxCborHeadBytes;
}

void CborWriter::end_large_bytes(Bytes bytes) {
  const size_t size = this->size() - bytes.at - kBytesHead;
  const size_t more = cbor_head_size(size) - kBytesHead;
  room(more);
  char* const begin = buffer_.data() + bytes.at;
  std::memmove(begin + kBytesHead + more, begin + kBytesHead, size);
  write_cbor_head(begin, CborMajor::kBytes, size);
  next_ += more;
}

std::string CborWriter::take() && {
  buffer_.resize(size());
  next_ = end_ = nullptr;
  return std::move(buffer_);
}

}  // namespace partita::wire
