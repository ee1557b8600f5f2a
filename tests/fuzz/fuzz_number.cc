// Numbers: two of them as text, one to a line, and everything that is promised of their forms; then the raw input as
// stored bytes.
#include <array>
#include <string>

#include "input.h"
#include "model/number.h"

namespace partita::fuzz {
namespace {

using model::Number;

std::string compact(const Number& number) {
  std::array<char, Number::kMaxCompactBytes> room;
  return {room.data(), number.write_compact(room.data())};
}

void check_forms(const Number& number) {
  const std::string text = number.to_string();
  const Result<Number> again = Number::parse(text);
  PARTITA_CHECK(again.ok() && again.value() == number && again.value().to_string() == text);

  std::string ordered;
  number.encode(ordered);
  PARTITA_CHECK(ordered.size() <= 22);
  std::string_view rest = ordered;
  const std::optional<Number> decoded = Number::decode(rest);
  PARTITA_CHECK(decoded == number && rest.empty());

  PARTITA_CHECK(Number::from_compact(compact(number)) == number);

  PARTITA_CHECK(number.negated().negated() == number);
  PARTITA_CHECK(number.size_bytes() >= 1 && number.size_bytes() <= 22);
  if (const std::optional<int64_t> whole = number.to_int64()) PARTITA_CHECK(Number::of(*whole) == number);
}

void check_sum(const Number& a, const Number& b) {
  const Result<Number> sum = a.add(b);
  const Result<Number> swapped = b.add(a);
  PARTITA_CHECK(sum.ok() == swapped.ok());
  const Result<Number> difference = a.subtract(b.negated());
  PARTITA_CHECK(sum.ok() == difference.ok());
  if (!sum.ok()) return;
  PARTITA_CHECK(sum.value() == swapped.value() && sum.value() == difference.value());
  check_forms(sum.value());
  // What was exact one way is exact the other way.
  const Result<Number> back = sum.value().subtract(b);
  PARTITA_CHECK(back.ok() && back.value() == a);
  PARTITA_CHECK((sum.value() <=> a) == (b <=> Number()));
}

void check_pair(const Number& a, const Number& b) {
  std::string ordered_a;
  std::string ordered_b;
  a.encode(ordered_a);
  b.encode(ordered_b);
  PARTITA_CHECK((a <=> b) == (ordered_a <=> ordered_b));
  PARTITA_CHECK((a == b) == (ordered_a == ordered_b));
  PARTITA_CHECK((a <=> b) == (b.negated() <=> a.negated()));
  check_sum(a, b);
}

void check_bytes(std::string_view bytes) {
  std::string_view rest = bytes;
  if (const std::optional<Number> number = Number::decode(rest)) {
    std::string again;
    number->encode(again);
    PARTITA_CHECK(again == bytes.substr(0, bytes.size() - rest.size()));
    check_forms(*number);
  } else {
    PARTITA_CHECK(rest == bytes);
  }
  if (const std::optional<Number> number = Number::from_compact(bytes)) {
    PARTITA_CHECK(compact(*number) == bytes);
    check_forms(*number);
  }
}

}  // namespace
}  // namespace partita::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita;
  fuzz::Input in(data, size);
  fuzz::check_bytes(in.rest());
  const Result<model::Number> a = model::Number::parse(in.line());
  const Result<model::Number> b = model::Number::parse(in.line());
  if (a.ok()) fuzz::check_forms(a.value());
  if (a.ok() && b.ok()) fuzz::check_pair(a.value(), b.value());
  return 0;
}
