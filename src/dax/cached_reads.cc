#include "dax/cached_reads.h"

#include <algorithm>
#include <string>
#include <variant>

#include "expr/projection.h"
#include "model/item_codec.h"
#include "model/limits.h"
#include "table/open/database.h"

namespace partita::dax {

namespace {

// Authorises as the checker of the request does, but needs no capacity.
class UnpaidAccess final : public table::AccessChecker {
 public:
  explicit UnpaidAccess(ops::RequestAuthorizer& checker) : checker_(checker) {}
  Result<void> admit(const table::Access& access) override { return checker_.admit(access); }
  void charge(const table::Access& /*access*/, const api::ConsumedCapacity& /*consumed*/) override {}

 private:
  ops::RequestAuthorizer& checker_;
};

// Reserves the capacity of what was authorised before.
class PaidAccess final : public table::AccessChecker {
 public:
  explicit PaidAccess(ops::RequestAuthorizer& checker) : checker_(checker) {}
  Result<void> admit(const table::Access& /*access*/) override { return {}; }
  Result<void> reserve(const table::Access& access, model::HalfUnits least) override {
    return checker_.reserve(access, least);
  }
  void charge(const table::Access& /*access*/, const api::ConsumedCapacity& /*consumed*/) override {}

 private:
  ops::RequestAuthorizer& checker_;
};

// Takes the stored item out of what was read whole.
CachedItem taken(api::ReadItem& read) {
  if (!read.item) return nullptr;
  return std::make_shared<const StoredItem>(StoredItem{std::get<std::string>(std::move(*read.item)), read.bytes});
}

}  // namespace

// --- GetItem

Result<void> CachedGet::prepare(const ops::Context& context, ops::RequestAuthorizer& checker) {
  context_ = &context;
  item_ = nullptr;
  fill_.reset();
  reply_.reset();
  PARTITA_TRY(table::Table table, ops::find_table(request_.table, context));
  PARTITA_TRY(plan_, table::bind(request_, std::move(table)));
  if (request_.consistent) return table::admit(*plan_, checker);
  // First, so that refused callers neither count nor keep entries in the cache.
  UnpaidAccess unpaid(checker);
  PARTITA_TRY_VOID(table::admit(*plan_, unpaid));
  const CacheKey key = cache_key(context, *plan_->table, plan_->key.bytes);
  auto found = items_.find(key, cache_time_ns(context));
  if (!found) {
    fill_.emplace(items_.begin_fill(key));
    PaidAccess paid(checker);
    return table::admit(*plan_, paid);
  }
  item_ = *std::move(found);
  reply_.emplace();
  return {};
}

bool CachedGet::start(table::Database& database, std::coroutine_handle<> awaiter) {
  if (reply_) return false;
  if (fill_) plan_->request = &whole_;
  return running_.start(table::run(database, *plan_), awaiter);
}

Result<void> CachedGet::finish(ops::RequestAuthorizer& checker) {
  if (!reply_) {
    Result<api::GetReply> reply = running_.finish();
    plan_->request = &request_;
    if (!reply.ok()) return std::move(reply).error();
    table::charge(*plan_, *reply, checker);
    reply_.emplace(std::move(reply).value());
    if (!fill_) return {};
    item_ = taken(reply_->read);
    fill_->fill(item_, cache_time_ns(*context_));
    fill_.reset();
  }
  if (item_ == nullptr) return {};
  reply_->read.bytes = item_->item_size;
  if (!request_.projection) {
    reply_->read.item = std::string_view(item_->bytes);
    return {};
  }
  PARTITA_TRY(const model::Item whole, model::decode_item(item_->bytes));
  reply_->read.item = expr::project(*request_.projection, whole);
  return {};
}

// --- BatchGetItem

// Of a batch that was authorised and whose hits need no capacity.
class CachedBatchGet::Admission final : public table::AccessChecker {
 public:
  Admission(ops::RequestAuthorizer& checker, const CachedBatchGet& batch) : checker_(checker) {
    for (size_t i = 0; i < batch.parts_.size(); ++i) {
      const auto& keys = batch.request_.parts[i].keys;
      for (const auto& [position, item] : batch.parts_[i].hits) hits_.push_back(&keys[position]);
    }
    std::ranges::sort(hits_);
  }
  Result<void> admit(const table::Access& /*access*/) override { return {}; }
  Result<void> reserve(const table::Access& access, model::HalfUnits least) override {
    return std::ranges::binary_search(hits_, access.item) ? Result<void>() : checker_.reserve(access, least);
  }
  void charge(const table::Access& /*access*/, const api::ConsumedCapacity& /*consumed*/) override {}

