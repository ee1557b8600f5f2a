#include "table/control/insights.h"

#include <algorithm>
#include <tuple>

#include "base/bytes.h"
#include "model/fault.h"
#include "table/control/insight_rules.h"

namespace partita::table {

namespace {

using model::Fault;
using model::refuse;

api::InsightsStatus status_of(const std::optional<Insights>& insights, int64_t now_ms) {
  if (!insights) return api::InsightsStatus::kDisabled;
  const bool settled = is_due(insights->changed_ms, now_ms);
  if (insights->enabled && insights->failed && settled) return api::InsightsStatus::kFailed;
  if (insights->enabled) return settled ? api::InsightsStatus::kEnabled : api::InsightsStatus::kEnabling;
  return settled ? api::InsightsStatus::kDisabled : api::InsightsStatus::kDisabling;
}

api::InsightsState state_of(const TableInfo& table, const IndexInfo* index, int64_t now_ms) {
  api::InsightsState state;
  state.table = table.name;
  if (index != nullptr) state.index = index->name;
  const std::optional<Insights>& insights = index == nullptr ? table.insights : index->insights;
  state.status = status_of(insights, now_ms);
  if (!insights) return state;
  state.configured = true;
  state.throttled_only = insights->throttled_only;
  state.changed_ms = insights->changed_ms;
  // As measured: the failure is still shown while it is disabled, but not while it is enabled again.
  state.failed = insights->failed &&
                 (state.status == api::InsightsStatus::kFailed || state.status == api::InsightsStatus::kDisabling);
  if (state.status == api::InsightsStatus::kEnabled) {
    for (InsightRule& rule : insight_rules(table, index, now_ms)) state.rules.push_back(std::move(rule.name));
  }
  return state;
}

// DynamoDB looks at the length and leaves the rest to the search.
Result<void> check_index_name(const std::optional<std::string>& index) {
  constexpr size_t kLeast = 3;
  constexpr size_t kMost = 255;
  const size_t length = index ? utf16_length(*index) : kLeast;
  if (length < kLeast || length > kMost) return refuse(Fault::kIndexNameLength);
  return {};
}

// Null for the table itself.
Result<const IndexInfo*> named_index(const TableInfo& table, const std::optional<std::string>& name) {
  if (!name) return nullptr;
  const IndexInfo* index = table.find_index(*name);
  if (index == nullptr || !index->is_global_secondary())
    return refuse(Fault::kInsightsIndexNotFound, {*name, table.name});
  return index;
}

Task<Result<Table>> found_table(TableContext& context, const std::string& name) {
  PARTITA_CO_TRY(Table table, co_await context.newest_table(name));
  if (table == nullptr) {
    std::vector<std::string> args{name};
    co_return refuse(Fault::kTableNotFound, std::move(args));
  }
  co_return table;
}

// The rules of all tables and indexes but the one that the request is about.
size_t other_rules(TableContext& context, const api::UpdateInsightsRequest& request) {
  size_t rules = 0;
  for (const Table& table : context.catalog().all()) {
    const bool same = table->name == request.name;
    if (!same || request.index) rules += insight_rule_count(table->insights, table->keys);
    for (const IndexInfo& index : table->indexes) {
      if (!same || request.index != index.name) rules += insight_rule_count(index.insights, index.keys);
    }
  }
  return rules;
}

// `others`: as other_rules().
Result<void> change_insights(TableInfo& table, const api::UpdateInsightsRequest& request, size_t others, int64_t now_ms,
                             int64_t due_ms) {
  PARTITA_TRY(const IndexInfo* found, named_index(table, request.index));
  if (found != nullptr && found->status != Status::kActive) return refuse(Fault::kInsightsIndexBusy);
  auto& insights = found == nullptr ? table.insights : table.find_index(found->name)->insights;
  const bool enabled = insights && insights->enabled;
  if (!request.enable) {
    if (enabled) insights->enabled = false, insights->changed_ms = due_ms;
    return {};
  }
  const bool works = enabled && !insights->failed;
  if (works && insights->throttled_only == request.throttled_only) return {};
  // Rules of throttled keys stay when the mode changes, so their names do.
  insights = Insights{true, request.throttled_only, works ? insights->began_ms : now_ms, due_ms, false};
  const model::KeySchema& keys = found == nullptr ? table.keys : found->keys;
  insights->failed = others + insight_rule_count(insights, keys) > kMostInsightRules;
  return {};
}

std::string token_of(const api::InsightsState& state) {
  return state.index.empty() ? state.table : state.table + "/" + state.index;
}

void add_states(const TableInfo& table, int64_t now_ms, std::vector<api::InsightsState>& states) {
  const size_t first = states.size();
  states.push_back(state_of(table, nullptr, now_ms));
  for (const IndexInfo& index : table.indexes) {
    if (index.is_global_secondary()) states.push_back(state_of(table, &index, now_ms));
  }
  std::ranges::sort(states.begin() + static_cast<ptrdiff_t>(first), states.end(), {}, &api::InsightsState::index);
}

}  // namespace

Task<Result<api::InsightsState>> update_insights(TableContext& context, const api::UpdateInsightsRequest& request) {
  PARTITA_CO_TRY_VOID(check_index_name(request.index));
  PARTITA_CO_TRY(Table table, co_await found_table(context, request.name));
  const int64_t now_ms = context.clock().now_ms();
  const int64_t due_ms = now_ms + context.options().updating_ms;
  PARTITA_CO_TRY_VOID(co_await context.catalog().look_again());
  const size_t others = other_rules(context, request);
  const Catalog::Change change = [&](TableInfo& info) {
    return change_insights(info, request, others, now_ms, due_ms);
  };
  TableInfo wanted = *table;
  PARTITA_CO_TRY_VOID(change(wanted));
  PARTITA_CO_TRY(const IndexInfo* before, named_index(*table, request.index));
  PARTITA_CO_TRY(const IndexInfo* after, named_index(wanted, request.index));
  const bool same = before == nullptr ? table->insights == wanted.insights : before->insights == after->insights;
  if (!same) {
    PARTITA_CO_TRY(table, co_await context.catalog().change(request.name, change));
  }
  PARTITA_CO_TRY(const IndexInfo* index, named_index(*table, request.index));
  co_return state_of(*table, index, now_ms);
}

Task<Result<api::InsightsState>> describe_insights(TableContext& context,
                                                   const api::DescribeInsightsRequest& question) {
  PARTITA_CO_TRY_VOID(check_index_name(question.index));
  PARTITA_CO_TRY(const Table table, co_await found_table(context, question.name));
  PARTITA_CO_TRY(const IndexInfo* index, named_index(*table, question.index));
  co_return state_of(*table, index, context.clock().now_ms());
}

Task<Result<api::ListInsightsReply>> list_insights(TableContext& context, const api::ListInsightsRequest& listing) {
  const int64_t now_ms = context.clock().now_ms();
  std::vector<Table> tables;
  if (listing.name.empty()) {
    PARTITA_CO_TRY_VOID(co_await context.catalog().look_again());
    tables = context.catalog().all();
  } else {
    PARTITA_CO_TRY(Table table, co_await found_table(context, listing.name));
    tables.push_back(std::move(table));
  }
  std::vector<api::InsightsState> states;
  for (const Table& table : tables) add_states(*table, now_ms, states);
  // No name has a slash, which sorts behind a dot and a hyphen: names are compared part by part.
  const size_t slash = listing.after.find('/');
  const std::string table = listing.after.substr(0, slash);
  const std::string index = slash == std::string::npos ? "" : listing.after.substr(slash + 1);
  std::erase_if(states, [&](const api::InsightsState& state) {
    const bool listed = !listing.after.empty() && std::tie(state.table, state.index) <= std::tie(table, index);
    return listed || state.status == api::InsightsStatus::kDisabled;
  });
  api::ListInsightsReply page;
  if (states.size() > listing.limit) {
    states.resize(listing.limit);
    page.last = token_of(states.back());
  }
  page.states = std::move(states);
  co_return page;
}

}  // namespace partita::table
