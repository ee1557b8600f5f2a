// The graphs of this server's large collections of vectors. A graph is made of the rows in the background, once a
// search has looked at many, and follows the log of its index from then on: before it is asked, all that was
// acknowledged is in it. It only says which rows to look at; what is answered is read from the store, so that nothing
// that is gone or changed is ever answered as it was. Lost with the process, and made again.
//
// At most kMostBytes are kept; a graph that nobody asked for kIdleMs goes.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/task.h"
#include "storage/engine.h"
#include "table/schema.h"
#include "table/vector_graph.h"

namespace partita::table {

class VectorGraphs {
 public:
  // Both outlive it.
  VectorGraphs(storage::Engine& engine, const Clock& clock) : engine_(engine), clock_(clock) {}
  ~VectorGraphs();

  // The rows of one collection: all of an index, or those under one HASH.
  struct Collection {
    uint32_t table_id = 0;
    IndexInfo index;
    storage::Range rows;
  };

  // Keys of up to `count` rows, about the nearest first. Nothing: there is no graph that is up to date. Errors: those
  // of reading the log and the rows.
  Task<Result<std::optional<std::vector<std::string>>>> nearest(const Collection& collection,
                                                                std::span<const float> sought, size_t count);

  // That a graph would have served: a search looked at so many rows with keys of so many bytes.
  void want(Collection collection, size_t rows, size_t key_bytes);
  // For tests: waits until what was wanted is there or given up.
  void wait_until_made();

 private:
  static constexpr size_t kMostBytes = size_t{1} << 30;
  static constexpr int64_t kIdleMs = 600'000;

  struct Followed {
    std::shared_mutex mutex;
    std::unique_ptr<VectorGraph> graph;
    storage::Position position;  // up to which the log is in it
    bool lost = false;           // the log went on without it, or too much of it is erased
    size_t bytes = 0;
    std::atomic<int64_t> used_ns{0};
  };
  struct Wanted {
    Collection collection;
    size_t rows = 0;
    size_t bytes = 0;
  };

  std::shared_ptr<Followed> find(const std::string& collection);
  void drop(const std::string& collection, const std::shared_ptr<Followed>& followed);
  // False: it is not up to date, and may not be soon.
  Task<Result<bool>> follow(const Collection& collection, Followed& followed);
  Task<Result<bool>> follow_page(const Collection& collection, Followed& followed, bool& more);
  // The thread that makes them.
  void run();
  Result<std::shared_ptr<Followed>> make(const Wanted& wanted);
  void drop_idle();

  storage::Engine& engine_;
  const Clock& clock_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::shared_ptr<Followed>> graphs_;  // by where the collection begins
  std::set<std::string> pending_;                            // of `wanted_`, and what is being made
  std::deque<Wanted> wanted_;
  size_t bytes_ = 0;  // of the graphs and of what is wanted
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace partita::table
