// A call of CloudWatch: what it is about, and how it is carried out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "base/task.h"
#include "cloudwatch/parameters.h"
#include "metrics/evaluation.h"
#include "metrics/insights.h"
#include "storage/engine.h"
#include "wire/document.h"

namespace partita::cloudwatch {

// What a call needs beside its parameters. Outlives it.
struct CallContext {
  storage::Engine& engine;
  const Clock& clock;
  Random& random;
  std::string_view region;
  std::string_view account;  // twelve digits
  metrics::AlarmActions actions = metrics::AlarmActions::kIgnored;
  // Of all tables, by name; empty unless the call needs them (CallRow::about).
  std::span<const table::InsightRule> rules = {};
};

// What policies are asked about.
enum class About : uint8_t {
  kEverything,  // "*"
  kAlarms,      // each alarm in AlarmName or AlarmNames; "*" if there is none
  kRules,       // "*", and the call needs the rules of Contributor Insights
  kRule,        // the rule in RuleName; it needs the rules too
  kTagged,      // ResourceARN
};

struct CallRow {
  std::string_view name;
  std::string_view action;  // in policies: "cloudwatch:ListMetrics"
  About about;
  bool writes;
  // The reply, a map. `parameters` outlive the task. Faults: kMonitor...
  Task<Result<wire::Document>> (*run)(const CallContext& context, Parameters parameters);
};

std::string alarm_arn(std::string_view region, std::string_view account, std::string_view alarm);
std::string rule_arn(std::string_view region, std::string_view account, std::string_view rule);

}  // namespace partita::cloudwatch
