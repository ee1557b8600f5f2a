#include "table/control/policy.h"

#include <algorithm>

#include "base/bytes.h"
#include "model/fault.h"
#include "model/item_codec.h"
#include "storage/range_cursor.h"
#include "storage/ranges.h"
#include "table/rows/stream_rows.h"
#include "table/rows/system_rows.h"

namespace partita::table {

namespace {

using model::AttributeValue;
using model::Fault;
using model::refuse;
using storage::Changes;
using storage::Decision;
using storage::Key;
using storage::Record;

std::string row_of(const StoredPolicy& stored) {
  model::Item item;
  if (stored.policy) {
    item.set("document", AttributeValue::string(stored.policy->document));
    item.set("versioned", AttributeValue::boolean(stored.policy->versioned));
  }
  item.set("revision", AttributeValue::number(model::Number::of(stored.revision)));
  return model::encode_item(item);
}

// Nothing when there never was one.
Result<std::optional<StoredPolicy>> stored_in(const Record* record) {
  if (record == nullptr) return std::optional<StoredPolicy>();
  PARTITA_TRY(const model::Item item, model::decode_item(record->value));
  StoredPolicy stored;
  const auto* revision = item.find("revision");
  const bool numbered = revision != nullptr && revision->is(model::Type::kN) && revision->as_number().to_int64();
  if (!numbered) return Error(ErrorKind::kCorrupt, "a policy's row is damaged");
  stored.revision = *revision->as_number().to_int64();
  if (const auto* document = item.find("document"); document != nullptr && document->is(model::Type::kS)) {
    const auto* versioned = item.find("versioned");
    const bool literal = versioned == nullptr || !versioned->is(model::Type::kBool) || versioned->as_bool();
    stored.policy = ResourcePolicy{document->as_string(), literal};
  }
  return std::optional(std::move(stored));
}

Result<void> check_expected(const std::optional<StoredPolicy>& now, const std::optional<std::string>& expected,
                            const std::string& table) {
  if (!expected) return {};
  const bool there = now && now->policy;
  if (!there && *expected == kNoPolicy) return {};
  if (!there) return refuse(Fault::kPolicyOfRevisionMissing, {*expected, table});
  const std::string revision = std::to_string(now->revision);
  if (*expected != revision) return refuse(Fault::kPolicyOfOtherRevision, {*expected, table, revision});
  return {};
}

// The table that the resource is, or belongs to.
Task<Result<Table>> table_of(TableContext& context, const api::Resource& resource) {
  PARTITA_CO_TRY(Table table, co_await context.idle_table(resource.name));
  if (table == nullptr) {
    std::vector<std::string> args{resource.name};
    co_return refuse(Fault::kTableNotFound, std::move(args));
  }
  const auto is_its = [&](const Table& one) { return resource.stream.empty() || one->stream.label == resource.stream; };
  if (!is_its(table)) {  // or another server has just begun it
    PARTITA_CO_TRY(const Table newest, co_await context.catalog().look_up(resource.name));
    if (newest != nullptr) table = newest;
  }
  if (!is_its(table)) {
    std::vector<std::string> args{resource.stream, resource.name};
    co_return refuse(Fault::kStreamOfTableNotFound, std::move(args));
  }
  co_return table;
}

// Changes the row by a pure function of what it says: what that returns is stored; nothing leaves it as it is.
using PolicyChange = std::function<Result<std::optional<StoredPolicy>>(const std::optional<StoredPolicy>& now)>;
Task<Result<void>> change_row(TableContext& context, const api::Resource& resource, const PolicyChange& change) {
  PARTITA_CO_TRY(Table table, co_await table_of(context, resource));
  while (true) {
    const Key key = policy_key(table->id, resource.stream);
    Result<void> refusal;
    const storage::Decide decide = [&](std::span<const Record* const> found, Changes& changes) {
      refusal = Result<void>();
      auto now = stored_in(found[0]);
      if (!now.ok()) {
        refusal = std::move(now).error();
        return Decision::kRefuse;
      }
      auto next = change(*now);
      if (!next.ok()) refusal = std::move(next).error();
      if (!refusal.ok() || !*next) return Decision::kRefuse;
      put_twice(key, row_of(**next), changes);
      return Decision::kCommit;
    };
    std::vector<Key> keys{key};
    std::vector<storage::Compare> compare{{table_key(table->name), table->version}};
    auto outcome = co_await context.engine().transact(std::move(keys), std::move(compare), decide);
    PARTITA_CO_TRY(const storage::Outcome done, std::move(outcome));
    if (done != storage::Outcome::kStale) co_return refusal;
    PARTITA_CO_TRY_VOID(co_await context.catalog().look_up(resource.name));
    PARTITA_CO_TRY(table, co_await table_of(context, resource));
  }
}

int64_t next_revision(const TableContext& context, const std::optional<StoredPolicy>& now) {
  return std::max(context.clock().now_ms(), now ? now->revision + 1 : 0);
}

}  // namespace

Key policy_key(uint32_t table_id, std::string_view stream) {
  std::string rest;
  append_u32(rest, table_id);
  rest += stream;
  return system_key(SystemRow::kPolicy, rest);
}

Task<Result<Owner>> owner_of(TableContext& context, std::string name, std::string_view stream) {
  Owner owner;
  owner.table = context.catalog().find(name);
  if (owner.table == nullptr || context.is_late()) {
    PARTITA_CO_TRY(owner.table, co_await context.catalog().look_up(name));
  }
  if (owner.table != nullptr) owner.id = owner.table->id;
  if (stream.empty() || (owner.table != nullptr && owner.table->stream.label == stream)) co_return owner;
  const std::vector<Key> keys{stream_row_key(name, stream)};
  auto read = co_await context.engine().read(keys);
  PARTITA_CO_TRY(const auto records, std::move(read));
  if (!records[0]) co_return owner;
  PARTITA_CO_TRY(const StreamRow row, decode_stream_row(records[0]->value));
  if (owner.id != row.table_id) owner = {nullptr, row.table_id};
  co_return owner;
}

storage::Range policy_rows(uint32_t table_id) { return storage::range_of(policy_key(table_id, {}).bytes); }

void put_first_policy(const TableInfo& table, const ResourcePolicy& policy, Changes& changes) {
  put_twice(policy_key(table.id, {}), row_of({policy, table.created_ms}), changes);
}

Task<Result<std::string>> put_policy(TableContext& context, const api::Resource& resource, const ResourcePolicy& policy,
                                     const std::optional<std::string>& expected) {
  int64_t revision = 0;
  const PolicyChange change = [&](const auto& now) -> Result<std::optional<StoredPolicy>> {
    PARTITA_TRY_VOID(check_expected(now, expected, resource.name));
    const bool same = now && now->policy == policy;
    revision = same ? now->revision : next_revision(context, now);
    if (same) return std::optional<StoredPolicy>();
    return std::optional(StoredPolicy{policy, revision});
  };
  PARTITA_CO_TRY_VOID(co_await change_row(context, resource, change));
  co_return std::to_string(revision);
}

Task<Result<StoredPolicy>> get_policy(TableContext& context, const api::Resource& resource) {
  auto table = co_await table_of(context, resource);
  uint32_t id = 0;
  if (table.ok()) {
    id = (*table)->id;
  } else {
    if (resource.stream.empty() || table.error().kind() != ErrorKind::kInvalid) co_return std::move(table).error();
    // Measured: a stream that outlives its table has its policy, or none.
    PARTITA_CO_TRY(const Owner owner, co_await owner_of(context, resource.name, resource.stream));
    if (owner.id == 0 || owner.table != nullptr) co_return std::move(table).error();
    id = owner.id;
  }
  const std::vector<Key> keys{policy_key(id, resource.stream)};
  auto read = co_await context.engine().read(keys);
  PARTITA_CO_TRY(const auto records, std::move(read));
  PARTITA_CO_TRY(auto stored, stored_in(records[0] ? &*records[0] : nullptr));
  if (!stored || !stored->policy) {
    std::vector<std::string> args{resource.arn};
    co_return refuse(Fault::kPolicyNotFound, std::move(args));
  }
  co_return std::move(*stored);
}

Task<Result<std::optional<std::string>>> drop_policy(TableContext& context, const api::Resource& resource,
                                                     const std::optional<std::string>& expected) {
  std::optional<std::string> revision;
  const PolicyChange change = [&](const auto& now) -> Result<std::optional<StoredPolicy>> {
    PARTITA_TRY_VOID(check_expected(now, expected, resource.name));
    revision.reset();
    if (now) revision = std::to_string(now->revision);
    if (!now || !now->policy) return std::optional<StoredPolicy>();
    return std::optional(StoredPolicy{std::nullopt, next_revision(context, now)});
  };
  PARTITA_CO_TRY_VOID(co_await change_row(context, resource, change));
  co_return revision;
}

Task<Result<std::vector<PolicyOf>>> policies_of(TableContext& context, uint32_t table_id) {
  constexpr size_t kAtOnce = 64;
  constexpr size_t kBytesAtOnce = size_t{1} << 20;
  std::vector<PolicyOf> found;
  const size_t before = policy_key(table_id, {}).bytes.size();
  storage::Range range = policy_rows(table_id);
  for (bool more = true; more;) {
    auto read = co_await context.engine().scan(range, storage::Direction::kAscending, kAtOnce, kBytesAtOnce);
    PARTITA_CO_TRY(const storage::Page page, std::move(read));
    for (size_t i = 0; i < page.size(); ++i) {
      const Record record{std::string(page[i].value), {}};
      PARTITA_CO_TRY(auto stored, stored_in(&record));
      if (!stored->policy) continue;
      found.push_back({std::string(page[i].key.substr(before)), std::move(stored->policy->document)});
    }
    more = storage::advance(range, page);
  }
  co_return found;
}

Task<Result<std::vector<uint32_t>>> tables_with_policies(TableContext& context) {
  const size_t before = system_key(SystemRow::kPolicy).bytes.size();
  std::vector<uint32_t> tables;
  storage::RangeCursor cursor(context.engine(), system_rows(SystemRow::kPolicy));
  while (true) {
    PARTITA_CO_TRY(const bool more, co_await cursor.next());
    if (!more) break;
    std::string_view rest = cursor.row().key.substr(before);
    const std::optional<uint32_t> table_id = take_u32(rest);
    if (table_id && rest.empty()) tables.push_back(*table_id);
  }
  co_return tables;
}

}  // namespace partita::table
