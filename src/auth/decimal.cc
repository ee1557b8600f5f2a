#include "auth/decimal.h"

#include <charconv>

namespace partita::auth {

namespace {

constexpr int64_t kMostExponent = 1'000'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// What stands behind the 'e'.
std::optional<int64_t> exponent_in(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  int64_t exponent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || exponent > kMostExponent || exponent < -kMostExponent) return std::nullopt;
  return exponent;
}

}  // namespace

std::optional<Decimal> Decimal::read(std::string_view text) {
  Decimal number;
  if (text.starts_with('+') || text.starts_with('-')) {
    number.negative_ = text.front() == '-';
    text.remove_prefix(1);
  }
  const size_t e = text.find_first_of("eE");
  if (e != std::string_view::npos) {
    const auto exponent = exponent_in(text.substr(e + 1));
    if (!exponent) return std::nullopt;
    number.exponent_ = *exponent;
    text = text.substr(0, e);
  }
  size_t seen = 0;
  bool behind_point = false;
  for (const char c : text) {
    if (c == '.' && !behind_point) {
      behind_point = true;
      continue;
    }
    if (!is_digit(c)) return std::nullopt;
    ++seen;
    const bool leads = number.digits_.empty() && c == '0';
    if (behind_point && leads) --number.exponent_;
    if (!behind_point && !leads) ++number.exponent_;
    if (!leads) number.digits_.push_back(c);
  }
  if (seen == 0) return std::nullopt;
  number.digits_.erase(number.digits_.find_last_not_of('0') + 1);
  if (number.digits_.empty()) return Decimal();
  return number;
}

std::strong_ordering Decimal::operator<=>(const Decimal& other) const {
  const auto sign = [](const Decimal& one) { return one.digits_.empty() ? 0 : one.negative_ ? -1 : 1; };
  if (sign(*this) != sign(other)) return sign(*this) <=> sign(other);
  if (digits_.empty()) return std::strong_ordering::equal;
  const Decimal& low = negative_ ? other : *this;
  const Decimal& high = negative_ ? *this : other;
  if (low.exponent_ != high.exponent_) return low.exponent_ <=> high.exponent_;
  return low.digits_.compare(high.digits_) <=> 0;
}

}  // namespace partita::auth
