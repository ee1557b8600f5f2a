// Metric math: arithmetic on metrics that a GetMetricData names by their ids.
//
//   PARTITA_TRY(const Expression rate, Expression::parse("m1 / PERIOD(m1)"));
//   PARTITA_TRY(const Series values, rate.evaluate(find));
//
// Numbers, ids, + - * / ^, parentheses, PERIOD(id) and FILL(id, number). All other functions are refused by name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/function_ref.h"
#include "base/result.h"

namespace partita::cloudwatch {

// Values with the begin of their period, in ms since 1970; sorted, and each time once.
using Values = std::vector<std::pair<int64_t, double>>;

struct MathInput {
  const Values* values = nullptr;
  int64_t period_s = 0;
};

class Expression {
 public:
  // Fault: kMonitorExpression.
  static Result<Expression> parse(std::string_view text);

  // The ids that it names, each once.
  const std::vector<std::string>& ids() const { return ids_; }
  // How many numbers, ids, functions and operators it has: evaluating it computes so many values for each time.
  size_t size() const { return size_; }
  // `find` returns the input of an id in ids(). `from_ms` and `to_ms` limit what FILL fills. Where an operand has no
  // value, or it is divided by zero, there is no value. Fault: kMonitorExpression for a result that is no time series.
  Result<Values> evaluate(FunctionRef<MathInput(const std::string& id)> find, int64_t from_ms, int64_t to_ms) const;

  struct Node;

 private:
  Expression(std::string text, std::shared_ptr<const Node> root);

  std::string text_;
  std::shared_ptr<const Node> root_;
  std::vector<std::string> ids_;
  size_t size_ = 0;
};

}  // namespace partita::cloudwatch
