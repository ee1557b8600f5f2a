// Metrics in Prometheus's text format, version 0.0.4.
//
//   Exposition out;
//   out.counter("partita_errors_total", "Requests that ended with that error.", 3, {{"operation", "GetItem"}});
//   return std::move(out).take();
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "base/meter.h"

namespace partita {

// Samples of one name must be consecutive: the help text is written before the first of them. A label with an empty
// value is omitted, since Prometheus treats the two as equal. For one thread.
class Exposition {
 public:
  using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  // A value that only grows, except when the server restarts.
  void counter(std::string_view name, std::string_view help, double value, Labels labels = {});
  // A current value.
  void gauge(std::string_view name, std::string_view help, double value, Labels labels = {});
  // `unit`: the value of 1 in the unit that the name ends with.
  void histogram(std::string_view name, std::string_view help, const HistogramTotals& totals, double unit,
                 Labels labels = {});

  std::string take() && { return std::move(text_); }

  static constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

 private:
  void begin(std::string_view name, std::string_view help, std::string_view type);
  void sample(std::string_view name, std::string_view suffix, Labels labels, std::string_view upto, double value);

  std::string text_;
  std::string last_;  // the last name whose help was written
};

}  // namespace partita
