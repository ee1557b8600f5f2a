#include "dax/cached_writes.h"

#include <memory>
#include <new>
#include <span>

#include "model/item_codec.h"
#include "table/open/database.h"

namespace partita::dax {

namespace {

using Kind = api::WriteAction::Kind;

std::span<const table::BoundWrite> writes_of(const table::WritePlan& plan) { return {&plan.write, 1}; }
std::span<const table::BoundWrite> writes_of(const table::WritesPlan& plan) { return plan.writes; }

// The item that the write has left in the store.
CachedItem item_after(const table::BoundWrite& write, const api::Written& written) {
  if (write.action->kind == Kind::kPut) {
    return std::make_shared<const StoredItem>(StoredItem{write.action->item, write.put_bytes});
  }
  if (write.action->kind == Kind::kDelete || !written.after) return nullptr;
  StoredItem item{model::encode_item(*written.after), 0};
  item.item_size = *model::encoded_item_size(item.bytes);
  return std::make_shared<const StoredItem>(std::move(item));
}

void keep(ItemCache::Write& entry, const table::BoundWrite& write, const api::Written& written, int64_t now_ns) {
  try {
    entry.wrote(item_after(write, written), now_ns);
  } catch (const std::bad_alloc&) {
    return;  // the write is done all the same; its end drops the entry
  }
}

// What becomes of the entries after a success.

void settle(std::vector<ItemCache::Write>& entries, const table::WritePlan& plan, const api::WriteReply& reply,
            int64_t now_ns) {
  keep(entries.front(), plan.write, reply.written, now_ns);
}

// A transaction's reply has no items, so its entries are dropped.
void settle(std::vector<ItemCache::Write>& entries, const table::WritesPlan& plan, const api::WritesReply& reply,
            int64_t now_ns) {
  if (plan.transaction != nullptr) {
    for (ItemCache::Write& entry : entries) entry.wrote();
    return;
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    if (i < reply.written.size() && !reply.written[i].consumed.table.empty()) {
      keep(entries[i], plan.writes[i], reply.written[i], now_ns);
    } else {
      entries[i].failed();
    }
  }
}

// Whether it is certain that nothing was written. A batch may have written some of its items before it failed.
bool changed_nothing(const table::WritePlan& /*plan*/, const Error& error) {
  return error.kind() == ErrorKind::kInvalid || error.kind() == ErrorKind::kConflict;
}
bool changed_nothing(const table::WritesPlan& plan, const Error& error) {
  return plan.transaction != nullptr && (error.kind() == ErrorKind::kInvalid || error.kind() == ErrorKind::kConflict);
}

}  // namespace

template <class RequestOf, class PlanOf, class ReplyOf>
Result<void> CachedWriteOf<RequestOf, PlanOf, ReplyOf>::prepare(const ops::Context& context,
                                                                ops::RequestAuthorizer& checker) {
  context_ = &context;
  writes_.clear();
  auto tables = ops::find_tables(request_, context);
  if (!tables.ok()) return std::move(tables).error();
  auto plan = table::bind(request_, std::move(tables).value());
  if (!plan.ok()) return std::move(plan).error();
  plan_.emplace(std::move(plan).value());
  PARTITA_TRY_VOID(table::admit(*plan_, checker));
  if (caches_ == nullptr) return {};
  for (const table::BoundWrite& write : writes_of(*plan_)) {
    if (write.action->kind == Kind::kCheck) continue;  // it changes nothing
    writes_.push_back(caches_->items().begin_write(cache_key(context, *write.table, write.key.bytes)));
  }
  return {};
}

template <class RequestOf, class PlanOf, class ReplyOf>
Result<void> CachedWriteOf<RequestOf, PlanOf, ReplyOf>::finish(ops::RequestAuthorizer& checker) {
  Result<ReplyOf> reply = running_.finish();
  if (!reply.ok()) {
    if (changed_nothing(*plan_, reply.error())) {
      for (ItemCache::Write& write : writes_) write.failed();
    }
    writes_.clear();
    if constexpr (requires { table::charge_refused(*plan_, reply.error(), checker); }) {
      table::charge_refused(*plan_, reply.error(), checker);
    }
    return std::move(reply).error();
  }
  reply_.emplace(std::move(reply).value());
  if (!writes_.empty()) settle(writes_, *plan_, *reply_, cache_time_ns(*context_));
  writes_.clear();
  table::charge(*plan_, *reply_, checker);
  return {};
}

template class CachedWriteOf<api::WriteRequest, table::WritePlan, api::WriteReply>;
template class CachedWriteOf<api::BatchWriteRequest, table::WritesPlan, api::WritesReply>;
template class CachedWriteOf<api::TransactWriteRequest, table::WritesPlan, api::WritesReply>;

}  // namespace partita::dax
