#include "wire/dax/lex_decimal.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>

#include "base/bytes.h"
#include "model/fault.h"
#include "model/limits.h"

// A number is +-0.ddd * 10^exponent, its first digit not 0. The exponent takes one byte while it is small, otherwise a
// mark and four bytes. Then come codes of 10 bits: 12 + each group of three digits, and at the end 0, 1 or 2 for one,
// two or three digits in the last group. For a negative number all bits of exponent and codes are flipped.
namespace partita::wire::dax {
namespace {

using model::Fault;
using model::Number;
using Wide = unsigned __int128;

constexpr uint8_t kZero = 0x80;
constexpr uint8_t kPositiveLarge = 0xfe;
constexpr uint8_t kPositiveSmall = 0x81;
constexpr uint8_t kNegativeLarge = 0x01;
constexpr uint8_t kNegativeSmall = 0x7e;
constexpr int kPositiveMiddle = 0xc0;  // of an exponent of 0
constexpr int kNegativeMiddle = 0x3f;
constexpr int kLowestShort = -62;
constexpr int kHighestShort = 61;
constexpr int kLowestCompact = -167;  // the exponent that is 0 in docs/formats/numbers.md's compact form
constexpr uint32_t kPositiveFlip = 0x80000000;
constexpr uint32_t kNegativeFlip = 0x7fffffff;

constexpr unsigned kCodeBits = 10;
constexpr unsigned kCodeMask = (1U << kCodeBits) - 1;
constexpr unsigned kFirstGroup = 12;
constexpr unsigned kGroupDigits = 3;

Error no_lex_decimal() { return model::refuse(Fault::kKeySchemaMismatch); }

struct Lead {
  bool negative = false;
  int64_t exponent = 0;
};

std::optional<Lead> take_lead(std::string_view& in) {
  const auto first = take_u8(in);
  if (!first || *first == 0x00 || *first == kZero || *first == 0x7f || *first == 0xff) return std::nullopt;
  const bool negative = *first < kZero;
  const bool large = *first == kPositiveLarge || *first == kNegativeLarge;
  if (!large && *first != kPositiveSmall && *first != kNegativeSmall) {
    return Lead{negative, negative ? kNegativeMiddle - *first : *first - kPositiveMiddle};
  }
  const auto bits = take_u32(in);
  if (!bits) return std::nullopt;
  return Lead{negative, static_cast<int32_t>(*bits ^ (negative ? kNegativeFlip : kPositiveFlip))};
}

// Codes from the front of a byte string.
class Codes {
 public:
  Codes(std::string_view in, bool negative) : in_(in), flip_(negative ? kCodeMask : 0) {}

  std::optional<unsigned> next() {
    while (count_ < kCodeBits) {
      const auto byte = take_u8(in_);
      if (!byte) return std::nullopt;
      bits_ = bits_ << 8 | *byte;
      count_ += 8;
    }
    count_ -= kCodeBits;
    const unsigned code = bits_ >> count_ & kCodeMask;
    return code ^ flip_;
  }
  // Nothing but unset bits in the last byte is left.
  bool at_end() const { return in_.empty() && (bits_ & ((1U << count_) - 1)) == 0; }

 private:
  std::string_view in_;
  unsigned flip_;
  unsigned bits_ = 0;
  unsigned count_ = 0;
};

constexpr auto kTens = [] {
  std::array<Wide, model::kMaxNumberDigits + 1> tens{};
  tens[0] = 1;
  for (size_t i = 1; i < tens.size(); ++i) tens[i] = tens[i - 1] * 10;
  return tens;
}();

// Digits one by one. Zeros count only in front of another digit.
class DigitSum {
 public:
  void add(unsigned digit) {
    if (digit == 0) {
      ++zeros_;
      return;
    }
    significant_ += zeros_ + 1;
    if (!too_long()) value_ = value_ * kTens[zeros_ + 1] + digit;
    zeros_ = 0;
  }
  bool too_long() const { return significant_ > model::kMaxNumberDigits; }
  Wide value() const { return value_; }
  int64_t significant() const { return static_cast<int64_t>(significant_); }

 private:
  Wide value_ = 0;
  size_t zeros_ = 0;
  size_t significant_ = 0;
};

// Appends codes to bytes.
class CodeWriter {
 public:
  CodeWriter(char* out, bool negative) : out_(out), flip_(negative ? kCodeMask : 0) {}

  void put(unsigned code) {
    bits_ = bits_ << kCodeBits | (code ^ flip_);
    count_ += kCodeBits;
    for (; count_ >= 8; count_ -= 8) *out_++ = static_cast<char>(bits_ >> (count_ - 8) & 0xff);
  }
  char* finish() {
    if (count_ != 0) *out_++ = static_cast<char>(bits_ << (8 - count_) & 0xff);
    return out_;
  }

