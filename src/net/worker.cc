#include "net/worker.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

#include "base/executor.h"
#include "base/log.h"
#include "base/priority.h"
#include "net/tls_stream.h"

namespace partita::net {

namespace {

constexpr auto kSweepPeriod = std::chrono::milliseconds(250);
constexpr auto kLastMoment = std::chrono::milliseconds(250);

}  // namespace

Worker::Worker(int64_t stop_timeout_ms, const Clock& clock)
    : stop_timeout_ms_(stop_timeout_ms),
      clock_(clock),
      executor_(loop_),
      queues_(loop_),
      arrivals_(loop_, [this] { add_accepted(); }),
      stopping_(loop_, [this] { begin_stop(); }),
      eviction_(loop_, [this] { close_idle(); }),
      sweeper_(loop_, [this] { sweep(); }),
      stop_timer_(loop_, [this] { run_out_of_time(); }) {}

Worker::~Worker() {
  for (const Accepted& each : accepted_) ::close(each.socket);
}

void Worker::add_endpoint(const Protocol& protocol) {
  endpoints_.push_back({&protocol, protocol.make_factory(state_)});
}

void Worker::run() {
  Executor::set_current(&executor_);
  raise_thread_priority();
  loop_.run();
  Executor::set_current(nullptr);
}

void Worker::hand_over(const Accepted& accepted) {
  load_.fetch_add(1, std::memory_order_relaxed);
  try {
    const MutexLock lock(mutex_);
    accepted_.push_back(accepted);
  } catch (const std::bad_alloc&) {
    load_.fetch_sub(1, std::memory_order_relaxed);
    ::close(accepted.socket);
    return;
  }
  arrivals_.send();
}

void Worker::stop(Stop how) {
  Stop before = stop_.load();
  while (before < how && !stop_.compare_exchange_weak(before, how)) continue;
  stopping_.send();
}

void Worker::add_accepted() {
  std::vector<Accepted> accepted;
  {
    const MutexLock lock(mutex_);
    accepted.swap(accepted_);
  }
  for (const Accepted& each : accepted) add(each);
}

void Worker::add(const Accepted& accepted) {
  const bool full = accepted.evicts && close_idle() == 0;
  if (full) {
    const std::string_view reply = endpoints_[accepted.endpoint].protocol->full_reply;
    static_cast<void>(!::send(accepted.socket, reply.data(), reply.size(), MSG_NOSIGNAL));
  }
  const bool refused = full || state_.stopping;
  if (refused) ::close(accepted.socket);
  if (refused || !begin(accepted)) load_.fetch_sub(1, std::memory_order_relaxed);
}

// Closes those that have been idle for longest, a few at once because finding them looks at all; how many.
size_t Worker::close_idle() {
  constexpr size_t kShare = 64;
  std::vector<std::pair<int64_t, Connection*>> idle;
  for (const auto& [connection, owner] : connections_) {
    if (const auto until = connection->idle_until_ns()) idle.emplace_back(*until, connection);
  }
  const size_t closed = std::min(idle.size(), idle.size() / kShare + 1);
  std::ranges::nth_element(idle, idle.begin() + static_cast<ptrdiff_t>(closed));
  for (size_t i = 0; i < closed; ++i) idle[i].second->abandon();
  return closed;
}

void Worker::begin_stop() {
  const Stop how = stop_.load();
  if (!std::exchange(state_.stopping, true)) {
    for (const auto& [connection, owner] : connections_) connection->stop();
    stop_timer_.start(std::chrono::milliseconds(stop_timeout_ms_));
  }
  if (how == Stop::kNow) abandon_all();
  end_if_done();
}

// Owns the socket. False: there is no memory for the connection.
bool Worker::begin(const Accepted& accepted) {
  const Endpoint& endpoint = endpoints_[accepted.endpoint];
  Connection* key = nullptr;
  try {
    std::unique_ptr<SocketStream> plain(new (std::nothrow) SocketStream(accepted.socket, loop_, queues_));
    if (plain == nullptr) return ::close(accepted.socket), false;
    // From here on the stream closes it.
    SocketStream& opened = *plain;
    std::unique_ptr<Stream> stream = std::move(plain);
    if (endpoint.protocol->tls.certificate != nullptr) {
      stream = TlsStream::accept(std::move(stream), endpoint.protocol->tls);
      if (stream == nullptr) return false;
    }
    auto connection = endpoint.factory->make(std::move(stream));
    key = connection.get();
    connections_.emplace(key, std::move(connection));
    if (!opened.open()) return connections_.erase(key), false;
    state_.now_ns = clock_.monotonic_ns();
    if (connections_.size() == 1) sweeper_.start(kSweepPeriod);
    start(serve(*key), [this, key] { remove(key); });
    return true;
  } catch (const std::bad_alloc&) {
    connections_.erase(key);  // nobody serves it, so it would never end
    return false;
  }
}

Task<> Worker::serve(Connection& connection) {
  bool failed = false;
  try {
    co_await connection.serve();
  } catch (const std::bad_alloc&) {
    failed = true;
  }
  if (failed) log(LogLevel::kError, "A connection was closed because there is no memory for it.");
}

void Worker::remove(Connection* connection) {
  connections_.erase(connection);
  load_.fetch_sub(1, std::memory_order_relaxed);
  if (connections_.empty()) sweeper_.cancel();
  end_if_done();
}

void Worker::end_if_done() {
  if (state_.stopping && connections_.empty()) loop_.stop();
}

// Handlers have a moment to notice; one that still does not end is left behind with its loop.
void Worker::abandon_all() {
  abandoned_ = true;
  for (const auto& [connection, owner] : connections_) connection->abandon();
  stop_timer_.start(kLastMoment);
}

void Worker::run_out_of_time() {
  if (abandoned_) {
    loop_.stop();
  } else {
    abandon_all();
  }
}

void Worker::sweep() {
  if (connections_.empty()) return;
  state_.now_ns = clock_.monotonic_ns();
  for (const auto& [connection, owner] : connections_) connection->sweep();
  sweeper_.start(kSweepPeriod);
}

}  // namespace partita::net
