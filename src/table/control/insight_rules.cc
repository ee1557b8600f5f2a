#include "table/control/insight_rules.h"

#include <array>

namespace partita::table {

namespace {

constexpr std::array<std::string_view, kInsightRuleKinds> kKindNames = {"PKC", "PKT", "SKC", "SKT"};

std::vector<InsightRuleKind> kinds_of(const Insights& insights, const model::KeySchema& keys) {
  std::vector<InsightRuleKind> kinds;
  if (!insights.enabled || insights.failed) return kinds;
  for (size_t i = 0; i < kInsightRuleKinds; ++i) {
    const auto kind = static_cast<InsightRuleKind>(i);
    if (is_of_items(kind) && keys.sort.empty()) continue;
    if (insights.throttled_only && !is_of_throttles(kind)) continue;
    kinds.push_back(kind);
  }
  return kinds;
}

}  // namespace

std::vector<InsightRule> insight_rules(const TableInfo& table, const IndexInfo* index, int64_t now_ms) {
  std::vector<InsightRule> rules;
  const std::optional<Insights>& insights = index == nullptr ? table.insights : index->insights;
  if (!insights || !is_due(insights->changed_ms, now_ms)) return rules;
  const model::KeySchema& keys = index == nullptr ? table.keys : index->keys;
  std::string of = "-" + table.name;
  if (index != nullptr) of.append("-").append(index->name);
  of.append("-").append(std::to_string(insights->began_ms));
  for (const InsightRuleKind kind : kinds_of(*insights, keys)) {
    std::string name = "DynamoDBContributorInsights-";
    name.append(kKindNames[static_cast<size_t>(kind)]).append(of);
    const uint16_t index_id = index == nullptr ? model::kBaseIndex : index->id;
    rules.push_back({std::move(name), kind, table.id, index_id, keys, insights->began_ms});
  }
  return rules;
}

std::vector<InsightRule> insight_rules(const TableInfo& table, int64_t now_ms) {
  std::vector<InsightRule> rules = insight_rules(table, nullptr, now_ms);
  for (const IndexInfo& index : table.indexes) {
    if (!index.is_global_secondary()) continue;
    for (InsightRule& rule : insight_rules(table, &index, now_ms)) rules.push_back(std::move(rule));
  }
  return rules;
}

size_t insight_rule_count(const std::optional<Insights>& insights, const model::KeySchema& keys) {
  return insights ? kinds_of(*insights, keys).size() : 0;
}

}  // namespace partita::table
