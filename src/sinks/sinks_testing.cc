#include "sinks/sinks_testing.h"

#include <chrono>
#include <exception>
#include <new>
#include <thread>

#include "engines/memory/memory_engine.h"
#include "engines/rocksdb/rocksdb_engine.h"
#include "model/item_codec.h"
#include "sinks/carry_job.h"
#include "storage/range_cursor.h"
#include "table/control/tables.h"
#include "table/items/write.h"

namespace partita::sinks {

using model::AttributeValue;
using model::Item;

namespace {

std::string hex_of(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    text += kDigits[static_cast<uint8_t>(c) >> 4];
    text += kDigits[static_cast<uint8_t>(c) & 15];
  }
  return text;
}

}  // namespace

class MemoryDestination final : public Destination {
 public:
  MemoryDestination(OtherEnd& other, std::function<bool()> cut) : other_(other), cut_(std::move(cut)) {}

  Result<void> prepare(Generation generation) override {
    PARTITA_TRY_VOID(reach());
    const MutexLock lock(other_.mutex_);
    other_.indexes_[generation];
    return {};
  }

  Result<std::vector<Outcome>> send(Generation generation, std::span<const Delivery> deliveries) override {
    PARTITA_TRY_VOID(reach());
    const bool late = other_.late && other_.kept_late++ == 0;
    while (late && other_.late) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    other_.arrived_late += late;
    if (const int slow_ms = other_.slow_ms; slow_ms > 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(slow_ms));
    const bool has_memory = other_.no_memory == 0 || other_.no_memory-- == 0;
    if (!has_memory) std::rethrow_exception(std::make_exception_ptr(std::bad_alloc()));
    ++other_.requests;
    other_.documents += deliveries.size();
    const bool dies = cut_ && cut_();
    std::vector<Outcome> outcomes;
    const MutexLock lock(other_.mutex_);
    const auto index = other_.indexes_.find(generation);
    if (index == other_.indexes_.end()) return lost("there is no index");
    for (const Delivery& one : deliveries) {
      if (dies && outcomes.size() == deliveries.size() / 2) return lost("the connection was closed");
      outcomes.push_back(take(index->second, one));
    }
    if (draws(other_.unanswered)) return lost("no answer came");
    return outcomes;
  }

  Result<void> publish(Generation generation) override {
    PARTITA_TRY_VOID(reach());
    const MutexLock lock(other_.mutex_);
    if (!other_.indexes_.contains(generation)) return lost("there is no index");
    other_.published_ = generation;
    std::erase_if(other_.indexes_, [&](const auto& one) { return one.first < generation; });
    return {};
  }
  Result<bool> is_intact(Generation generation) override {
    PARTITA_TRY_VOID(reach());
    const MutexLock lock(other_.mutex_);
    return other_.has_all || other_.indexes_.contains(generation);
  }
  Result<std::vector<bool>> compare(Generation generation, std::span<const Delivery> deliveries) override {
    PARTITA_TRY_VOID(reach());
    const MutexLock lock(other_.mutex_);
    std::vector<bool> same;
    for (const Delivery& one : deliveries) {
      const std::optional<Item> found = other_.indexes_[generation][document_id(one.key)].item;
      same.push_back(one.item == nullptr ? !found : found == *one.item);
    }
    return same;
  }
  Result<uint64_t> count(Generation generation) override {
    const MutexLock lock(other_.mutex_);
    return static_cast<uint64_t>(std::ranges::count_if(other_.indexes_[generation],
                                                       [](const auto& one) { return one.second.item.has_value(); }));
  }
  Result<std::optional<std::string>> read_mark(Generation generation) override {
    PARTITA_TRY_VOID(reach());
    const MutexLock lock(other_.mutex_);
    const auto found = other_.marks_.find(generation);
    return found == other_.marks_.end() ? std::optional<std::string>() : std::optional(found->second.text);
  }
  Result<bool> write_mark(Generation generation, std::string_view mark, uint64_t version) override {
    PARTITA_TRY_VOID(reach());
    const MutexLock lock(other_.mutex_);
    OtherEnd::Mark& kept = other_.marks_[generation];
    if (kept.version > version) return false;
    kept = {version, std::string(mark)};
    return true;
  }
  Result<void> remove() override {
    PARTITA_TRY_VOID(reach());
    const MutexLock lock(other_.mutex_);
    other_.indexes_.clear();
    return {};
  }
  std::string document_id(std::string_view key) const override { return hex_of(key.substr(model::kRowPlaceBytes)); }
  std::string target() const override { return "memory"; }

 private:
  static Error lost(const char* why) { return Error(ErrorKind::kUnavailable, why); }
  bool draws(int of_hundred) PARTITA_REQUIRES(other_.mutex_) {
    return other_.random_.below(100) < static_cast<uint64_t>(of_hundred);
  }
  Result<void> reach() {
    if (cut_ && cut_()) return lost("the server is gone");
    const MutexLock lock(other_.mutex_);
    if (other_.down || draws(other_.refused)) return lost("nobody listens");
    return {};
  }
  Outcome take(OtherEnd::Index& index, const Delivery& one) PARTITA_REQUIRES(other_.mutex_) {
    if (draws(other_.later)) return {Fate::kLater, "too many requests", false};
    if (one.item != nullptr && one.item->contains(OtherEnd::kPoison)) return {Fate::kRejected, "it is poison", false};
    OtherEnd::Document& document = index[document_id(one.key)];
    if (document.version > one.version) return {Fate::kDone, {}, true};
    document.version = one.version;
    document.item = one.item == nullptr ? std::nullopt : std::optional(*one.item);
    return {};
  }

