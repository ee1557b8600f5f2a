#include "model/java_number.h"

#include <charconv>
#include <limits>

#include "model/fault.h"

namespace partita::model {

namespace {

// A number's text in parts: [sign] digits [. digits] [e exponent].
struct Digits {
  size_t written = 0;  // from the first that is not 0
  int64_t behind = 0;  // the point
  int64_t exponent = 0;
  bool fits = true;  // the exponent, into 32 bits
};

Digits digits_of(std::string_view text) {
  Digits digits;
  const size_t mark = text.find_first_of("eE");
  bool point = false;
  for (const char c : text.substr(0, mark)) {
    if (c == '.') {
      point = true;
    } else if (c >= '0' && c <= '9') {
      digits.written += digits.written > 0 || c != '0' ? 1 : 0;
      digits.behind += point ? 1 : 0;
    }
  }
  if (mark == std::string_view::npos) return digits;
  std::string_view rest = text.substr(mark + 1);
  if (rest.starts_with('+')) rest.remove_prefix(1);
  int32_t exponent = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), exponent);
  digits.fits = error != std::errc::result_out_of_range;
  digits.exponent = exponent;
  return digits;
}

}  // namespace

bool has_scale(std::string_view number) {
  const Digits digits = digits_of(number);
  const int64_t scale = digits.behind - digits.exponent;
  return digits.fits && scale >= std::numeric_limits<int32_t>::min() && scale <= std::numeric_limits<int32_t>::max();
}

Result<Number> read_as_java(std::string_view text) {
  constexpr int64_t kFar = 1'000'000;
  const Digits digits = digits_of(text);
  const bool far = digits.exponent > kFar || digits.exponent < -kFar;
  if (!far || digits.written == 0 || !has_scale(text)) return Number::parse(text);
  const int64_t magnitude = static_cast<int64_t>(digits.written) - (digits.behind - digits.exponent);
  const bool small = static_cast<int32_t>(static_cast<uint32_t>(magnitude)) < 0;
  PARTITA_TRY_VOID(Number::parse(text.substr(0, text.find_first_of("eE"))));
  return refuse(small ? Fault::kNumberUnderflow : Fault::kNumberOverflow);
}

}  // namespace partita::model
