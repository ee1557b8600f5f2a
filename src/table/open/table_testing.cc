#include "table/open/table_testing.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <thread>

#include "base/bytes.h"
#include "engines/memory/memory_engine.h"
#include "model/item_codec.h"
#include "model/size.h"
#include "table/items/expiry.h"
#include "table/rows/expiry_rows.h"

namespace partita::table {

using storage::Changes;
using storage::Decide;
using storage::Decision;
using storage::Key;
using storage::Record;

Item item(std::initializer_list<std::pair<std::string, AttributeValue>> attributes) {
  Item made;
  for (const auto& [name, value] : attributes) made.set(name, value);
  return made;
}

std::string encoded(const Item& item) { return model::encode_item(item); }

Item decoded(const api::FoundItem& found) {
  if (const auto* whole = std::get_if<Item>(&found)) return *whole;
  const auto* view = std::get_if<std::string_view>(&found);
  return model::decode_item(view != nullptr ? *view : std::get<std::string>(found)).value();
}

FaultyEngine::FaultyEngine() : owned_(open_memory_engine()), inner_(owned_.get()) {}
FaultyEngine::~FaultyEngine() = default;

namespace {
Error refused() { return Error(ErrorKind::kUnavailable, "the test says so"); }
}  // namespace

Task<Result<std::vector<std::optional<Record>>>> FaultyEngine::read(std::span<const Key> keys) {
  if (blind) co_return refused();
  auto found = co_await inner_->read(keys);
  if (std::this_thread::get_id() == maker_ && after_read) after_read();
  co_return found;
}

Task<Result<storage::Page>> FaultyEngine::scan(storage::Range range, storage::Direction direction, size_t max_records,
                                               size_t max_bytes) {
  if (!damaged_at.empty() && range.begin == damaged_at) co_return Error(ErrorKind::kCorrupt, "a block is damaged");
  auto page = co_await inner_->scan(range, direction, max_records, max_bytes);
  if (after_scan) after_scan(range, max_records);
  if (std::this_thread::get_id() == maker_ && after_own_scan) after_own_scan();
  co_return page;
}

Task<Result<storage::Outcome>> FaultyEngine::transact(std::vector<Key> keys, std::vector<storage::Compare> compare,
                                                      Decide decide, storage::Version* version) {
  if (writes_left.fetch_sub(1) <= 0) co_return refused();
  Result<void> fits;
  const Decide twice = [&](std::span<const Record* const> found, Changes& changes) {
    const std::vector<const Record*> absent(found.size(), nullptr);
    Changes unused;
    static_cast<void>(decide(absent, unused));
    const Decision decision = decide(found, changes);
    storage::Limits limits = inner_->limits();
    limits.transaction_bytes = most_bytes;
    fits = decision == Decision::kCommit ? storage::check_changes(limits, changes) : Result<void>();
    return fits.ok() ? decision : Decision::kRefuse;
  };
  if (silent) {
    Executor* const home = Executor::current();
    co_await waiters_.enter();
    for (++kept_waiting; silent;) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    co_await SwitchTo{home};
  }
  const int fate = unknown;
  if (fate == 2) co_return Error(ErrorKind::kUnknown, "the test says so");
  auto outcome = co_await inner_->transact(keys, std::move(compare), twice, version);
  if (!fits.ok()) co_return std::move(fits).error();
  if (after_transact) after_transact();
  if (fate == 1) co_return Error(ErrorKind::kUnknown, "the test says so");
  co_return outcome;
}

Task<Result<void>> FaultyEngine::erase_range(storage::Range range) {
  if (writes_left.fetch_sub(1) <= 0) co_return refused();
  co_return co_await inner_->erase_range(range);
}

Task<Result<std::vector<storage::LogEntry>>> FaultyEngine::read_log(std::string topic, storage::Position after,
                                                                    size_t max_entries, size_t max_bytes) {
  return inner_->read_log(std::move(topic), after, max_entries, max_bytes);
}

Task<Result<storage::Position>> FaultyEngine::log_end(std::string topic) { return inner_->log_end(std::move(topic)); }

Task<Result<void>> FaultyEngine::trim_log(std::string topic, storage::Position upto) {
  return inner_->trim_log(std::move(topic), upto);
}

Task<Result<void>> FaultyEngine::forget_log(std::string topic) { return inner_->forget_log(std::move(topic)); }

Result<void> FaultyEngine::health() const {
  if (writes_left <= 0) return refused();
  return inner_->health();
}

Task<Result<uint64_t>> FaultyEngine::approximate_bytes(storage::Range range) {
  return inner_->approximate_bytes(std::move(range));
}

api::WriteAction action_of(api::WriteAction::Kind kind, Item item_or_key) {
  api::WriteAction action;
  action.kind = kind;
  if (kind == api::WriteAction::Kind::kPut) {
    action.item = model::encode_item(item_or_key);
  } else {
    action.key = std::move(item_or_key);
  }
  return action;
}

Task<Result<api::Written>> write_item(Database& database, Table table, const api::WriteAction& action) {
  api::WriteRequest request;
  request.action = action;
  PARTITA_CO_TRY(const WritePlan plan, table::bind(request, table));
  PARTITA_CO_TRY(api::WriteReply outcome, co_await run(database, plan));
  co_return std::move(outcome.written);
}

void TableTest::open() {
  auto opened = Database::open(engine_, clock_, random_, options_);
  ASSERT_TRUE(opened.ok());
  database_ = std::move(opened).value();
}

void TableTest::crash() {
  engine_.writes_left = 0;
  database_.reset();
  engine_.writes_left = INT64_MAX;
}

namespace {
Task<void> look_and_say(Database& database, std::promise<bool>& idle) {
  co_await database.jobs().look();
  const auto jobs = co_await database.jobs().all();
  idle.set_value(jobs.ok() && jobs->empty());
}
}  // namespace

void wait_for_jobs(Database& database) {
  while (true) {
    std::promise<bool> idle;
    database.background().begin([&] { return look_and_say(database, idle); });
    if (idle.get_future().get()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

Result<api::Written> carry_out(Database& database, const std::string& name, const api::WriteAction& action) {
  auto attempt = [&]() -> Result<api::Written> {
    PARTITA_TRY(const Table table, database.ready_table(name));
    return wait_for(write_item(database, table, action));
  };
  auto written = attempt();
  while (!written.ok() && Database::binds_again(written.error())) {
    PARTITA_TRY_VOID(wait_for(database.before_binding_again(written.error())));
    written = attempt();
  }
  return written;
}

Table TableTest::create(const api::CreateTableRequest& request) {
  auto created = wait_for(create_table(db(), request));
  EXPECT_TRUE(created.ok());
  return created.ok() ? find(request.name) : nullptr;
}

Table TableTest::update(const api::UpdateTableRequest& request) {
  auto updated = wait_for(update_table(db(), request));
  EXPECT_TRUE(updated.ok());
  return updated.ok() ? *updated : nullptr;
}

Result<api::Written> TableTest::write(api::WriteAction::Kind kind, const std::string& table, Item item_or_key) {
  return carry_out(db(), table, action_of(kind, std::move(item_or_key)));
}

void TableTest::put(const std::string& table, Item item) {
  ASSERT_TRUE(write(api::WriteAction::Kind::kPut, table, std::move(item)).ok());
}

std::vector<Item> rows_of(Database& database, const std::string& table, const std::string& index) {
  api::RangeRequest request;
  RangePlan plan;
  plan.table = wait_for(database.catalog().look_up(table)).value();
  plan.request = &request;
  if (!index.empty()) plan.index = plan.table->find_index(index);  // ACTIVE or not
  std::vector<Item> items;
  for (;;) {
    plan.rows = rows_of(plan).value();
    auto page = wait_for(run(database, plan));
    EXPECT_TRUE(page.ok());
    if (!page.ok()) return items;
    for (const auto& found : page->items) items.push_back(decoded(found));
    if (!page->last_key) return items;
    request.start = page->last_key;
  }
}

size_t TableTest::stored_rows(uint32_t table_id) {
  storage::Range all;
  append_u32(all.begin, table_id);
  append_u32(all.end, table_id + 1);
  return wait_for(engine_.scan(all, storage::Direction::kAscending, 1'000'000, 1 << 30)).value().size();
}

void TableTest::store(const Key& key, const std::string& value) {
  std::vector<Key> none;
  std::vector<storage::Compare> nothing;
  const Decide put = [&](std::span<const Record* const>, Changes& changes) {
    changes.put(key, value);
    return Decision::kCommit;
  };
  ASSERT_TRUE(wait_for(engine_.transact(std::move(none), std::move(nothing), put, nullptr)).ok());
}

namespace {

// A vector of whole numbers, as rows have it.
std::optional<std::string> expected_vector(const VectorSchema& schema, const Item& item) {
  const AttributeValue* vector = item.find(schema.attribute);
  if (vector == nullptr || !vector->is(model::Type::kL)) return std::nullopt;
  if (vector->as_list().size() != schema.dimensions) return std::nullopt;
  std::string bytes;
  for (const auto& element : vector->as_list()) {
    const auto number = static_cast<float>(element.as_number().to_double());
    bytes.append(reinterpret_cast<const char*>(&number), sizeof(number));
  }
  return bytes;
}

std::optional<Item> expected_vector_view(const IndexInfo& index, Item view, const Item& item) {
  const auto vector = expected_vector(*index.vector, item);
  if (!vector) return std::nullopt;
  if (index.projection.kind == api::ProjectionKind::kAll) view = item;
  for (const auto& element : index.vector->search) {
    const auto* value = item.find(element.attribute.name);
    if (value == nullptr) continue;
    if (!value->is(element.attribute.type)) return std::nullopt;
    view.set(element.attribute.name, *value);
  }
  view.set(index.vector->attribute, b(*vector));
  return view;
}

}  // namespace

std::optional<Item> expected_view(const TableInfo& table, const IndexInfo& index, const Item& item) {
  Item view;
  for (const auto* schema : {&table.keys, &index.keys}) {
    for (const auto* elements : {&schema->partition, &schema->sort}) {
      for (const auto& element : *elements) {
        const auto* value = item.find(element.name);
        if (value == nullptr || !value->is(element.type)) return std::nullopt;
        view.set(element.name, *value);
      }
    }
  }
  if (index.projection.kind == api::ProjectionKind::kAll && !index.vector) return item;
  for (const auto& name : index.projection.attributes) {
    if (const auto* value = item.find(name)) view.set(name, *value);
  }
  if (index.vector) return expected_vector_view(index, std::move(view), item);
  return view;
}

namespace {

struct Sum {
  std::vector<std::string> rows;
  int64_t bytes = 0;
  void add(const Item& row) {
    rows.push_back(encoded(row));
    bytes += static_cast<int64_t>(model::item_size(row));
  }
};

void expect_tally(const Tally& tally, const Sum& sum, const std::string& what) {
  EXPECT_EQ(tally.items.load(), static_cast<int64_t>(sum.rows.size())) << what;
  EXPECT_EQ(tally.bytes.load(), sum.bytes) << what;
}

}  // namespace

// Whether each item with a moment has its expiry row, and nothing else has.
void expect_expiry(Database& database, const TableInfo& table, const std::vector<Item>& items) {
  std::vector<std::pair<std::string, int64_t>> wanted;
  std::vector<std::pair<std::string, int64_t>> found;
  for (const auto& one : items) {
    if (!table.ttl) break;
    if (const auto at_s = expiry_of(*table.ttl, one)) wanted.emplace_back(item_key(table, one).bytes, *at_s);
  }
  auto page = wait_for(
      database.engine().scan(expiry_rows(table.id), storage::Direction::kAscending, SIZE_MAX, storage::kMaxPageBytes));
  ASSERT_TRUE(page.ok());
  for (size_t i = 0; i < page->size(); ++i) {
    const auto row = expiry_row_from((*page)[i].key, (*page)[i].value);
    ASSERT_TRUE(row.ok());
    found.emplace_back(row->item.bytes, row->at_s);
  }
  std::ranges::sort(wanted);
  std::ranges::sort(found);
  EXPECT_EQ(wanted, found);
}

void expect_consistent(Database& database, const std::string& name) {
  const Table table = wait_for(database.settled_table(name)).value();
  ASSERT_NE(table, nullptr) << name;
  Sum base;
  const std::vector<Item> items = rows_of(database, name);
  for (const auto& one : items) base.add(one);
  expect_tally(*table->tally, base, name);
  expect_expiry(database, *table, items);
  for (const auto& index : table->indexes) {
    Sum wanted, found;
    for (const auto& one : items) {
      if (const auto view = expected_view(*table, index, one)) wanted.add(*view);
    }
    for (const auto& row : rows_of(database, name, index.name)) found.add(row);
    std::ranges::sort(wanted.rows);
    std::ranges::sort(found.rows);
    EXPECT_TRUE(wanted.rows == found.rows)
        << index.name << ": " << wanted.rows.size() << " rows wanted, " << found.rows.size() << " found";
    expect_tally(*index.tally, wanted, index.name);
  }
}

api::KeyPart hash(std::string name) { return {std::move(name), api::KeyRole::kHash}; }
api::KeyPart range(std::string name) { return {std::move(name), api::KeyRole::kRange}; }

api::CreateTableRequest plain_table(const std::string& name) {
  api::CreateTableRequest request;
  request.name = name;
  request.definitions = {{"pk", model::Type::kS}, {"sk", model::Type::kN}};
  request.keys = {hash("pk"), range("sk")};
  request.billing_mode = api::BillingMode::kPayPerRequest;
  return request;
}

api::IndexRequest index_request(std::string name, std::vector<api::KeyPart> keys, api::ProjectionKind kind) {
  api::IndexRequest request;
  request.name = std::move(name);
  request.keys = std::move(keys);
  request.projection = kind;
  return request;
}

api::UpdateTableRequest add_index(const std::string& table, api::IndexRequest index,
                                  std::vector<model::KeyElement> definitions) {
  api::UpdateTableRequest update;
  update.name = table;
  update.definitions = std::move(definitions);
  update.indexes.emplace();
  update.indexes->emplace_back().create = std::move(index);
  return update;
}

api::UpdateTableRequest drop_index(const std::string& table, const std::string& index) {
  api::UpdateTableRequest update;
  update.name = table;
  update.indexes.emplace();
  update.indexes->emplace_back().dropped = index;
  return update;
}

}  // namespace partita::table
