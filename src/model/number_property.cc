// Reads cases with their answers from standard input, as number_property_test.py writes them, and stops at the first
// one that Number answers otherwise.
#include <array>
#include <iostream>
#include <string>
#include <vector>

#include "model/fault.h"
#include "model/number.h"

namespace partita::model {
namespace {

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  for (size_t tab = line.find('\t'); tab != std::string_view::npos; tab = line.find('\t')) {
    fields.push_back(line.substr(0, tab));
    line.remove_prefix(tab + 1);
  }
  fields.push_back(line);
  return fields;
}

// The canonical text, or the fault's name.
std::string answer(const Result<Number>& result) {
  if (result.ok()) return result.value().to_string();
  switch (fault_of(result.error())) {
    case Fault::kNumberSyntax:
      return "syntax";
    case Fault::kNumberPrecision:
      return "precision";
    case Fault::kNumberOverflow:
      return "overflow";
    case Fault::kNumberUnderflow:
      return "underflow";
    default:
      return "another fault";
  }
}

int sign_of(std::strong_ordering order) { return order < 0 ? -1 : order > 0 ? 1 : 0; }

std::string encoded(const Number& number) {
  std::string bytes;
  number.encode(bytes);
  return bytes;
}

class Comparison {
 public:
  bool failed() const { return failed_; }
  size_t cases() const { return cases_; }
  size_t faults() const { return faults_; }

  void run(std::string_view line) {
    line_ = line;
    const auto fields = split(line);
    const auto a = parse(fields, 0);
    if (fields.size() < 9) return;
    const auto b = parse(fields, 3);
    if (!a.ok() || !b.ok()) return expect("both numbers", "a fault", "valid");
    const int order = std::stoi(std::string(fields[6]));
    expect("order", std::to_string(sign_of(*a <=> *b)), std::to_string(order));
    expect("order of bytes", std::to_string(sign_of(encoded(*a) <=> encoded(*b))), std::to_string(order));
    expect("equality", *a == *b ? "equal" : "different", order == 0 ? "equal" : "different");
    expect("sum", answer(a->add(*b)), fields[7]);
    expect("difference", answer(a->subtract(*b)), fields[8]);
    cases_ += 3;
    for (const size_t field : {7, 8}) {
      if (fields[field].front() > '9') ++faults_;
    }
  }

 private:
  Result<Number> parse(const std::vector<std::string_view>& fields, size_t at) {
    ++cases_;
    auto number = Number::parse(fields[at]);
    expect("text", answer(number), fields[at + 1]);
    if (!number.ok()) {
      ++faults_;
      return number;
    }
    expect("size", std::to_string(number->size_bytes()), fields[at + 2]);
    std::string bytes = encoded(*number);
    expect("length of bytes", bytes.size() <= 22 ? "short" : "long", "short");
    bytes += "next";
    std::string_view rest = bytes;
    const auto decoded = Number::decode(rest);
    expect("decoded", decoded == *number && rest == "next" ? "same" : "other", "same");
    std::array<char, Number::kMaxCompactBytes> room;
    const std::string_view compact(room.data(), number->write_compact(room.data()));
    expect("compact", Number::from_compact(compact) == *number ? "same" : "other", "same");
    return number;
  }

  void expect(const char* what, std::string_view found, std::string_view wanted) {
    if (found == wanted || failed_) return;
    failed_ = true;
    std::cerr << what << ": found " << found << ", expected " << wanted << "\n  in: " << line_ << "\n";
  }

  std::string_view line_;
  bool failed_ = false;
  size_t cases_ = 0;
  size_t faults_ = 0;
};

}  // namespace
}  // namespace partita::model

int main() {
  std::ios::sync_with_stdio(false);
  partita::model::Comparison comparison;
  for (std::string line; !comparison.failed() && std::getline(std::cin, line);) comparison.run(line);
  std::cout << comparison.cases() << " cases, " << comparison.faults() << " of them faults\n";
  return comparison.failed() || comparison.cases() == 0 ? 1 : 0;
}
