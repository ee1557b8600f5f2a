// The graphs of this server's large collections of vectors. A graph is made of the rows in the background, once a
// search has looked at many, and follows the log of its index from then on: before it is asked, all that was
// acknowledged is in it. It only says which rows to look at; what is answered is read from the store, so that nothing
// that is gone or changed is ever answered as it was. Lost with the process, and made again.
//
// A graph that cannot be made, or not be kept, is never an error: all rows are looked at, as if there were none.
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

class VectorGraphs {
 public:
  // Engine and clock outlive it. `most_bytes` is for all graphs together.
  VectorGraphs(storage::Engine& engine, const Clock& clock, size_t most_bytes, int64_t follow_ms)
      : engine_(engine), clock_(clock), most_bytes_(most_bytes), follow_ms_(follow_ms) {}
  ~VectorGraphs();

  // The rows of one collection: all of an index, or those under one HASH.
  struct Collection {
    uint32_t table_id = 0;
    IndexInfo index;
    storage::Range rows;
  };

  // Keys of the `count` nearest rows, about, the nearest first, or of all rows. Nothing: there is no graph that is up
  // to date, or it found fewer. Errors: those of reading the log and the rows.
  using Found = std::optional<std::vector<std::string>>;
  Task<Result<Found>> nearest(const Collection& collection, std::span<const float> sought, size_t count);

  // That a graph would have served: a search looked at so many rows with keys of so many bytes.
  void want(Collection collection, size_t rows, size_t key_bytes);

  // Of all graphs, and of those that are wanted, when they are full. At most `most_bytes`.
  size_t bytes();
  // For tests: waits until what was wanted is there or given up.
  void wait_until_made();

 private:
  struct CachedGraph {
    Collection collection;
    size_t key_bytes = 0;
    SharedMutex mutex;
    std::unique_ptr<VectorGraph> graph PARTITA_GUARDED_BY(mutex);
    storage::Position position PARTITA_GUARDED_BY(mutex);  // up to which the log is in it
    bool lost PARTITA_GUARDED_BY(mutex) = false;           // the log went on without it, or it cannot be kept
    size_t bytes = 0;                                      // under the mutex of VectorGraphs, like the next
    bool dropped = false;                                  // its bytes are not counted any more
    std::atomic<int64_t> used_ns{0};
    size_t tuned_rows = 0;  // of the thread that makes graphs
  };
  // What the log has behind a position, and those rows as they were after it was read.
  struct LogPage {
    storage::Position after;
    storage::Position upto;
    std::vector<storage::Key> keys;  // the first says how far the log was trimmed
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
  // Reads on in the log, a few pages. False: there is more of it.
  Task<Result<bool>> follow(CachedGraph& followed);
  // The same, of many pages, for the thread that makes graphs.
  Result<void> catch_up(CachedGraph& followed);
  Task<Result<LogPage>> read_page(CachedGraph& followed);
  // False: there is no more to be read, or the graph is lost.
  Result<bool> apply(CachedGraph& followed, const LogPage& page);
  // False: it cannot be kept.
  bool take(CachedGraph& followed, const std::string& key, std::string_view vector) PARTITA_REQUIRES(followed.mutex);
  bool make_room(CachedGraph& followed) PARTITA_REQUIRES(followed.mutex);

  // The thread that makes them and has them follow.
  void run();
  void make_next() PARTITA_REQUIRES(mutex_);
  // Of about so many rows. False: interrupted, or it cannot be kept. No other thread has `followed` yet, so its mutex
  // is not taken.
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
      PARTITA_GUARDED_BY(mutex_);                             // by where the collection begins
  std::set<std::string> pending_ PARTITA_GUARDED_BY(mutex_);  // of `wanted_`, and what is being made
  std::map<std::string, int64_t> resting_
      PARTITA_GUARDED_BY(mutex_);  // what could not be made, and until when that counts
  std::deque<Wanted> wanted_ PARTITA_GUARDED_BY(mutex_);
  size_t bytes_ PARTITA_GUARDED_BY(mutex_) = 0;     // of the graphs and of what is wanted
  bool behind_ PARTITA_GUARDED_BY(mutex_) = false;  // a search met a graph that is far behind
  std::atomic<bool> stopping_{false};
  Thread thread_ PARTITA_GUARDED_BY(mutex_);
};

}  // namespace partita::table
