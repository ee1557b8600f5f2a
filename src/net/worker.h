// One thread that serves connections: its loop, and the connections that were handed to it. Part of net::Server.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/task.h"
#include "base/thread_annotations.h"
#include "net/connection.h"
#include "net/loop.h"
#include "net/loop_executor.h"
#include "net/protocol.h"
#include "net/socket_stream.h"

namespace partita::net {

// The functions that say so are callable from any thread; the others from the worker's own, or before its run().
class Worker {
 public:
  enum class Stop : uint8_t { kNone, kDrain, kNow };

  // Outlived by the clock.
  Worker(int64_t stop_timeout_ms, const Clock& clock);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  Loop& loop() { return loop_; }
  // From now on sockets may be handed over for it; `protocol` outlives the worker. Endpoints are numbered from 0 in the
  // order of these calls.
  void add_endpoint(const Protocol& protocol);

  // Serves until stop() was called and every connection has ended, or time for that is over.
  void run();
  bool ended() const { return connections_.empty(); }

  struct Accepted {
    int socket;
    size_t endpoint;
    bool evicts;  // there are too many connections: an idle one is closed for it
  };
  // Owns the socket from now on. Without memory for it, closes it. Callable from any thread.
  void hand_over(const Accepted& accepted);
  // How many connections it has, with those that are on their way to it. Callable from any thread.
  size_t load() const { return load_.load(std::memory_order_relaxed); }
  // Closes some idle connections, soon. Callable from any thread.
  void evict_idle() { eviction_.send(); }
  // Callable from any thread, more than once; a later call may only ask for more haste.
  void stop(Stop how);

 private:
  struct Endpoint {
    const Protocol* protocol;
    std::unique_ptr<ConnectionFactory> factory;
  };

  void add_accepted();
  void add(const Accepted& accepted);
  bool begin(const Accepted& accepted);
  static Task<> serve(Connection& connection);
  void remove(Connection* connection);
  size_t close_idle();
  void begin_stop();
  void end_if_done();
  void abandon_all();
  void run_out_of_time();
  void sweep();

  const int64_t stop_timeout_ms_;
  const Clock& clock_;
  WorkerState state_;
  std::vector<Endpoint> endpoints_;
  Loop loop_;
  LoopExecutor executor_;
  StreamQueues queues_;
  Loop::Async arrivals_;
  Loop::Async stopping_;
  Loop::Async eviction_;
  Loop::Timer sweeper_;
  Loop::Timer stop_timer_;
  bool abandoned_ = false;
  std::unordered_map<Connection*, std::unique_ptr<Connection>> connections_;
  std::atomic<size_t> load_{0};
  std::atomic<Stop> stop_{Stop::kNone};
  Mutex mutex_;
  std::vector<Accepted> accepted_ PARTITA_GUARDED_BY(mutex_);
};

}  // namespace partita::net