  OtherEnd& other_;
  const std::function<bool()> cut_;
};

std::map<std::string, Item> OtherEnd::published() {
  const MutexLock lock(mutex_);
  std::map<std::string, Item> found;
  const auto index = indexes_.find(published_);
  if (index == indexes_.end()) return found;
  for (const auto& [id, document] : index->second) {
    if (document.item) found.emplace(id, *document.item);
  }
  return found;
}

std::vector<Generation> OtherEnd::generations() {
  const MutexLock lock(mutex_);
  std::vector<Generation> all;
  for (const auto& [generation, index] : indexes_) all.push_back(generation);
  return all;
}

void OtherEnd::drop_indexes() {
  const MutexLock lock(mutex_);
  indexes_.clear();
}

DestinationFactory OtherEnd::factory(std::function<bool()> cut) {
  return [this, cut](const DestinationSettings&, std::stop_token) -> Result<std::unique_ptr<Destination>> {
    std::unique_ptr<Destination> made = std::make_unique<MemoryDestination>(*this, cut);
    return made;
  };
}

namespace {
Error cut_off() { return Error(ErrorKind::kUnavailable, "the server is gone"); }
}  // namespace

Task<Result<std::vector<std::optional<storage::Record>>>> CutEngine::read(std::span<const storage::Key> keys) {
  if (cut()) co_return cut_off();
  auto records = co_await inner_.read(keys);
  if (!records.ok()) co_return records;
  size_t bytes = 0;
  for (const auto& one : *records) bytes += one ? one->value.size() : 0;
  if (bytes > largest_read) largest_read = bytes;
  co_return records;
}
Task<Result<storage::Page>> CutEngine::scan(storage::Range range, storage::Direction direction, size_t max_records,
                                            size_t max_bytes) {
  if (cut()) co_return cut_off();
  co_return co_await inner_.scan(std::move(range), direction, max_records, max_bytes);
}
Task<Result<storage::Outcome>> CutEngine::transact(std::vector<storage::Key> keys,
                                                   std::vector<storage::Compare> compare, storage::Decide decide,
                                                   storage::Version* version) {
  if (cut()) co_return cut_off();
  co_return co_await inner_.transact(std::move(keys), std::move(compare), std::move(decide), version);
}
Task<Result<void>> CutEngine::erase_range(storage::Range range) {
  if (cut()) co_return cut_off();
  co_return co_await inner_.erase_range(std::move(range));
}
Task<Result<std::vector<storage::LogEntry>>> CutEngine::read_log(std::string topic, storage::Position after,
                                                                 size_t max_entries, size_t max_bytes) {
  if (cut()) co_return cut_off();
  co_return co_await inner_.read_log(std::move(topic), after, max_entries, max_bytes);
}
Task<Result<storage::Position>> CutEngine::log_end(std::string topic) {
  if (cut()) co_return cut_off();
  co_return co_await inner_.log_end(std::move(topic));
}
Task<Result<void>> CutEngine::trim_log(std::string topic, storage::Position upto) {
  if (cut()) co_return cut_off();
  ++trims;
  co_return co_await inner_.trim_log(std::move(topic), upto);
}
Task<Result<void>> CutEngine::forget_log(std::string topic) {
  if (cut()) co_return cut_off();
  co_return co_await inner_.forget_log(std::move(topic));
}

SinksTest::SinksTest() : engine_(open_memory_engine()) {}
SinksTest::~SinksTest() = default;

void SinksTest::use_directory(const std::string& directory) {
  writer_.reset();
  engine_.reset();
  RocksdbOptions options;
  options.directory = directory;
  options.sync = false;
  engine_ = open_rocksdb_engine(options).value();
}

std::unique_ptr<table::Database> SinksTest::serve(storage::Engine& engine, table::DatabaseOptions options,
                                                  std::function<bool()> cut) {
  const DestinationFactory factory = other_.factory(cut);
  const FindChangeDestination find_changes = changes_.finder(std::move(cut));
  options.make_job = [factory, find_changes](table::JobKind kind) -> std::unique_ptr<table::JobType> {
    if (kind != table::JobKind::kCarry) return nullptr;
    return make_carry_job([factory](std::string_view) { return Result<DestinationFactory>(factory); }, find_changes);
  };
  auto opened = table::Database::open(engine, system_clock(), system_random(), options);
  return opened.ok() ? std::move(opened).value() : nullptr;
}

table::Database& SinksTest::db() {
  if (writer_ == nullptr) {
    writer_ = table::Database::open(*engine_, system_clock(), system_random(), options_).value();
  }
  return *writer_;
}

