#include "table/items/read.h"

#include <algorithm>
#include <set>

#include "base/yield_budget.h"
#include "model/fault.h"
#include "model/item_codec.h"
#include "model/limits.h"
#include "table/rows/vector_rows.h"

namespace partita::table {

namespace {

// How many keys of a batch to read next, after so many that held so much: about a piece.
size_t at_once(size_t before, size_t bytes) {
  constexpr size_t kMost = 25;  // what is read beyond 16 MB is thrown away
  return std::clamp<size_t>(YieldBudget::kBytes * before / std::max<size_t>(bytes, 1), 1, kMost);
}

Access access_of(const TableInfo& table, const model::Item& key, const storage::Key& row,
                 const std::optional<expr::Projection>& projection) {
  Access access;
  access.verb = Verb::kGet;
  access.name = table.name;
  access.table = &table;
  access.item = &key;
  access.position = row_position(row);
  access.projection = projection ? &*projection : nullptr;
  access.select = projection ? api::Select::kSpecific : api::Select::kAllAttributes;
  return access;
}

Access access_of(const GetPlan& plan) {
  return access_of(*plan.table, plan.request->key, plan.key, plan.request->projection);
}

// Of the key at `i` among those that are read.
Access access_of(const BatchGetPlan::Read& read, size_t i) {
  return access_of(*read.table, read.part->keys[read.which[i]], read.keys[i], read.part->projection);
}

Result<BatchGetPlan::Read> bind_part(const api::BatchGetRequest::Part& part, Table table) {
  BatchGetPlan::Read read{std::move(table), &part, {}, {}, {}};
  if (part.projection) PARTITA_TRY_VOID(check_scalar_keys(*read.table, part.projection->nested_attributes()));
  std::set<std::string> seen;
  for (size_t i = 0; i < part.keys.size(); ++i) {
    PARTITA_TRY_VOID(check_key(*read.table, part.keys[i]));
    storage::Key key = item_key(*read.table, part.keys[i]);
    if (!seen.insert(key.bytes).second) continue;  // 1000 and 1e3
    read.which.push_back(i);
    read.keys.push_back(std::move(key));
  }
  return read;
}

// Leaves out the keys without capacity. `refusal`: the first error of one, if there is none yet.
Result<void> reserve(BatchGetPlan::Read& read, AccessChecker& checker, std::optional<Error>& refusal) {
  const model::HalfUnits least = model::read_half_units(0, read.part->consistent);
  size_t kept = 0;
  for (size_t i = 0; i < read.which.size(); ++i) {
    auto reserved = checker.reserve(access_of(read, i), least);
    const size_t which = read.which[i];
    if (reserved.ok()) {
      read.which[kept] = which;
      if (kept != i) read.keys[kept] = std::move(read.keys[i]);
      ++kept;
      continue;
    }
    if (!is_throttled(reserved.error())) return reserved;
    read.refused.push_back(which);
    if (!refusal) refusal = std::move(reserved).error();
  }
  read.which.resize(kept);
  read.keys.erase(read.keys.begin() + static_cast<ptrdiff_t>(kept), read.keys.end());
  return {};
}

}  // namespace

Result<GetPlan> bind(const api::GetRequest& request, Table table) {
  if (request.projection) PARTITA_TRY_VOID(check_scalar_keys(*table, request.projection->nested_attributes()));
  PARTITA_TRY_VOID(check_key(*table, request.key));
  storage::Key key = item_key(*table, request.key);
  return GetPlan{std::move(table), &request, std::move(key)};
}

Result<void> admit(const GetPlan& plan, AccessChecker& checker) {
  return checker.admit_and_reserve(access_of(plan), model::read_half_units(0, plan.request->consistent));
}

Task<Result<api::GetReply>> run(TableContext& context, const GetPlan& plan) {
  auto read = co_await context.engine().read(std::span(&plan.key, 1));
  if (!read.ok()) co_return std::move(read).error();
  api::GetReply outcome;
  if (std::optional<storage::Record>& record = read->front()) {
    TreesKept trees;
    PARTITA_CO_TRY(outcome.read, found_item(*plan.table, std::move(record->value), plan.request->projection, trees));
  }
  outcome.consumed = read_charge(*plan.table, std::span(&outcome.read, 1), plan.request->consistent);
  co_return outcome;
}

void charge(const GetPlan& plan, const api::GetReply& outcome, AccessChecker& checker) {
  if (!checker.charge_usual(*plan.table, outcome.consumed)) checker.charge(access_of(plan), outcome.consumed);
}

api::FoundItem TreesKept::keep(model::Item item, size_t stored_bytes) {
  if (stored_bytes > left_) return model::encode_item(item);
  left_ -= stored_bytes;
  return item;
}

Result<api::ReadItem> found_item(const TableInfo& table, std::string stored,
                                 const std::optional<expr::Projection>& projection, TreesKept& trees) {
  api::ReadItem found;
  PARTITA_TRY(found.bytes, model::encoded_item_size(stored));
  found.charged = found.bytes;
  if (!table.indexes.empty()) {
    PARTITA_TRY(found.charged, charged_bytes(table, stored, found.bytes));
  }
  if (!projection) {
    found.item = std::move(stored);
    return found;
  }
  PARTITA_TRY(const model::Item whole, model::decode_item(stored));
  found.item = trees.keep(expr::project(*projection, whole), stored.size());
  return found;
}

Result<BatchGetPlan> bind(const api::BatchGetRequest& request, std::vector<Result<Table>> tables) {
  BatchGetPlan plan;
  for (size_t i = 0; i < request.parts.size(); ++i) {
    PARTITA_TRY(Table table, std::move(tables[i]));
    PARTITA_TRY(BatchGetPlan::Read read, bind_part(request.parts[i], std::move(table)));
    plan.reads.push_back(std::move(read));
  }
  if (plan.reads.size() < 2) return plan;
  std::set<std::string_view> seen;  // a name and an ARN may be of one table
  for (const auto& read : plan.reads) {
    for (const auto& key : read.keys) {
      if (!seen.insert(key.bytes).second) return model::refuse(model::Fault::kBatchDuplicateKeys);
    }
  }
  return plan;
}

Result<void> admit(BatchGetPlan& plan, AccessChecker& checker) {
  for (const auto& read : plan.reads) {
    for (size_t i = 0; i < read.which.size(); ++i) PARTITA_TRY_VOID(checker.admit(access_of(read, i)));
  }
  std::optional<Error> refusal;
  bool any = false;
  for (auto& read : plan.reads) {
    PARTITA_TRY_VOID(reserve(read, checker, refusal));
    any = any || !read.which.empty();
  }
  if (refusal && !any) return *std::move(refusal);
  return {};
}

Task<Result<api::BatchGetReply>> run(TableContext& context, const BatchGetPlan& plan) {
  api::BatchGetReply outcome;
  size_t bytes = 0;
  bool full = false;
  YieldBudget budget;
  TreesKept trees;
  size_t looked_at = 0;
  for (const auto& read : plan.reads) {
    api::BatchGetReply::Part answer;
    for (size_t begin = 0; begin < read.keys.size() && !full;) {
      const auto keys =
          std::span(read.keys).subspan(begin).first(std::min(read.keys.size() - begin, at_once(looked_at, bytes)));
      begin += keys.size();
      looked_at += keys.size();
      if (budget.is_spent()) co_await budget.yield();
      auto records = co_await context.engine().read(keys);
      if (!records.ok()) co_return std::move(records).error();
      for (std::optional<storage::Record>& record : *records) {
        api::ReadItem item;
        if (record) {
          PARTITA_CO_TRY(item, found_item(*read.table, std::move(record->value), read.part->projection, trees));
        }
        full = full || (bytes > 0 && bytes + item.bytes > model::kMaxBatchGetBytes);
        if (full) break;
        bytes += item.bytes;
        budget.spend(item.bytes);
        answer.items.push_back(std::move(item));
      }
    }
    answer.unprocessed.assign(read.which.begin() + static_cast<ptrdiff_t>(answer.items.size()), read.which.end());
    answer.unprocessed.insert(answer.unprocessed.end(), read.refused.begin(), read.refused.end());
    std::ranges::sort(answer.unprocessed);
    answer.consumed = read_charge(*read.table, answer.items, read.part->consistent);
    outcome.parts.push_back(std::move(answer));
  }
  co_return outcome;
}

void charge(const BatchGetPlan& plan, const api::BatchGetReply& outcome, AccessChecker& checker) {
  for (size_t i = 0; i < plan.reads.size(); ++i) {
    const BatchGetPlan::Read& read = plan.reads[i];
    const auto& items = outcome.parts[i].items;
    for (size_t k = 0; k < items.size(); ++k) {
      checker.charge(access_of(read, k), read_charge(*read.table, std::span(&items[k], 1), read.part->consistent));
    }
  }
}

api::ConsumedCapacity read_charge(const TableInfo& table, std::span<const api::ReadItem> items, bool consistent) {
  api::ConsumedCapacity consumed;
  consumed.table = table.name;
  for (const auto& item : items) consumed.base.read += model::read_half_units(item.charged, consistent);
  return consumed;
}

}  // namespace partita::table
