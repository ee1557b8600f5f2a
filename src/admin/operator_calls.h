// Partita's own calls that policies may allow, such as "Partita_20261123.ListNamespaces": namespaces, snapshots, the
// clock, and what the console watches.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "admin/metric_samples.h"
#include "admin/operator_request.h"
#include "base/clock.h"
#include "base/task.h"
#include "base/workers.h"
#include "namespaces/namespaces.h"
#include "ops/service.h"

namespace partita::admin {

inline constexpr std::string_view kDescribeConsole = "DescribeConsole";
inline constexpr std::string_view kDescribeHeat = "DescribeHeat";
inline constexpr std::string_view kDescribeHotKeys = "DescribeHotKeys";
inline constexpr std::string_view kListJobs = "ListJobs";
inline constexpr std::string_view kListSinks = "ListSinks";

// Callable from any thread.
class OperatorCalls {
 public:
  // `namespaces` outlives this.
  explicit OperatorCalls(namespaces::Namespaces& namespaces, ConsoleFacts facts = {})
      : namespaces_(namespaces), facts_(std::move(facts)) {}

  // Precondition: the target begins with kAdminPrefix. `call` and what it points to must live until the task has ended.
  Task<ops::Reply> call(const ops::Call& call);

 private:
  namespaces::Namespaces& namespaces_;
  const ConsoleFacts facts_;
  MetricSampler sampler_{[this] { return namespaces_.root().service().totals(); }, system_clock()};
  Workers workers_{32};  // operations wait for the end of other calls, and VerifySink for the other end
};

// The actions that policies name, such as "partita:MoveClock".
std::vector<std::string_view> operator_actions();

}  // namespace partita::admin
