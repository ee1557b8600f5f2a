// The graphs of this server's large collections of vectors: caches, in memory only. After a search has compared many
// rows, a background thread builds a graph from the rows. From then on the graph follows the log of its index: before a
// search, it is brought up to date with all acknowledged writes. A graph only proposes rows. Replies are read from the
// store, so they are never outdated.
//
// If a graph cannot be built or kept, searches compare all rows instead. That is no error.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/task.h"
#include "base/thread.h"
#include "storage/engine.h"
#include "table/rows/schema.h"
#include "table/vectors/vector_graph.h"

namespace partita::table {

// Callable from any thread.
class VectorGraphs {
 public:
  // Engine and clock outlive it. `most_bytes` limits all graphs together. A graph that is not searched follows its log
  // every `follow_ms`.
  VectorGraphs(storage::Engine& engine, const Clock& clock, size_t most_bytes, int64_t follow_ms)
      : engine_(engine), clock_(clock), most_bytes_(most_bytes), follow_ms_(follow_ms) {}
  ~VectorGraphs();

  // The rows of one collection: of a whole index, or of one partition key of it.
  struct Collection {
    uint32_t table_id = 0;
    IndexInfo index;
    storage::Range rows;
  };

  // Keys of approximately the `count` nearest rows, the nearest first, or of all rows if there are fewer. Absent: there
  // is no graph that is up to date, or it found too few. Errors: those of reading the log and the rows.
  using Found = std::optional<std::vector<std::string>>;
  Task<Result<Found>> nearest(const Collection& collection, std::span<const float> sought, size_t count);

  // Requests a graph for a collection in which a search compared `rows` rows, with `key_bytes` bytes of keys.
  void want(Collection collection, size_t rows, size_t key_bytes);

  // The bytes that all graphs and all requested ones take when they are full. At most `most_bytes`.
  size_t bytes();
  // For tests: blocks until every requested graph is built or given up.
  void wait_until_made();

 private:
  struct CachedGraph {
    Collection collection;
    size_t key_bytes = 0;
    SharedMutex mutex;
    std::unique_ptr<VectorGraph> graph PARTITA_GUARDED_BY(mutex);
    storage::Position position PARTITA_GUARDED_BY(mutex);  // the log is applied up to here
    bool lost PARTITA_GUARDED_BY(mutex) = false;           // it missed log entries, or cannot be kept
    size_t bytes = 0;                                      // under the mutex of VectorGraphs, like the next
    bool dropped = false;                                  // its bytes are no longer counted
    std::atomic<int64_t> used_ns{0};
    size_t tuned_rows = 0;  // only for the background thread
  };
  // The log entries behind a position, and the rows that they name, read after the log.
  struct LogPage {
    storage::Position after;
    storage::Position upto;
    std::vector<storage::Key> keys;  // the first is that of the row with the trimmed position
    std::vector<std::optional<storage::Record>> records;
    storage::Position trimmed;
  };
  struct Wanted {
    Collection collection;
    size_t rows = 0;
    size_t key_bytes = 0;
    size_t bytes = 0;
  };

  std::shared_ptr<CachedGraph> find(const std::string& collection);
  void drop(const std::shared_ptr<CachedGraph>& followed);
  // Applies a few pages of the log. False: there is more.
  Task<Result<bool>> follow(CachedGraph& followed);
  // The same for many pages. For the background thread, which it blocks.
  Result<void> catch_up(CachedGraph& followed);
  Task<Result<LogPage>> read_page(CachedGraph& followed);
  // False: the log has no more entries, or the graph is lost.
  Result<bool> apply(CachedGraph& followed, const LogPage& page);
  // Puts one row into the graph. False: the graph cannot be kept.
  bool take(CachedGraph& followed, const std::string& key, std::string_view vector) PARTITA_REQUIRES(followed.mutex);
  bool make_room(CachedGraph& followed) PARTITA_REQUIRES(followed.mutex);

  // The background thread: builds graphs and has them follow their logs.
  void run();
  void make_next() PARTITA_REQUIRES(mutex_);
  // Builds a graph of about `rows` rows. False: interrupted, or it cannot be kept. No other thread has `followed` yet,
  // so its mutex is not locked.
  Result<bool> make(CachedGraph& followed, size_t rows) PARTITA_NO_THREAD_SAFETY_ANALYSIS;
  void tune(CachedGraph& followed);
  void follow_all();
  std::vector<std::shared_ptr<CachedGraph>> take_idle() PARTITA_REQUIRES(mutex_);

  storage::Engine& engine_;
  const Clock& clock_;
  const size_t most_bytes_;
  const int64_t follow_ms_;
  LogThrottle complaints_{60'000};
  Mutex mutex_;
  CondVar changed_;
  std::map<std::string, std::shared_ptr<CachedGraph>> graphs_
      PARTITA_GUARDED_BY(mutex_);                             // by the first key of the collection
  std::set<std::string> pending_ PARTITA_GUARDED_BY(mutex_);  // those in `wanted_`, and the one being built
  std::map<std::string, int64_t> resting_
      PARTITA_GUARDED_BY(mutex_);  // those that failed, and the time of the next attempt
  std::deque<Wanted> wanted_ PARTITA_GUARDED_BY(mutex_);
  size_t bytes_ PARTITA_GUARDED_BY(mutex_) = 0;     // of built and requested graphs
  bool behind_ PARTITA_GUARDED_BY(mutex_) = false;  // a search found a graph that is far behind its log
  std::atomic<bool> stopping_{false};
  Thread thread_ PARTITA_GUARDED_BY(mutex_);
};

}  // namespace partita::table