 private:
  char* out_;
  unsigned flip_;
  unsigned bits_ = 0;
  unsigned count_ = 0;
};

char* write_lead(char* out, int exponent, bool negative) {
  if (exponent >= kLowestShort && exponent <= kHighestShort) {
    *out = static_cast<char>(negative ? kNegativeMiddle - exponent : kPositiveMiddle + exponent);
    return out + 1;
  }
  const bool large = exponent > 0;
  *out++ = static_cast<char>(negative ? (large ? kNegativeLarge : kNegativeSmall)
                                      : (large ? kPositiveLarge : kPositiveSmall));
  const uint32_t bits = static_cast<uint32_t>(exponent) ^ (negative ? kNegativeFlip : kPositiveFlip);
  for (int shift = 24; shift >= 0; shift -= 8) *out++ = static_cast<char>(bits >> shift & 0xff);
  return out;
}

// Almost all coefficients have no more digits. Their groups and the terminator fit into 64 bits.
constexpr unsigned kFewDigits = 15;

// Precondition: 0 < coefficient < 10^kFewDigits. Not inlined: in a rare branch, GCC would divide to save bytes.
[[gnu::noinline]] char* write_few_digits(char* out, uint64_t coefficient, int exponent, bool negative) {
  constexpr unsigned kLogOfTwo = 1233;  // * 2^-12
  auto count = static_cast<unsigned>(std::bit_width(coefficient)) * kLogOfTwo >> 12;
  if (coefficient >= static_cast<uint64_t>(kTens[count])) ++count;
  const unsigned groups = (count + kGroupDigits - 1) / kGroupDigits;
  coefficient *= static_cast<uint64_t>(kTens[groups * kGroupDigits - count]);
  uint64_t bits = (count - 1) % kGroupDigits;
  for (unsigned shift = kCodeBits; shift <= groups * kCodeBits; shift += kCodeBits, coefficient /= 1000) {
    bits |= (kFirstGroup + coefficient % 1000) << shift;
  }
  const unsigned used = (groups + 1) * kCodeBits;
  bits <<= 64 - used;
  if (negative) bits ^= ~uint64_t{0} << (64 - used);
  out = write_lead(out, static_cast<int>(count) + exponent, negative);
  if constexpr (std::endian::native == std::endian::little) bits = std::byteswap(bits);
  std::memcpy(out, &bits, sizeof bits);
  return out + (used + 7) / 8;
}

}  // namespace

Result<Number> read_lex_decimal(std::string_view bytes) {
  if (bytes.size() == 1 && static_cast<uint8_t>(bytes[0]) == kZero) return Number();
  const auto lead = take_lead(bytes);
  if (!lead) return no_lex_decimal();
  Codes codes(bytes, lead->negative);
  DigitSum digits;
  unsigned group = 0;
  for (bool first = true;; first = false) {
    const auto code = codes.next();
    if (!code) return no_lex_decimal();
    if (*code < kGroupDigits) {  // the end: this and the digits in use tell of each other
      const unsigned unused = *code == 0 ? 100 : *code == 1 ? 10 : 1;
      if (first || group % unused != 0 || !codes.at_end()) return no_lex_decimal();
      break;
    }
    if (*code < kFirstGroup + (first ? 100 : 0) || *code >= kFirstGroup + 1000) return no_lex_decimal();
    group = *code - kFirstGroup;
    digits.add(group / 100);
    digits.add(group / 10 % 10);
    digits.add(group % 10);
  }
  if (digits.too_long()) return model::refuse(Fault::kNumberPrecision);
  return Number::of_parts(digits.value(), lead->exponent - digits.significant(), lead->negative);
}

char* write_lex_decimal(char* out, const Number& number) {
  if (number.is_zero()) {
    *out = static_cast<char>(kZero);
    return out + 1;
  }
  if (number.coefficient() < kTens[kFewDigits]) {
    return write_few_digits(out, static_cast<uint64_t>(number.coefficient()), number.exponent(), number.is_negative());
  }
  std::array<uint8_t, model::kMaxNumberDigits + 2> digits{};  // the last first
  size_t count = 0;
  Wide rest = number.coefficient();
  for (; rest >> 64 != 0; rest /= 10) digits[count++] = static_cast<uint8_t>(rest % 10);
  for (auto low = static_cast<uint64_t>(rest); low != 0; low /= 10) digits[count++] = static_cast<uint8_t>(low % 10);
  out = write_lead(out, static_cast<int>(count) + number.exponent(), number.is_negative());
  CodeWriter codes(out, number.is_negative());
  const auto digit = [&](size_t i) -> unsigned { return i < count ? digits[count - 1 - i] : 0; };
  for (size_t i = 0; i < count; i += kGroupDigits) {
    codes.put(kFirstGroup + digit(i) * 100 + digit(i + 1) * 10 + digit(i + 2));
  }
  codes.put(static_cast<unsigned>((count - 1) % kGroupDigits));
  return codes.finish();
}

char* write_lex_decimal(char* out, std::string_view compact) {
  // Three digits, as most counters have, are one group: an exponent of one byte, then two codes, in four bytes.
  constexpr size_t kFewBytes = 4;
  constexpr unsigned kMostOfGroup = 999;
  if (compact.size() - 3 <= kFewBytes - 3) {
    const auto byte = [compact](size_t at) { return static_cast<unsigned>(static_cast<uint8_t>(compact[at])); };
    const unsigned coefficient = byte(2) | (compact.size() == kFewBytes ? byte(3) << 8 : 0);
    const unsigned digits = coefficient < 10 ? 1 : coefficient < 100 ? 2 : 3;
    const unsigned scale = digits == 1 ? 100 : digits == 2 ? 10 : 1;
    const int exponent = static_cast<int>((byte(1) >> 1 << 8 | byte(0)) + digits) + kLowestCompact;
    const bool is_short = exponent >= kLowestShort && exponent <= kHighestShort;
    if (coefficient <= kMostOfGroup && coefficient % 10 != 0 && is_short && (compact.back() != 0)) {
      uint32_t word = static_cast<uint32_t>(kPositiveMiddle + exponent) << 24 |
                      (kFirstGroup + coefficient * scale) << (kCodeBits + 4) | (digits - 1) << 4;
      if ((byte(1) & 1) != 0) word ^= 0xfffffff0;
      if constexpr (std::endian::native == std::endian::little) word = std::byteswap(word);
      std::memcpy(out, &word, sizeof word);
      return out + sizeof word;
    }
  }
  const auto number = Number::from_compact(compact);
  return number ? write_lex_decimal(out, *number) : nullptr;
}

}  // namespace partita::wire::dax
