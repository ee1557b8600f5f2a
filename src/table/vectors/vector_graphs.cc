#include "table/vectors/vector_graphs.h"

#include <algorithm>
#include <utility>

#include "base/priority.h"
#include "base/reserve.h"
#include "storage/ranges.h"
#include "table/rows/vector_rows.h"
#include "table/vectors/vector_log.h"

namespace partita::table {

namespace {

constexpr size_t kEntriesAtOnce = 32;
constexpr size_t kPagesOfSearch = 4;  // of the log: who is further behind looks at all rows
constexpr size_t kPagesOfRound = 64;
constexpr size_t kGraphRowsAtOnce = 256;
constexpr size_t kGraphBytesAtOnce = size_t{1} << 20;
constexpr int64_t kIdleMs = 600'000;  // a graph that nobody asks for so long goes
constexpr int64_t kRestMs = 60'000;   // before what could not be made is tried again

}  // namespace

VectorGraphs::~VectorGraphs() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::shared_ptr<VectorGraphs::CachedGraph> VectorGraphs::find(const std::string& collection) {
  const MutexLock lock(mutex_);
  const auto found = graphs_.find(collection);
  return found == graphs_.end() ? nullptr : found->second;
}

void VectorGraphs::drop(const std::shared_ptr<CachedGraph>& followed) {
  const MutexLock lock(mutex_);
  const auto found = graphs_.find(followed->collection.rows.begin);
  if (found == graphs_.end() || found->second != followed) return;
  bytes_ -= followed->bytes;
  followed->dropped = true;
  graphs_.erase(found);
}

Task<Result<VectorGraphs::Found>> VectorGraphs::nearest(const Collection& collection, std::span<const float> sought,
                                                        size_t count) {
  const std::shared_ptr<CachedGraph> followed = find(collection.rows.begin);
  if (followed == nullptr) co_return Found();
  followed->used_ns = clock_.monotonic_ns();
  PARTITA_CO_TRY(const bool newest, co_await follow(*followed));
  bool lost = false;
  Found found;
  {
    const ReaderLock lock(followed->mutex);
    lost = followed->lost;
    if (newest && !lost) {
      auto keys = followed->graph->nearest(sought, count);
      const bool enough = keys.ok() && keys->size() >= std::min(count, followed->graph->size());
      if (enough) found = std::move(keys).value();
    }
  }
  if (lost) drop(followed);
  if (!newest && !lost) {
    const MutexLock lock(mutex_);
    behind_ = true;
    changed_.notify_all();
  }
  co_return found;
}

Task<Result<bool>> VectorGraphs::follow(CachedGraph& followed) {
  bool more = true;
  for (size_t page = 0; page < kPagesOfSearch && more; ++page) {
    auto read = co_await read_page(followed);
    PARTITA_CO_TRY(const LogPage entries, std::move(read));
    PARTITA_CO_TRY(more, apply(followed, entries));
  }
  co_return !more;
}

Result<void> VectorGraphs::catch_up(CachedGraph& followed) {
  bool more = true;
  for (size_t page = 0; page < kPagesOfRound && more && !stopping_; ++page) {
    PARTITA_TRY(const LogPage entries, wait_for(read_page(followed)));
    PARTITA_TRY(more, apply(followed, entries));
  }
  return {};
}

Task<Result<VectorGraphs::LogPage>> VectorGraphs::read_page(CachedGraph& followed) {
  const Collection& collection = followed.collection;
  const uint16_t index_id = collection.index.id;
  LogPage page;
  {
    const ReaderLock lock(followed.mutex);
    page.after = page.upto = followed.position;
  }
  std::string topic = vector_topic(collection.table_id, index_id);
  auto read = co_await engine_.read_log(std::move(topic), page.after, kEntriesAtOnce, kGraphBytesAtOnce);
  PARTITA_CO_TRY(const auto entries, std::move(read));
  // Read behind the entries: what says that nothing between them and `after` was trimmed.
  page.keys = {trimmed_key(collection.table_id, index_id)};
  for (const auto& entry : entries) {
    page.upto = entry.position;
    if (!entry.entry.starts_with(collection.rows.begin)) continue;
    const bool named = std::ranges::any_of(page.keys, [&](const auto& key) { return key.bytes == entry.entry; });
    if (!named) page.keys.push_back({entry.entry});
  }
  auto rows = co_await engine_.read(page.keys);
  PARTITA_CO_TRY(page.records, std::move(rows));
  PARTITA_CO_TRY(page.trimmed, trimmed_upto(page.records[0]));
  co_return page;
}

Result<bool> VectorGraphs::apply(CachedGraph& followed, const LogPage& page) {
  const bool more = page.upto != page.after;
  if (!more && page.trimmed <= page.after) return false;
  const WriterLock lock(followed.mutex);
  if (followed.lost) return false;
  if (followed.position != page.after) return true;  // somebody else was faster
  followed.lost = page.trimmed > page.after;
  for (size_t i = 1; i < page.keys.size() && !followed.lost; ++i) {
    const std::string& key = page.keys[i].bytes;
    if (page.records[i]) {
      PARTITA_TRY(const std::string_view vector, vector_in(followed.collection.index, page.records[i]->value));
      followed.lost = !take(followed, key, vector);
    } else {
      followed.lost = !followed.graph->erase(key).ok();
    }
  }
  followed.position = page.upto;
  followed.lost = followed.lost || followed.graph->empty() > followed.graph->size();
  return more && !followed.lost;
}

bool VectorGraphs::take(CachedGraph& followed, const std::string& key, std::string_view vector) {
  if (!memory_reserve_held() || (followed.graph->is_full() && !make_room(followed))) return false;
  return followed.graph->put(key, vector).ok();
}

bool VectorGraphs::make_room(CachedGraph& followed) {
  const size_t dimensions = followed.collection.index.vector->dimensions;
  const size_t more = VectorGraph::memory_of(followed.graph->room(), dimensions, followed.key_bytes);
  {
    const MutexLock lock(mutex_);
    if (followed.dropped || bytes_ + more > most_bytes_) return false;
    bytes_ += more;
    followed.bytes += more;
  }
  return followed.graph->grow().ok();
}

void VectorGraphs::want(Collection collection, size_t rows, size_t key_bytes) {
  const size_t bytes = VectorGraph::memory_of(rows + rows / 4, collection.index.vector->dimensions, key_bytes);
  const MutexLock lock(mutex_);
  const std::string begin = collection.rows.begin;
  if (stopping_ || graphs_.contains(begin) || pending_.contains(begin) || resting_.contains(begin)) return;
  if (bytes_ + bytes > most_bytes_) {
    uint64_t unsaid = 0;
    if (!complaints_.pass(unsaid)) return;
    log(LogLevel::kWarn, {"no memory for a graph of the ", std::to_string(rows), " vectors of the index ",
                          collection.index.name, ": each search looks at all of them (--vector-memory)"});
    return;
  }
  if (!thread_.joinable()) {
    auto started = Thread::start("graphs", [this](const std::stop_token&) { run(); });
    if (!started.ok()) return;
    thread_ = std::move(started).value();
  }
  pending_.insert(begin);
  bytes_ += bytes;
  wanted_.push_back({std::move(collection), rows, key_bytes, bytes});
  changed_.notify_all();
}

size_t VectorGraphs::bytes() {
  const MutexLock lock(mutex_);
  return bytes_;
}

void VectorGraphs::wait_until_made() {
  const MutexLock lock(mutex_);
  changed_.wait(mutex_, [this]() PARTITA_REQUIRES(mutex_) { return pending_.empty(); });
}

void VectorGraphs::run() {
  constexpr int kNiceness = 5;  // behind those who serve
  lower_thread_priority(kNiceness);
  const MutexLock lock(mutex_);
  while (!stopping_) {
    if (!wanted_.empty()) {
      make_next();
      continue;
    }
    const auto asked = [this]() PARTITA_REQUIRES(mutex_) { return stopping_ || behind_ || !wanted_.empty(); };
    if (graphs_.empty() && resting_.empty()) {
      changed_.wait(mutex_, asked);
    } else {
      changed_.wait_for(mutex_, std::chrono::milliseconds(follow_ms_), asked);
    }
    behind_ = false;
    auto idle = take_idle();
    mutex_.unlock();
    idle.clear();
    follow_all();
    mutex_.lock();
  }
}

void VectorGraphs::make_next() {
  const Wanted wanted = std::move(wanted_.front());
  wanted_.pop_front();
  mutex_.unlock();
  auto followed = std::make_shared<CachedGraph>();
  followed->collection = wanted.collection;
  followed->key_bytes = wanted.key_bytes;
  followed->bytes = wanted.bytes;
  const std::string& name = wanted.collection.index.name;
  const auto made = make(*followed, wanted.rows);
  if (!made.ok()) {
    log(LogLevel::kWarn, {"a graph of the vectors of the index ", name, " failed: ", made.error().sentence()});
  } else if (*made) {
    const ReaderLock lock(followed->mutex);
    const std::string size = std::to_string(followed->graph->size());
    log(LogLevel::kInfo, {"made a graph of ", size, " vectors of the index ", name});
  }
  mutex_.lock();
  const std::string& begin = wanted.collection.rows.begin;
  pending_.erase(begin);
  if (made.ok() && *made) {
    graphs_[begin] = std::move(followed);
  } else {
    bytes_ -= followed->bytes;
    resting_[begin] = clock_.monotonic_ns() + kRestMs * kNsPerMs;
  }
  changed_.notify_all();
}

Result<bool> VectorGraphs::make(CachedGraph& followed, size_t rows) {
  const Collection& collection = followed.collection;
  const VectorSchema& schema = *collection.index.vector;
  PARTITA_TRY(followed.graph, VectorGraph::make(schema.distance, schema.dimensions, rows + rows / 4));
  // What changes from here on is in the log, whether it is met in the rows or not.
  PARTITA_TRY(followed.position, wait_for(engine_.log_end(vector_topic(collection.table_id, collection.index.id))));
  storage::Range range = collection.rows;
  for (bool more = true; more;) {
    PARTITA_TRY(const storage::Page page,
                wait_for(engine_.scan(range, storage::Direction::kAscending, kGraphRowsAtOnce, kGraphBytesAtOnce)));
    for (size_t i = 0; i < page.size(); ++i) {
      if (stopping_) return false;
      PARTITA_TRY(const std::string_view vector, vector_in(collection.index, page[i].value));
      if (!take(followed, std::string(page[i].key), vector)) return false;
    }
    more = storage::advance(range, page);
    // Behind the page: a row of it may have changed since it was read.
    PARTITA_TRY_VOID(catch_up(followed));
    if (followed.lost) return false;
    follow_all();
  }
  tune(followed);
  followed.used_ns = clock_.monotonic_ns();
  return true;
}

// What is near whom may be another matter once there are many more of them. By the thread that makes graphs.
void VectorGraphs::tune(CachedGraph& followed) {
  size_t width = 0;
  {
    const ReaderLock lock(followed.mutex);
    const size_t rows = followed.graph->size() + followed.graph->empty();
    if (rows < followed.tuned_rows + followed.tuned_rows / 4) return;
    followed.tuned_rows = rows;
    width = followed.graph->good_width();
  }
  const WriterLock lock(followed.mutex);
  followed.graph->use_width(width);
}

void VectorGraphs::follow_all() {
  std::vector<std::shared_ptr<CachedGraph>> all;
  {
    const MutexLock lock(mutex_);
    for (const auto& [begin, followed] : graphs_) all.push_back(followed);
  }
  for (const auto& followed : all) {
    static_cast<void>(catch_up(*followed).ok());  // who searches is told of errors
    bool lost = false;
    {
      const ReaderLock lock(followed->mutex);
      lost = followed->lost;
    }
    if (lost) {
      drop(followed);
    } else {
      tune(*followed);
    }
  }
}

// The caller destroys them without the lock, since that takes long.
std::vector<std::shared_ptr<VectorGraphs::CachedGraph>> VectorGraphs::take_idle() {
  const int64_t now_ns = clock_.monotonic_ns();
  std::vector<std::shared_ptr<CachedGraph>> idle;
  for (auto at = graphs_.begin(); at != graphs_.end();) {
    const auto here = at++;
    if (now_ns - here->second->used_ns <= kIdleMs * kNsPerMs) continue;
    bytes_ -= here->second->bytes;
    here->second->dropped = true;
    idle.push_back(std::move(here->second));
    graphs_.erase(here);
  }
  std::erase_if(resting_, [&](const auto& one) { return one.second < now_ns; });
  return idle;
}

}  // namespace partita::table