void SinksTest::create_table(const std::string& name) {
  api::CreateTableRequest request;
  request.name = name;
  request.definitions = {{"pk", model::Type::kS}};
  request.keys = {{"pk", api::KeyRole::kHash}};
  request.billing_mode = api::BillingMode::kPayPerRequest;
  ASSERT_TRUE(wait_for(table::create_table(db(), request)).ok());
}

namespace {

void write(table::Database& database, const std::string& name, api::WriteAction action) {
  api::WriteRequest request;
  request.table = name;
  request.action = std::move(action);
  while (true) {
    auto table = database.ready_table(name);
    auto attempt = [&]() -> Result<api::WriteReply> {
      if (!table.ok()) return table.error();
      PARTITA_TRY(const table::WritePlan plan, table::bind(request, *table));
      return wait_for(table::run(database, plan));
    };
    const auto written = attempt();
    if (written.ok()) return;
    ASSERT_TRUE(table::TableContext::binds_again(written.error())) << written.error().sentence();
    ASSERT_TRUE(wait_for(database.before_binding_again(written.error())).ok());
  }
}

}  // namespace

void SinksTest::put(const std::string& table, const std::string& pk, int64_t value, bool poison) {
  Item item;
  item.set("pk", AttributeValue::string(pk));
  if (poison) item.set(OtherEnd::kPoison, AttributeValue::boolean(true));
  item.set("value", AttributeValue::number(model::Number::of(value)));
  put_item(table, item);
}

void SinksTest::put_item(const std::string& table, const Item& item) {
  api::WriteAction action;
  action.kind = api::WriteAction::Kind::kPut;
  action.item = model::encode_item(item);
  write(db(), table, std::move(action));
}

void SinksTest::erase(const std::string& table, const std::string& pk) {
  api::WriteAction action;
  action.kind = api::WriteAction::Kind::kDelete;
  action.key.set("pk", AttributeValue::string(pk));
  write(db(), table, std::move(action));
}

table::Sink SinksTest::create(SinkRequest request) {
  if (request.table.empty()) request.table = "T";
  if (request.name.empty()) request.name = "memory";
  if (request.url.empty()) request.url = kTestUrl;
  const DestinationFactory factory = other_.factory(nullptr);
  const FindDestination find = [factory](std::string_view) { return Result<DestinationFactory>(factory); };
  auto made = wait_for(create_sink(db(), std::move(request), find, changes_.finder(nullptr)));
  EXPECT_TRUE(made.ok()) << made.error().sentence();
  return made.ok() ? *made : table::Sink();
}

table::Sink SinksTest::create_changes(SinkRequest request) {
  request.url = kChangesUrl;
  return create(std::move(request));
}

std::map<std::string, std::string> SinksTest::stored_items() {
  std::map<std::string, std::string> items;
  const table::Table table = db().catalog().find("T");
  storage::RangeCursor cursor(*engine_, storage::range_of(model::index_prefix(table->id, model::kBaseIndex)));
  while (wait_for(cursor.next()).value()) items.emplace(cursor.row().key, cursor.row().value);
  return items;
}

void SinksTest::wait_until_replayed() {
  wait_until_carried();
  std::string wrong_with;
  EXPECT_TRUE(changes_.replayed(wrong_with) == stored_items());
  EXPECT_EQ(wrong_with, "");
}

SinkStatus SinksTest::status(const std::string& table, const std::string& name) {
  auto found = wait_for(describe_sink(db(), table, name));
  EXPECT_TRUE(found.ok()) << found.error().sentence();
  return found.ok() ? *found : SinkStatus();
}

std::map<std::string, Item> SinksTest::expected(const std::string& name) {
  std::map<std::string, Item> items;
  const table::Table table = db().catalog().find(name);
  storage::RangeCursor cursor(*engine_, storage::range_of(model::index_prefix(table->id, model::kBaseIndex)));
  while (wait_for(cursor.next()).value()) {
    items.emplace(hex_of(cursor.row().key.substr(model::kRowPlaceBytes)),
                  model::decode_item(cursor.row().value).value());
  }
  return items;
}

void SinksTest::wait_until(const std::function<bool()>& condition, const char* what) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    ASSERT_LT(std::chrono::steady_clock::now(), until) << what;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void SinksTest::carry_and_lose_index() {
  create_table("T");
  for (int i = 0; i < 10; ++i) put("T", "item" + std::to_string(i), 1);
  auto server = serve();
  create();
  wait_until_carried();
  server.reset();
  other_.drop_indexes();
}

void SinksTest::wait_until_carried(const std::string& table, const std::string& name) {
  const auto carried = [&] {
    const SinkStatus now = status(table, name);
    if (now.state() != SinkState::kCarrying) return false;
    for (size_t i = 0; i < table::kSinkSlices; ++i) {
      const std::string topic = table::sink_topic(now.sink.table_id, now.sink.number, i);
      if (!wait_for(engine_->read_log(topic, now.progress.delivered[i], 1, 1)).value().empty()) return false;
    }
    return true;
  };
  wait_until(carried, "until the sink has carried all");
}

}  // namespace partita::sinks
