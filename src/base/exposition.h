// Numbers as Prometheus reads them (its text format, version 0.0.4).
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

// Samples of one name follow each other: its help is written before the first of them. A label whose value is empty is
// left out: Prometheus takes the two for the same. For one thread.
class Exposition {
 public:
  using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

  // What only grows, but for a server's new start.
  void counter(std::string_view name, std::string_view help, double value, Labels labels = {});
  // What is so now.
  void gauge(std::string_view name, std::string_view help, double value, Labels labels = {});
  // `unit`: what 1 of its values is in the unit that the name ends with.
  void histogram(std::string_view name, std::string_view help, const HistogramTotals& totals, double unit,
                 Labels labels = {});

  std::string take() && { return std::move(text_); }

  static constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

 private:
  void begin(std::string_view name, std::string_view help, std::string_view type);
  void sample(std::string_view name, std::string_view suffix, Labels labels, std::string_view upto, double value);

  std::string text_;
  std::string last_;  // the name whose help was written
};

}  // namespace partita