 private:
  ops::RequestAuthorizer& checker_;
  std::vector<const model::Item*> hits_;
};

Result<void> CachedBatchGet::prepare(const ops::Context& context, ops::RequestAuthorizer& checker) {
  context_ = &context;
  checker_ = &checker;
  parts_.clear();
  whole_.clear();
  auto tables = ops::find_tables(request_, context);
  PARTITA_TRY(plan_, table::bind(request_, std::move(tables).value()));
  UnpaidAccess unpaid(checker);
  PARTITA_TRY_VOID(table::admit(*plan_, unpaid));
  for (size_t i = 0; i < request_.parts.size(); ++i) {
    whole_.push_back({request_.parts[i].table, {}, {}, false});
    parts_.emplace_back();
    if (!request_.parts[i].consistent) look_up(plan_->reads[i], parts_[i]);
  }
  Admission admission(checker, *this);
  PARTITA_TRY_VOID(table::admit(*plan_, admission));
  leave_out_hits();
  return {};
}

void CachedBatchGet::look_up(const table::BatchGetPlan::Read& read, Part& part) {
  const int64_t now_ns = cache_time_ns(*context_);
  for (size_t i = 0; i < read.which.size(); ++i) {
    const CacheKey key = cache_key(*context_, *read.table, read.keys[i].bytes);
    if (auto found = items_.find(key, now_ns)) {
      part.hits.emplace_back(read.which[i], *std::move(found));
    } else {
      part.fills.emplace_back(read.which[i], items_.begin_fill(key));
    }
  }
}

void CachedBatchGet::leave_out_hits() {
  for (size_t i = 0; i < parts_.size(); ++i) {
    table::BatchGetPlan::Read& read = plan_->reads[i];
    const auto& hits = parts_[i].hits;
    size_t kept = 0;
    for (size_t k = 0; k < read.which.size(); ++k) {
      if (std::ranges::binary_search(hits, read.which[k], {}, [](const auto& hit) { return hit.first; })) continue;
      read.which[kept] = read.which[k];
      if (kept != k) read.keys[kept] = std::move(read.keys[k]);
      ++kept;
    }
    read.which.resize(kept);
    read.keys.erase(read.keys.begin() + static_cast<ptrdiff_t>(kept), read.keys.end());
  }
}

bool CachedBatchGet::start(table::Database& database, std::coroutine_handle<> awaiter) {
  return running_.start(read(database), awaiter);
}

Result<void> CachedBatchGet::finish(ops::RequestAuthorizer& /*checker*/) {
  Result<api::BatchGetReply> reply = running_.finish();
  if (!reply.ok()) return std::move(reply).error();
  reply_.emplace(std::move(reply).value());
  return {};
}

Task<Result<api::BatchGetReply>> CachedBatchGet::read(table::Database& database) {
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (!request_.parts[i].consistent) plan_->reads[i].part = &whole_[i];
  }
  PARTITA_CO_TRY(api::BatchGetReply reply, co_await table::run(database, *plan_));
  size_t bytes = 0;
  for (size_t i = 0; i < parts_.size(); ++i) {
    plan_->reads[i].part = &request_.parts[i];
    for (const api::ReadItem& item : reply.parts[i].items) bytes += item.bytes;
  }
  table::charge(*plan_, reply, *checker_);
  table::TreesKept trees;
  YieldBudget budget(YieldBudget::Start::kBegun);
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (request_.parts[i].consistent) continue;
    if (plan_->reads[i].keys.empty()) reply.parts[i].consumed = {};
    PARTITA_CO_TRY_VOID(co_await complete(i, reply.parts[i], bytes, trees, budget));
  }
  parts_.clear();
  co_return reply;
}

