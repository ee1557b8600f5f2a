#include "table/vector_graphs.h"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "storage/ranges.h"
#include "table/vector_log.h"
#include "table/vectors.h"

namespace partita::table {

namespace {

constexpr size_t kEntriesAtOnce = 64;
constexpr size_t kPagesAtOnce = 40;  // of the log: who is further behind looks at all rows
constexpr size_t kRowsAtOnce = 1024;
constexpr size_t kBytesAtOnce = size_t{1} << 20;
constexpr int64_t kNsPerMs = 1'000'000;
constexpr auto kLookForIdle = std::chrono::seconds(30);

}  // namespace

VectorGraphs::~VectorGraphs() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::shared_ptr<VectorGraphs::Followed> VectorGraphs::find(const std::string& collection) {
  const std::lock_guard lock(mutex_);
  const auto found = graphs_.find(collection);
  return found == graphs_.end() ? nullptr : found->second;
}

void VectorGraphs::drop(const std::string& collection, const std::shared_ptr<Followed>& followed) {
  const std::lock_guard lock(mutex_);
  const auto found = graphs_.find(collection);
  if (found == graphs_.end() || found->second != followed) return;
  bytes_ -= followed->bytes;
  graphs_.erase(found);
}

Task<Result<std::optional<std::vector<std::string>>>> VectorGraphs::nearest(const Collection& collection,
                                                                            std::span<const float> sought,
                                                                            size_t count) {
  using Found = std::optional<std::vector<std::string>>;
  const std::shared_ptr<Followed> followed = find(collection.rows.begin);
  if (followed == nullptr) co_return Found();
  followed->used_ns = clock_.monotonic_ns();
  PARTITA_CO_TRY(const bool newest, co_await follow(collection, *followed));
  bool lost = false;
  Found found;
  {
    const std::shared_lock lock(followed->mutex);
    lost = followed->lost;
    if (newest && !lost) {
      PARTITA_CO_TRY(found, followed->graph->nearest(sought, count));
    }
  }
  if (lost) drop(collection.rows.begin, followed);
  co_return found;
}

Task<Result<bool>> VectorGraphs::follow(const Collection& collection, Followed& followed) {
  for (size_t page = 0; page < kPagesAtOnce; ++page) {
    bool more = true;
    PARTITA_CO_TRY(const bool sound, co_await follow_page(collection, followed, more));
    if (!sound) co_return false;
    if (!more) co_return true;
  }
  co_return false;
}

Task<Result<bool>> VectorGraphs::follow_page(const Collection& collection, Followed& followed, bool& more) {
  const uint16_t index_id = collection.index.id;
  storage::Position at;
  {
    const std::shared_lock lock(followed.mutex);
    if (followed.lost) co_return false;
    at = followed.position;
  }
  std::string topic = vector_topic(collection.table_id, index_id);
  auto read = co_await engine_.read_log(std::move(topic), at, kEntriesAtOnce, kBytesAtOnce);
  PARTITA_CO_TRY(const auto entries, std::move(read));
  // Read behind the entries: what says that nothing between them and `at` was trimmed.
  std::vector<storage::Key> keys{trimmed_key(collection.table_id, index_id)};
  for (const auto& entry : entries) {
    if (!entry.entry.starts_with(collection.rows.begin)) continue;
    const bool named = std::ranges::any_of(keys, [&](const auto& key) { return key.bytes == entry.entry; });
    if (!named) keys.push_back({entry.entry});
  }
  auto rows = co_await engine_.read(keys);
  PARTITA_CO_TRY(const auto records, std::move(rows));
  PARTITA_CO_TRY(const storage::Position trimmed, trimmed_upto(records[0]));
  more = !entries.empty();
  const std::unique_lock lock(followed.mutex);
  if (followed.position != at) {  // another search was faster
    more = true;
    co_return !followed.lost;
  }
  followed.lost = trimmed > at;
  if (followed.lost) co_return false;
  for (size_t i = 1; i < keys.size(); ++i) {
    if (records[i]) {
      PARTITA_CO_TRY(const std::string_view vector, vector_in(collection.index, records[i]->value));
      PARTITA_CO_TRY_VOID(followed.graph->put(keys[i].bytes, vector));
    } else {
      followed.graph->erase(keys[i].bytes);
    }
  }
  if (more) followed.position = entries.back().position;
  followed.lost = followed.graph->erased() > followed.graph->size();
  co_return !followed.lost;
}

void VectorGraphs::want(Collection collection, size_t rows, size_t key_bytes) {
  const size_t bytes = VectorGraph::memory_of(rows, collection.index.vector->dimensions, key_bytes);
  const std::lock_guard lock(mutex_);
  const std::string& begin = collection.rows.begin;
  if (stopping_ || bytes_ + bytes > kMostBytes || graphs_.contains(begin) || !pending_.insert(begin).second) return;
  bytes_ += bytes;
  wanted_.push_back({std::move(collection), rows, bytes});
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  changed_.notify_all();
}

void VectorGraphs::wait_until_made() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return pending_.empty(); });
}

