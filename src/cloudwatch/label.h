// Dynamic labels of GetMetricData, such as "${PROP('Dim.TableName')} [max: ${MAX}]": "Use dynamic labels" in the user
// guide of CloudWatch. Those that show times are not served.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cloudwatch/expression.h"
#include "cloudwatch/metric_name.h"

namespace partita::cloudwatch {

// What a label may show. All pointers may be null.
struct LabelFacts {
  std::string_view usual;            // the label without a Label: ${LABEL}
  const MetricName* name = nullptr;  // null: of an expression
  std::string_view statistic;
  int64_t period_s = 0;
  std::string_view region;
  std::string_view account;
  const Values* values = nullptr;  // of the whole time range
};

// The label, each ${...} replaced; what is not known becomes "--". Fault: kMonitorInvalid for one that is not served.
Result<std::string> label_of(std::string_view label, const LabelFacts& facts);

}  // namespace partita::cloudwatch