Task<Result<void>> CachedBatchGet::complete(size_t part, api::BatchGetReply::Part& answer, size_t& bytes,
                                            table::TreesKept& trees, YieldBudget& budget) {
  std::vector<std::pair<size_t, CachedItem>> found;
  for (auto& hit : parts_[part].hits) {
    const size_t size = hit.second == nullptr ? 0 : hit.second->item_size;
    if (bytes > 0 && bytes + size > model::kMaxBatchGetBytes) {
      answer.unprocessed.push_back(hit.first);
      continue;
    }
    bytes += size;
    found.push_back(std::move(hit));
  }
  std::ranges::sort(answer.unprocessed);
  auto& fills = parts_[part].fills;
  for (size_t k = 0; k < answer.items.size(); ++k) {
    const size_t position = plan_->reads[part].which[k];
    CachedItem item = taken(answer.items[k]);
    const auto fill = std::ranges::find(fills, position, &std::pair<size_t, ItemCache::Fill>::first);
    fill->second.fill(item, cache_time_ns(*context_));
    found.emplace_back(position, std::move(item));
  }
  std::ranges::sort(found, {}, &std::pair<size_t, CachedItem>::first);
  answer.items.clear();
  for (auto& [position, item] : found) {
    if (budget.is_spent()) co_await budget.yield();
    budget.spend(item == nullptr ? 0 : item->bytes.size());
    PARTITA_CO_TRY(api::ReadItem one, shown(part, std::move(item), trees));
    answer.items.push_back(std::move(one));
  }
  co_return Result<void>();
}

Result<api::ReadItem> CachedBatchGet::shown(size_t part, CachedItem item, table::TreesKept& trees) {
  api::ReadItem one;
  if (item == nullptr) return one;
  one.bytes = item->item_size;
  const auto& projection = request_.parts[part].projection;
  if (projection) {
    PARTITA_TRY(const model::Item whole, model::decode_item(item->bytes));
    one.item = trees.keep(expr::project(*projection, whole), item->bytes.size());
  } else {
    one.item = std::string_view(item->bytes);
    owners_.push_back(std::move(item));
  }
  return one;
}

// --- Query and Scan

// Clients that always send a Select mean another one by the same bytes: see wire::dax::Decoding.
CacheKey CachedRange::key() const {
  return cache_key(*context_, *plan_->table, arguments_, static_cast<uint8_t>(request_.select));
}

Result<void> CachedRange::prepare(const ops::Context& context, ops::RequestAuthorizer& checker) {
  context_ = &context;
  page_ = nullptr;
  reply_.reset();
  PARTITA_TRY(table::Table table, ops::find_table(request_.table, context));
  PARTITA_TRY(plan_, table::bind(request_, std::move(table)));
  if (request_.consistent) return table::admit(*plan_, checker);
  UnpaidAccess unpaid(checker);
  PARTITA_TRY_VOID(table::admit(*plan_, unpaid));
  page_ = queries_.find(key(), cache_time_ns(context));
  if (page_ != nullptr) return {};
  PaidAccess paid(checker);
  return table::admit(*plan_, paid);
}

bool CachedRange::start(table::Database& database, std::coroutine_handle<> awaiter) {
  return page_ == nullptr && running_.start(table::run(database, *plan_), awaiter);
}

Result<void> CachedRange::finish(ops::RequestAuthorizer& checker) {
  if (page_ != nullptr) {
    reply_.emplace(reply_of(page_));
    checker.returned(reply_->count);
    return {};
  }
  Result<api::RangeReply> reply = running_.finish();
  if (!reply.ok()) return std::move(reply).error();
  reply_.emplace(std::move(reply).value());
  checker.returned(reply_->count);
  table::charge(*plan_, *reply_, checker);
  if (!request_.consistent) {
    queries_.put(key(), *reply_, cache_time_ns(*context_));
  }
  return {};
}

}  // namespace partita::dax