void VectorGraphs::run() {
  constexpr int kNice = 5;  // behind those who serve
  setpriority(PRIO_PROCESS, 0, kNice);
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (wanted_.empty()) {
      changed_.wait_for(lock, kLookForIdle, [this] { return stopping_ || !wanted_.empty(); });
      if (wanted_.empty()) drop_idle();
      continue;
    }
    const Wanted wanted = std::move(wanted_.front());
    wanted_.pop_front();
    lock.unlock();
    auto made = make(wanted);
    if (!made.ok() && made.error().kind() != ErrorKind::kInvalid) {
      log(LogLevel::kWarn, {"making a graph of vectors failed: ", made.error().sentence()});
    }
    lock.lock();
    pending_.erase(wanted.collection.rows.begin);
    if (made.ok() && *made != nullptr) {
      graphs_[wanted.collection.rows.begin] = *made;
    } else {
      bytes_ -= wanted.bytes;
    }
    changed_.notify_all();
  }
}

// Null: interrupted.
Result<std::shared_ptr<VectorGraphs::Followed>> VectorGraphs::make(const Wanted& wanted) {
  const Collection& collection = wanted.collection;
  const VectorSchema& schema = *collection.index.vector;
  auto followed = std::make_shared<Followed>();
  followed->bytes = wanted.bytes;
  followed->used_ns = clock_.monotonic_ns();
  PARTITA_TRY(followed->graph, VectorGraph::make(schema.distance, schema.dimensions, wanted.rows));
  // What changes from here on is in the log, whether it is met in the rows or not.
  PARTITA_TRY(followed->position, wait_for(engine_.log_end(vector_topic(collection.table_id, collection.index.id))));
  storage::Range range = collection.rows;
  for (bool more = true; more;) {
    PARTITA_TRY(const storage::Page page,
                wait_for(engine_.scan(range, storage::Direction::kAscending, kRowsAtOnce, kBytesAtOnce)));
    for (size_t i = 0; i < page.size(); ++i) {
      if (stopping_) return std::shared_ptr<Followed>();
      PARTITA_TRY(const std::string_view vector, vector_in(collection.index, page[i].value));
      PARTITA_TRY_VOID(followed->graph->put(page[i].key, vector));
    }
    more = storage::advance(range, page);
  }
  log(LogLevel::kInfo,
      {"made a graph of ", std::to_string(followed->graph->size()), " vectors of the index ", collection.index.name});
  return followed;
}

// With the lock held.
void VectorGraphs::drop_idle() {
  const int64_t now_ns = clock_.monotonic_ns();
  std::erase_if(graphs_, [&](const auto& one) {
    const bool idle = now_ns - one.second->used_ns > kIdleMs * kNsPerMs;
    if (idle) bytes_ -= one.second->bytes;
    return idle;
  });
}

}  // namespace partita::table
