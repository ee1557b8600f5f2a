// The rules that CloudWatch has for Contributor Insights of a table or a global index.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "table/rows/schema.h"

namespace partita::table {

// What a rule ranks. The numbers are stored: docs/formats/metrics.md.
enum class InsightRuleKind : uint8_t {
  kAccessedPartitions = 0,   // PKC: partition keys by consumed capacity
  kThrottledPartitions = 1,  // PKT: partition keys by throttled requests
  kAccessedItems = 2,        // SKC: pairs of partition and sort key by consumed capacity
  kThrottledItems = 3,       // SKT: these pairs by throttled requests
};
inline constexpr size_t kInsightRuleKinds = 4;
constexpr bool is_of_throttles(InsightRuleKind kind) {
  return kind == InsightRuleKind::kThrottledPartitions || kind == InsightRuleKind::kThrottledItems;
}
constexpr bool is_of_items(InsightRuleKind kind) {
  return kind == InsightRuleKind::kAccessedItems || kind == InsightRuleKind::kThrottledItems;
}

struct InsightRule {
  std::string name;  // in CloudWatch: "DynamoDBContributorInsights-PKC-Votes-1764172800000"
  InsightRuleKind kind{};
  uint32_t table_id = 0;
  uint16_t index_id = 0;  // model::kBaseIndex: the table's own
  model::KeySchema keys;
  int64_t began_ms = 0;  // since 1970
};

// CloudWatch's quota of Contributor Insights rules of a region ("CloudWatch service quotas").
inline constexpr size_t kMostInsightRules = 100;

// Those of the table (`index` null) or of a global index, while they are ENABLED; else none.
std::vector<InsightRule> insight_rules(const TableInfo& table, const IndexInfo* index, int64_t now_ms);
// Those of the table and all its global indexes.
std::vector<InsightRule> insight_rules(const TableInfo& table, int64_t now_ms);

// How many rules Contributor Insights with these settings have, from the moment they are enabled.
size_t insight_rule_count(const std::optional<Insights>& insights, const model::KeySchema& keys);

}  // namespace partita::table
