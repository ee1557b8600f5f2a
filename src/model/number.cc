#include "model/number.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <system_error>

#include "model/fault.h"
#include "model/limits.h"

namespace partita::model {

namespace {

using Wide = unsigned __int128;

constexpr int kDigits = kMaxNumberDigits;

constexpr std::array<Wide, kDigits + 1> powers_of_ten() {
  std::array<Wide, kDigits + 1> powers{};
  powers[0] = 1;
  for (size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}
constexpr auto kPowers = powers_of_ten();
constexpr int kNarrowDigits = 19;  // what always fits into 64 bits
constexpr auto kNarrowPower = static_cast<uint64_t>(kPowers[kNarrowDigits]);
constexpr auto kNarrowPowers = [] {
  std::array<uint64_t, kNarrowDigits + 1> powers{};
  for (size_t i = 0; i < powers.size(); ++i) powers[i] = static_cast<uint64_t>(kPowers[i]);
  return powers;
}();

Wide power_of_ten(int exponent) { return kPowers[static_cast<size_t>(exponent)]; }

// Precondition: not zero.
int count_bits(Wide value) {
  const auto high = static_cast<uint64_t>(value >> 64);
  const auto low = static_cast<uint64_t>(value);
  return high != 0 ? 128 - __builtin_clzll(high) : 64 - __builtin_clzll(low);
}

// How many decimal digits the value has; 0 for zero.
int count_digits(Wide value) {
  if (value == 0) return 0;
  const int guess = count_bits(value) * 1233 >> 12;  // bits * log10(2), at most one too small
  return value >= power_of_ten(guess) ? guess + 1 : guess;
}

constexpr std::array<char, 200> kDigitPairs = [] {
  std::array<char, 200> pairs{};
  for (size_t i = 0; i < 100; ++i) {
    pairs[2 * i] = static_cast<char>('0' + i / 10);
    pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return pairs;
}();

int count_digits(uint64_t value) {
  if (value == 0) return 0;
  const int guess = (64 - __builtin_clzll(value)) * 1233 >> 12;
  return value >= kNarrowPowers[static_cast<size_t>(guess)] ? guess + 1 : guess;
}

// Writes the digits so that they end at `end`; returns where they start.
char* write_digits(uint64_t value, char* end) {
  while (value >= 10) {
    end -= 2;
    std::memcpy(end, &kDigitPairs[value % 100 * 2], 2);
    value /= 100;
  }
  if (value != 0) *--end = static_cast<char>('0' + value);
  return end;
}

using DigitBuffer = std::array<char, 40>;

std::string_view write_digits(Wide value, DigitBuffer& buffer) {
  char* const end = buffer.data() + buffer.size();
  char* begin = end;
  if (value >> 64 == 0) {
    begin = write_digits(static_cast<uint64_t>(value), end);
  } else {
    char* const middle = end - kNarrowDigits;
    std::memset(middle, '0', kNarrowDigits);
    write_digits(static_cast<uint64_t>(value % kNarrowPower), end);
    begin = write_digits(static_cast<uint64_t>(value / kNarrowPower), middle);
  }
  return {begin, static_cast<size_t>(end - begin)};
}

// Divides the trailing zeros out; returns how many there were. Precondition: not zero.
int strip_zeros(Wide& value) {
  int stripped = 0;
  while (value >> 64 != 0) {
    if (value % 10 != 0) return stripped;
    value /= 10;
    ++stripped;
  }
  auto low = static_cast<uint64_t>(value);
  for (; low % 10 == 0; low /= 10) ++stripped;
  value = low;
  return stripped;
}

bool ends_in_zero(uint64_t value) { return value % 10 == 0; }

bool ends_in_zero(Wide value) {
  constexpr uint64_t kWrap = 6;  // 2^64 mod 10
  return (static_cast<uint64_t>(value >> 64) % 10 * kWrap + static_cast<uint64_t>(value) % 10) % 10 == 0;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The digits and the point of a number's text, collected without their leading and trailing zeros.
class Mantissa {
 public:
  // Takes them from the front of `text`. False when there is no digit at all.
  bool take(std::string_view& text) {
    size_t i = 0;
    bool point = false;
    bool any = false;
    for (; i < text.size(); ++i) {
      const char c = text[i];
      if (is_digit(c)) {
        any = true;
        if (point) ++fraction_;
        push(c - '0');
      } else if (c == '.' && !point) {
        point = true;
      } else {
        break;
      }
    }
    text.remove_prefix(i);
    return any;
  }

  // Of more than 38 digits the value is nonsense.
  bool too_long() const { return digits_ > kDigits; }
  int64_t digits() const { return digits_; }
  Wide value() const { return digits_ > kNarrowDigits ? wide_ : narrow_; }
  // The power of ten of the last digit of value().
  int64_t exponent() const { return zeros_ - fraction_; }

 private:
  void push(int digit) {
    if (digit == 0) {
      if (digits_ != 0) ++zeros_;
      return;
    }
    const int64_t before = digits_;
    digits_ = digits_ == 0 ? 1 : digits_ + zeros_ + 1;
    if (digits_ <= kNarrowDigits) {
      narrow_ = narrow_ * static_cast<uint64_t>(power_of_ten(static_cast<int>(digits_ - before))) +
                static_cast<uint64_t>(digit);
    } else if (digits_ <= kDigits) {
      if (before <= kNarrowDigits) wide_ = narrow_;
      wide_ = wide_ * power_of_ten(static_cast<int>(digits_ - before)) + static_cast<uint64_t>(digit);
    }
    zeros_ = 0;
  }

  uint64_t narrow_ = 0;  // the value while it is short
  Wide wide_ = 0;
  int64_t digits_ = 0;    // from the first to the last that is not 0
  int64_t zeros_ = 0;     // behind that last one
  int64_t fraction_ = 0;  // behind the point, zeros included
};

// An exponent's sign and digits, all of `text`; clamped to what is beyond every limit anyway. Nothing for one that does
// not fit into 64 bits, which DynamoDB takes for no number at all.
std::optional<int64_t> parse_exponent(std::string_view text) {
  constexpr int64_t kBeyond = int64_t{1} << 50;
  bool negative = false;
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  if (text.empty()) return std::nullopt;
  uint64_t value = 0;
  for (const char c : text) {
    if (!is_digit(c)) return std::nullopt;
    constexpr uint64_t kMost = uint64_t{1} << 63;
    const auto digit = static_cast<uint64_t>(c - '0');
    if (value > (kMost - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
  }
  if (!negative && value >> 63 != 0) return std::nullopt;
  const auto clamped = static_cast<int64_t>(std::min<uint64_t>(value, kBeyond));
  return negative ? -clamped : clamped;
}

Result<void> check_magnitude(int64_t leading) {
  if (leading > kMaxNumberExponent) return refuse(Fault::kNumberOverflow);
  if (leading < kMinNumberExponent) return refuse(Fault::kNumberUnderflow);
  return {};
}

}  // namespace

Number::Number(Wide coefficient, int exponent, bool negative)
    : coefficient_(coefficient), exponent_(static_cast<int16_t>(exponent)), negative_(negative) {}

Number Number::of(int64_t value) {
  if (value == 0) return Number();
  const bool negative = value < 0;
  Wide coefficient = negative ? ~static_cast<uint64_t>(value) + 1 : static_cast<uint64_t>(value);
  const int exponent = strip_zeros(coefficient);
  return Number(coefficient, exponent, negative);
}

Result<Number> Number::of_parts(Wide coefficient, int64_t exponent, bool negative) {
  constexpr int64_t kBeyond = int64_t{1} << 50;  // every limit, so that nothing below overflows
  exponent = std::clamp(exponent, -kBeyond, kBeyond);
  if (coefficient == 0) {
    PARTITA_TRY_VOID(check_magnitude(exponent));
    return Number();
  }
  exponent += strip_zeros(coefficient);
  const int digits = count_digits(coefficient);
  if (digits > kDigits) return refuse(Fault::kNumberPrecision);
  PARTITA_TRY_VOID(check_magnitude(exponent + digits - 1));
  return Number(coefficient, static_cast<int>(exponent), negative);
}

Result<Number> Number::parse(std::string_view text) {
  if (text.empty()) return refuse(Fault::kNumberEmpty);
  std::string_view rest = text;
  const bool negative = rest.front() == '-';
  if (negative || rest.front() == '+') rest.remove_prefix(1);
  Mantissa mantissa;
  if (!mantissa.take(rest)) return refuse(Fault::kNumberSyntax, {std::string(text)});
  std::optional<int64_t> written;
  if (!rest.empty()) {
    if (rest.front() == 'e' || rest.front() == 'E') written = parse_exponent(rest.substr(1));
    if (!written) return refuse(Fault::kNumberSyntax, {std::string(text)});
  }
  if (mantissa.digits() ==
      0) {  // DynamoDB judges a zero by where its last digit stands: 0e126 is too large, 0.0e126 not
    PARTITA_TRY_VOID(check_magnitude(mantissa.exponent() + written.value_or(0)));
    return Number();
  }
  const int64_t exponent = mantissa.exponent() + written.value_or(0);
  if (mantissa.too_long()) return refuse(Fault::kNumberPrecision);
  PARTITA_TRY_VOID(check_magnitude(exponent + mantissa.digits() - 1));
  return Number(mantissa.value(), static_cast<int>(exponent), negative);
}

std::string Number::to_string() const {
  std::array<char, kMaxTextBytes> text;
  return {text.data(), write_to(text.data())};
}

char* Number::write_to(char* out) const {
  if (is_zero()) {
    *out = '0';
    return out + 1;
  }
  if (negative_) *out++ = '-';
  DigitBuffer buffer;
  const std::string_view digits = write_digits(coefficient_, buffer);
  const int whole = static_cast<int>(digits.size()) + exponent_;  // digits before the point
  const auto put = [&out](std::string_view text) { out = std::copy(text.begin(), text.end(), out); };
  const auto zeros = [&out](int count) { out = std::fill_n(out, count, '0'); };
  if (exponent_ >= 0) {
    put(digits);
    zeros(exponent_);
  } else if (whole > 0) {
    put(digits.substr(0, static_cast<size_t>(whole)));
    *out++ = '.';
    put(digits.substr(static_cast<size_t>(whole)));
  } else {
    put("0.");
    zeros(-whole);
    put(digits);
  }
  return out;
}

Result<Number> Number::add(const Number& other) const {
  if (is_zero()) return other;
  if (other.is_zero()) return *this;
  const Number& a = exponent_ >= other.exponent_ ? *this : other;
  const Number& b = exponent_ >= other.exponent_ ? other : *this;

  // a's coefficient is brought to b's exponent. b ends in a digit that is not 0, so when that takes 40 digits or more
  // the sum has at least 39. With 39 it may still fit: 1E38 - 1.
  const int shift = a.exponent_ - b.exponent_;
  constexpr Wide kMost = ~Wide{0} - kPowers[kDigits];  // room for b on top
  if (shift > kDigits || a.coefficient_ > kMost / power_of_ten(shift)) return refuse(Fault::kNumberOverflow);
  const Wide left = a.coefficient_ * power_of_ten(shift);
  const Wide right = b.coefficient_;

  Wide sum = left + right;
  bool negative = a.negative_;
  if (a.negative_ != b.negative_) {
    if (left == right) return Number();
    negative = left > right ? a.negative_ : b.negative_;
    sum = left > right ? left - right : right - left;
  }
  const int exponent = b.exponent_ + strip_zeros(sum);
  const int digits = count_digits(sum);
  if (digits > kDigits) return refuse(Fault::kNumberOverflow);
  PARTITA_TRY_VOID(check_magnitude(exponent + digits - 1));
  return Number(sum, exponent, negative);
}

Result<Number> Number::subtract(const Number& other) const { return add(other.negated()); }

Number Number::negated() const {
  Number result = *this;
  result.negative_ = !is_zero() && !negative_;
  return result;
}

std::optional<int64_t> Number::to_int64() const {
  if (exponent_ < 0 || count_digits(coefficient_) + exponent_ > kNarrowDigits) return std::nullopt;
  const Wide magnitude = coefficient_ * power_of_ten(exponent_);
  const Wide limit = (Wide{1} << 63) - (negative_ ? 0 : 1);
  if (magnitude > limit) return std::nullopt;
  const auto bits = static_cast<uint64_t>(magnitude);
  return static_cast<int64_t>(negative_ ? ~bits + 1 : bits);
}

double Number::to_double() const {
  if (is_zero()) return 0;
  DigitBuffer digits;
  std::string text(write_digits(coefficient_, digits));
  text += 'e';
  text += std::to_string(exponent_);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return negative_ ? -value : value;
}

float Number::to_float() const {
  constexpr double kExactPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                     1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  constexpr int kMostExact = 22;
  if (is_zero()) return 0;
  if (coefficient_ < (uint64_t{1} << 53) && exponent_ >= -kMostExact && exponent_ <= kMostExact) {
    // Both are exact, so the quotient is the nearest double; half between two floats it could be rounded twice.
    const auto digits = static_cast<double>(static_cast<uint64_t>(coefficient_));
    const double value = exponent_ < 0 ? digits / kExactPowers[-exponent_] : digits * kExactPowers[exponent_];
    constexpr uint64_t kBelowFloat = 0x1fffffff;
    const bool halfway = (std::bit_cast<uint64_t>(value) & kBelowFloat) == 0x10000000;
    if (!halfway) return static_cast<float>(negative_ ? -value : value);
  }
  DigitBuffer digits;
  std::string text(write_digits(coefficient_, digits));
  const bool large = static_cast<int>(text.size()) + exponent_ > 0;
  text += 'e';
  text += std::to_string(exponent_);
  float value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc()) value = large ? std::numeric_limits<float>::infinity() : 0;
  return negative_ ? -value : value;
}

std::strong_ordering Number::operator<=>(const Number& other) const {
  if (is_zero() || other.is_zero() || negative_ != other.negative_) {
    const auto sign = [](const Number& n) { return n.is_zero() ? 0 : n.negative_ ? -1 : 1; };
    return sign(*this) <=> sign(other);
  }
  const auto magnitudes = [](const Number& a, const Number& b) {
    if (a.exponent_ == b.exponent_) return a.coefficient_ <=> b.coefficient_;
    const int a_whole = count_digits(a.coefficient_) + a.exponent_;
    const int b_whole = count_digits(b.coefficient_) + b.exponent_;
    if (a_whole != b_whole) return a_whole <=> b_whole;
    // Equally many digits before the point: on one exponent both have at most 38 digits.
    const int shift = a.exponent_ - b.exponent_;
    return shift > 0 ? a.coefficient_ * power_of_ten(shift) <=> b.coefficient_
                     : a.coefficient_ <=> b.coefficient_ * power_of_ten(-shift);
  };
  return negative_ ? magnitudes(other, *this) : magnitudes(*this, other);
}

size_t Number::size_bytes() const {
  const int digits = count_digits(coefficient_);
  const int whole = std::clamp(digits + exponent_, 0, digits);
  const int pairs = (whole + 1) / 2 + (digits - whole + 1) / 2;
  return static_cast<size_t>(pairs) + (negative_ ? 2 : 1);
}

namespace {

// The forms of docs/formats/numbers.md.
constexpr uint8_t kNegativeMark = 0x10;
constexpr uint8_t kZeroMark = 0x20;
constexpr uint8_t kPositiveMark = 0x30;
constexpr size_t kMaxPairs = kDigits / 2;

template <class Unsigned>
Unsigned little_endian(std::string_view bytes) {
  Unsigned value = 0;
  for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[i]);
  return value;
}

}  // namespace

void Number::encode(std::string& out) const {
  if (is_zero()) {
    out.push_back(static_cast<char>(kZeroMark));
    return;
  }
  DigitBuffer buffer;
  const std::string_view digits = write_digits(coefficient_, buffer);
  const auto flip = static_cast<uint8_t>(negative_ ? 0xff : 0x00);
  std::array<char, 2 + kMaxPairs> bytes;
  size_t size = 0;
  const auto push = [&](int byte) { bytes[size++] = static_cast<char>(static_cast<uint8_t>(byte) ^ flip); };
  bytes[size++] = static_cast<char>(negative_ ? kNegativeMark : kPositiveMark);
  push(static_cast<int>(digits.size()) + exponent_ - 1 - kMinNumberExponent);
  for (size_t i = 0; i < digits.size(); i += 2) {
    const int tens = digits[i] - '0';
    const int ones = i + 1 < digits.size() ? digits[i + 1] - '0' : 0;
    push((tens * 10 + ones) * 2 + (i + 2 < digits.size() ? 1 : 0));
  }
  out.append(bytes.data(), size);
}

std::optional<Number> Number::decode(std::string_view& in) {
  if (in.empty()) return std::nullopt;
  const auto mark = static_cast<uint8_t>(in[0]);
  if (mark == kZeroMark) {
    in.remove_prefix(1);
    return Number();
  }
  if (mark != kNegativeMark && mark != kPositiveMark) return std::nullopt;
  const bool negative = mark == kNegativeMark;
  const auto flip = static_cast<uint8_t>(negative ? 0xff : 0x00);
  Wide coefficient = 0;
  for (size_t pairs = 0; pairs < kMaxPairs && pairs + 2 < in.size(); ++pairs) {
    const auto byte = static_cast<uint8_t>(static_cast<uint8_t>(in[pairs + 2]) ^ flip);
    const unsigned pair = byte / 2u;
    const bool more = byte % 2 != 0;
    if (pair > 99 || (pairs == 0 && pair < 10) || (!more && pair == 0)) return std::nullopt;
    coefficient = coefficient * 100 + pair;
    if (more) continue;
    const int leading = (static_cast<uint8_t>(in[1]) ^ flip) + kMinNumberExponent;
    int exponent = leading - (2 * static_cast<int>(pairs + 1) - 1);
    if (pair % 10 == 0) {
      coefficient /= 10;
      ++exponent;
    }
    in.remove_prefix(pairs + 3);
    return Number(coefficient, exponent, negative);
  }
  return std::nullopt;
}

char* Number::write_compact(char* out) const {
  static_assert(std::endian::native == std::endian::little && kMaxCompactBytes == 2 + sizeof(Wide));
  if (is_zero()) return out;
  const int shifted = exponent_ - kLowestExponent;
  out[0] = static_cast<char>(shifted & 0xff);
  out[1] = static_cast<char>(shifted >> 8 << 1 | (negative_ ? 1 : 0));
  std::memcpy(out + 2, &coefficient_, sizeof coefficient_);
  return out + 2 + (count_bits(coefficient_) + 7) / 8;
}

// Nothing for what no number has in its canonical form.
template <class Unsigned>
std::optional<Number> Number::from_parts(Unsigned coefficient, int exponent, bool negative) {
  const int digits = count_digits(coefficient);
  const int leading = exponent + digits - 1;
  if (digits > kDigits || ends_in_zero(coefficient) || leading < kMinNumberExponent || leading > kMaxNumberExponent) {
    return std::nullopt;
  }
  return Number(coefficient, exponent, negative);
}

std::optional<Number> Number::from_compact(std::string_view bytes) {
  if (bytes.empty()) return Number();
  if (bytes.size() < 3 || bytes.size() > 2 + sizeof(Wide) || bytes.back() == 0) return std::nullopt;
  const auto at = [&](size_t i) { return static_cast<uint8_t>(bytes[i]); };
  const int exponent = (at(1) >> 1 << 8 | at(0)) + kLowestExponent;
  const bool negative = (at(1) & 1) != 0;
  if (bytes.size() <= 2 + sizeof(uint64_t))
    return from_parts(little_endian<uint64_t>(bytes.substr(2)), exponent, negative);
  return from_parts(little_endian<Wide>(bytes.substr(2)), exponent, negative);
}

}  // namespace partita::model
