#include "base/exposition.h"

#include <array>
#include <charconv>
#include <cmath>

#include "base/check.h"

namespace partita {

namespace {

std::string number(double value) {
  constexpr double kExact = 9e15;
  std::array<char, 32> digits;
  char* const end = digits.data() + digits.size();
  const bool whole = std::floor(value) == value && std::abs(value) < kExact;
  const auto written =
      whole ? std::to_chars(digits.data(), end, static_cast<int64_t>(value)) : std::to_chars(digits.data(), end, value);
  PARTITA_CHECK(written.ec == std::errc());
  return {digits.data(), written.ptr};
}

void append_escaped(std::string& out, std::string_view text) {
  for (const char byte : text) {
    if (byte == '\\' || byte == '"') out.push_back('\\');
    if (byte == '\n') {
      out.append("\\n");
    } else {
      out.push_back(byte);
    }
  }
}

}  // namespace

void Exposition::begin(std::string_view name, std::string_view help, std::string_view type) {
  if (last_ == name) return;
  last_ = name;
  text_.append("# HELP ").append(name).append(" ").append(help).append("\n");
  text_.append("# TYPE ").append(name).append(" ").append(type).append("\n");
}

void Exposition::sample(std::string_view name, std::string_view suffix, Labels labels, std::string_view upto,
                        double value) {
  text_.append(name).append(suffix);
  char before = '{';
  const auto add = [&](std::string_view label, std::string_view said) {
    text_.push_back(std::exchange(before, ','));
    text_.append(label).append("=\"");
    append_escaped(text_, said);
    text_.push_back('"');
  };
  for (const auto& [label, said] : labels) {
    if (!said.empty()) add(label, said);
  }
  if (!upto.empty()) add("le", upto);
  if (before == ',') text_.push_back('}');
  text_.append(" ").append(number(value)).append("\n");
}

void Exposition::counter(std::string_view name, std::string_view help, double value, Labels labels) {
  begin(name, help, "counter");
  sample(name, {}, labels, {}, value);
}

void Exposition::gauge(std::string_view name, std::string_view help, double value, Labels labels) {
  begin(name, help, "gauge");
  sample(name, {}, labels, {}, value);
}

void Exposition::histogram(std::string_view name, std::string_view help, const HistogramTotals& totals, double unit,
                           Labels labels) {
  begin(name, help, "histogram");
  uint64_t below = 0;
  for (size_t i = 0; i < totals.counts.size(); ++i) {
    below += totals.counts[i];
    const bool last = i + 1 == totals.counts.size();
    const std::string upto =
        last ? "+Inf" : number(std::ldexp(1.0, totals.first + totals.step * static_cast<int>(i)) * unit);
    sample(name, "_bucket", labels, upto, static_cast<double>(below));
  }
  sample(name, "_sum", labels, {}, static_cast<double>(totals.sum) * unit);
  sample(name, "_count", labels, {}, static_cast<double>(below));
}

}  // namespace partita
