// Reads cases with their answers from standard input, as lex_decimal_property_test.py writes them, and stops at the
// first one that is answered otherwise. A line: a number's text, its form, another form of it; or "?", any bytes, and
// the number that they are, "no" if none, or "fault" if it is out of range.
#include <array>
#include <iostream>
#include <string>
#include <string_view>

#include "model/fault.h"
#include "model/number.h"
#include "wire/dax/lex_decimal.h"
#include "wire/hex_testing.h"

namespace partita::wire::dax {
namespace {

using model::Number;

std::string answer(const Result<Number>& number) {
  if (number.ok()) return number->to_string();
  return model::fault_of(number.error()) == model::Fault::kKeySchemaMismatch ? "no" : "fault";
}

std::string lex_form(const Number& number) {
  std::array<char, kMaxLexDecimalBytes> room;
  return {room.data(), write_lex_decimal(room.data(), number)};
}

class LexComparison {
 public:
  bool failed() const { return failed_; }
  size_t cases() const { return cases_; }

  void run(std::string_view line) {
    line_ = line;
    const size_t first = line.find('\t');
    const size_t second = line.find('\t', first + 1);
    const std::string_view text = line.substr(0, first);
    const std::string_view form = line.substr(first + 1, second - first - 1);
    const std::string_view rest = line.substr(second + 1);
    ++cases_;
    if (text == "?") return expect("bytes", answer(read_lex_decimal(from_hex(form))), rest);
    const Result<Number> number = Number::parse(text);
    if (!number.ok()) return expect("text", "a fault", "a number");
    const std::string bytes = lex_form(*number);
    expect("form", to_hex(bytes), form);
    expect("read", answer(read_lex_decimal(bytes)), number->to_string());
    expect("other form", answer(read_lex_decimal(from_hex(rest))), number->to_string());
    expect("order of bytes",
           bytes < last_bytes_    ? "less"
           : bytes == last_bytes_ ? "equal"
                                  : "greater",
           *number < last_    ? "less"
           : *number == last_ ? "equal"
                              : "greater");
    last_ = *number;
    last_bytes_ = bytes;
  }

 private:
  void expect(const char* what, std::string_view found, std::string_view wanted) {
    if (found == wanted || failed_) return;
    failed_ = true;
    std::cerr << what << ": found " << found << ", expected " << wanted << "\n  in: " << line_ << "\n";
  }

  std::string_view line_;
  Number last_;
  std::string last_bytes_ = lex_form(Number());
  bool failed_ = false;
  size_t cases_ = 0;
};

}  // namespace
}  // namespace partita::wire::dax

int main() {
  std::ios::sync_with_stdio(false);
  partita::wire::dax::LexComparison comparison;
  for (std::string line; !comparison.failed() && std::getline(std::cin, line);) comparison.run(line);
  std::cout << comparison.cases() << " cases\n";
  return comparison.failed() || comparison.cases() == 0 ? 1 : 0;
}
