#include "http/server.h"

#include <dirent.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "auth/identities.h"
#include "base/budget.h"
#include "base/executor.h"
#include "base/log.h"
#include "base/priority.h"
#include "base/thread.h"
#include "base/workers.h"
#include "http/connection.h"
#include "net/address.h"
#include "net/bound_sockets.h"
#include "net/loop.h"
#include "net/stream.h"
#include "net/tcp_stream.h"
#include "net/tls_stream.h"

namespace partita::http {

namespace {

constexpr auto kSweepPeriod = std::chrono::milliseconds(250);
constexpr auto kAcceptPause = std::chrono::milliseconds(50);
constexpr int kAsideNiceness = 10;  // whoever asks for little goes first
constexpr auto kLastMoment = std::chrono::milliseconds(250);
constexpr std::string_view kFull =
    "HTTP/1.1 503 Service Unavailable\r\nx-amz-retry-after: 1000\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

// Resumes on one loop. However many coroutines are resumed before the loop gets to it, it is woken once.
class LoopExecutor final : public Executor {
 public:
  explicit LoopExecutor(net::Loop& loop)
      : call_(loop, [this] { run_waiting(); }), line_call_(loop, [this] { run_first_in_line(); }) {
    waiting_.reserve(kUsuallyWaiting);
    running_.reserve(kUsuallyWaiting);
  }

  // Nobody could carry on without its resumption: if there is no memory for a longer list, the process ends.
  void resume(std::coroutine_handle<> handle) noexcept override { resume_all({&handle, 1}); }

  void resume_all(std::span<const std::coroutine_handle<>> handles) noexcept override {
    {
      std::lock_guard lock(mutex_);
      waiting_.insert(waiting_.end(), handles.begin(), handles.end());
      if (waiting_.size() > handles.size()) return;
    }
    call_.ask();
  }

  void resume_after_ready(YieldedTask& waiting, bool first) override {
    if (line_ == nullptr) line_call_.ask();
    if (first || line_ == nullptr) {
      waiting.behind = std::exchange(line_, &waiting);
      if (waiting.behind == nullptr) last_ = &waiting;
    } else {
      last_->behind = &waiting;
      last_ = &waiting;
    }
  }

 private:
  static constexpr size_t kUsuallyWaiting = 4096;

  void run_waiting() {
    {
      std::lock_guard lock(mutex_);
      running_.swap(waiting_);
    }
    for (const std::coroutine_handle<> handle : running_) handle.resume();
    running_.clear();
  }

  // Once around the loop first: what arrived during the last piece is seen only then.
  void run_first_in_line() {
    looked_ = !looked_;
    if (looked_) return line_call_.ask();
    const YieldedTask* const first = std::exchange(line_, line_->behind);
    if (line_ != nullptr) line_call_.ask();
    first->handle.resume();
  }

  std::mutex mutex_;
  std::vector<std::coroutine_handle<>> waiting_;
  std::vector<std::coroutine_handle<>> running_;  // only on the loop's thread
  net::Loop::Call call_;
  // The rest too.
  YieldedTask* line_ = nullptr;
  YieldedTask* last_ = nullptr;
  bool looked_ = false;
  net::Loop::Call line_call_;
};

auth::Verdict administrator(const Options& options) {
  return std::make_shared<auth::Caller>(auth::Caller{.access_key_id = "administrator",
                                                     .region = options.region.empty() ? "us-east-1" : options.region,
                                                     .account_id = std::string(auth::kAccountId)});
}

// One thread's loop and its connections. Everything but load(), loop(), the hand-over and the wishes is for that thread
// alone.
class Worker {
 public:
  enum class Wish : uint8_t { kNone, kStop, kStopNow };

  Worker(const Options& options, Handler& handler, const Clock& clock, Budget& budget, Workers& aside, Random& random)
      : site_{options,
              handler,
              clock,
              budget,
              aside,
              RequestIds(random),
              DateText(),
              auth::Authenticator(options.keys, clock, options.region),
              administrator(options)},
        executor_(loop_),
        turns_(loop_),
        arrivals_(loop_, [this] { add_all(); }),
        wishes_(loop_, [this] { heed(); }),
        crowd_(loop_, [this] { close_idle(); }),
        sweeper_(loop_, [this] { sweep(); }),
        stop_timer_(loop_, [this] { run_out_of_patience(); }) {}

  ~Worker() {
    for (const Arrived& each : arrived_) ::close(each.socket);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  net::Loop& loop() { return loop_; }
  const std::atomic<size_t>& load() { return load_; }

  void run() {
    Executor::set_current(&executor_);
    raise_thread_priority();
    loop_.run();
    Executor::set_current(nullptr);
  }

  // How a connection came.
  struct Arrived {
    int socket;
    bool full;  // somebody else has to go for it
    bool administrates;
  };

  // Callable from any thread. Takes the socket. False: there is no memory.
  bool hand_over(const Arrived& connection) {
    load_.fetch_add(1, std::memory_order_relaxed);
    try {
      const std::lock_guard lock(mutex_);
      arrived_.push_back(connection);
    } catch (const std::bad_alloc&) {
      load_.fetch_sub(1, std::memory_order_relaxed);
      ::close(connection.socket);
      return false;
    }
    arrivals_.ask();
    return true;
  }
  // Callable from any thread, more than once.
  void wish(Wish wish) {
    Wish before = wish_.load();
    while (before < wish && !wish_.compare_exchange_weak(before, wish)) continue;
    wishes_.ask();
  }
  // Callable from any thread.
  void make_room() { crowd_.ask(); }

  bool ended() const { return connections_.empty(); }

 private:
  void add_all() {
    std::vector<Arrived> arrived;
    {
      const std::lock_guard lock(mutex_);
      arrived.swap(arrived_);
    }
    for (const Arrived& each : arrived) add(each);
  }

  void add(const Arrived& connection) {
    const bool turned_away = connection.full && close_idle() == 0;
    if (turned_away) static_cast<void>(!::send(connection.socket, kFull.data(), kFull.size(), MSG_NOSIGNAL));
    const bool refused = turned_away || site_.stopping;
    if (refused) ::close(connection.socket);
    if (refused || !begin(connection.socket, connection.administrates)) load_.fetch_sub(1, std::memory_order_relaxed);
  }

  // Closes those that have been idle for longest, a few at once because finding them looks at all; how many.
  size_t close_idle() {
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

  void heed() {
    const Wish wish = wish_.load();
    if (!std::exchange(site_.stopping, true)) {
      for (const auto& [connection, owner] : connections_) connection->stop();
      stop_timer_.start(std::chrono::milliseconds(site_.options.stop_timeout_ms));
    }
    if (wish == Wish::kStopNow) abandon_all();
    end_if_done();
  }

  // Takes the socket. False: there is no memory for the connection.
  bool begin(int socket, bool administrates) {
    Connection* key = nullptr;
    try {
      std::unique_ptr<net::TcpStream> plain(new (std::nothrow) net::TcpStream(socket, loop_, turns_));
      if (plain == nullptr) return ::close(socket), false;
      // From here on the stream closes it.
      net::TcpStream& opened = *plain;
      std::unique_ptr<net::Stream> stream = std::move(plain);
      if (const net::Certificate* const shown = site_.options.certificate; shown != nullptr && !administrates) {
        stream = net::TlsStream::over(std::move(stream), *shown);
        if (stream == nullptr) return false;
      }
      auto connection = std::make_unique<Connection>(site_, std::move(stream), administrates);
      key = connection.get();
      connections_.emplace(key, std::move(connection));
      if (!opened.open()) return connections_.erase(key), false;
      site_.now_ns = site_.clock.monotonic_ns();
      if (connections_.size() == 1) sweeper_.start(kSweepPeriod);
      partita::start(key->serve(), [this, key] { remove(key); });
      return true;
    } catch (const std::bad_alloc&) {
      connections_.erase(key);  // nobody serves it, so it would never end
      return false;
    }
  }

  void remove(Connection* connection) {
    connections_.erase(connection);
    load_.fetch_sub(1, std::memory_order_relaxed);
    if (connections_.empty()) sweeper_.cancel();
    end_if_done();
  }

  void end_if_done() {
    if (site_.stopping && connections_.empty()) loop_.end();
  }

  // Handlers have a moment to notice; one that still does not end is left behind with its loop.
  void abandon_all() {
    abandoned_ = true;
    for (const auto& [connection, owner] : connections_) connection->abandon();
    stop_timer_.start(kLastMoment);
  }

  void run_out_of_patience() {
    if (abandoned_) {
      loop_.end();
    } else {
      abandon_all();
    }
  }

  void sweep() {
    if (connections_.empty()) return;
    site_.now_ns = site_.clock.monotonic_ns();
    for (const auto& [connection, owner] : connections_) connection->sweep();
    sweeper_.start(kSweepPeriod);
  }

  Site site_;
  net::Loop loop_;
  LoopExecutor executor_;
  net::Turns turns_;
  net::Loop::Call arrivals_;
  net::Loop::Call wishes_;
  net::Loop::Call crowd_;
  net::Loop::Timer sweeper_;
  net::Loop::Timer stop_timer_;
  bool abandoned_ = false;
  std::unordered_map<Connection*, std::unique_ptr<Connection>> connections_;
  std::atomic<size_t> load_{0};
  std::atomic<Wish> wish_{Wish::kNone};
  std::mutex mutex_;
  std::vector<Arrived> arrived_;
};

// Nothing where there is no /proc; all of them when not even that can be read for want of one.
std::optional<size_t> open_files() {
  DIR* const directory = ::opendir("/proc/self/fd");
  if (directory == nullptr && errno == EMFILE) return SIZE_MAX;
  if (directory == nullptr) return std::nullopt;
  size_t count = 0;
  while (::readdir(directory) != nullptr) ++count;
  ::closedir(directory);
  return count - std::min<size_t>(count, 3);  // ".", "..", and the directory itself
}

// How many connections there may be so that the store keeps file descriptors of its own, whatever clients do. Error:
// kUnavailable, when too few are left for either.
Result<size_t> connections_within_limits(size_t wanted) {
  constexpr size_t kMostReserved = 4096;
  constexpr size_t kLeastFree = 32;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  const size_t files = limit.rlim_cur;
  const size_t used = std::min(files, open_files().value_or(0));
  if (files - used < kLeastFree) {
    return Error(ErrorKind::kUnavailable, "The limit of open files is " + std::to_string(files) + ", and " +
                                              std::to_string(used) +
                                              " are in use before the first connection: raise it to at least " +
                                              std::to_string(used + kLeastFree) + " (ulimit -n, LimitNOFILE=).");
  }
  return std::max<size_t>(1, std::min(wanted, files - used - std::min((files - used) / 2, kMostReserved)));
}

std::string text_of_error(int error) { return std::system_category().message(error); }

// A socket that listens; each connection is given to `take`.
class Listener final : private net::Loop::Watch {
 public:
  Listener(net::Loop& loop, std::function<void(int)> take, std::function<void()> make_room)
      : loop_(loop), take_(std::move(take)), make_room_(std::move(make_room)), pause_(loop, [this] { accept_all(); }) {}
  ~Listener() { close(); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // With a socket that stays the caller's. 0, or why not, as errno says it.
  int open(int socket, const net::Address& place) {
    if (::listen(socket, SOMAXCONN) != 0) return errno;
    place_ = place;
    return open(socket);
  }
  // The same with one that listens already.
  int open(int socket) {
    socket_ = ::fcntl(socket, F_DUPFD_CLOEXEC, 0);
    return socket_ < 0 ? errno : 0;
  }
  const net::Address& place() const { return place_; }

  bool start() { return loop_.watch(socket_, *this); }
  void close() {
    if (socket_ < 0) return;
    loop_.unwatch(socket_, *this);
    ::close(std::exchange(socket_, -1));
    pause_.cancel();
  }

 private:
  void ready(bool, bool, bool) override { accept_all(); }

  void accept_all() {
    while (socket_ >= 0) {
      const int accepted = ::accept4(socket_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (accepted >= 0) {
        const int yes = 1;
        ::setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        take_(accepted);
      } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        return;
      } else if (errno != EINTR && errno != ECONNABORTED) {
        return recover(errno);
      }
    }
  }

  // No file descriptors left, for example: make room, and try again in a moment.
  void recover(int error) {
    static LogThrottle throttle;
    uint64_t unsaid = 0;
    if (throttle.pass(unsaid)) {
      log(LogLevel::kWarn, {"A connection could not be accepted: ", text_of_error(error), "."});
    }
    make_room_();
    pause_.start(kAcceptPause);
  }

  net::Loop& loop_;
  std::function<void(int)> take_;
  std::function<void()> make_room_;
  net::Loop::Timer pause_;  // after a connection that could not be accepted
  int socket_ = -1;
  net::Address place_;
};

}  // namespace

struct Server::Parts {
  Parts(const Options& given, Handler& handler, const Clock& clock, Random& random)
      : options(given), budget(given.memory_budget), aside((given.threads + 1) / 2, kAsideNiceness) {
    PARTITA_CHECK(options.threads > 0);
    for (unsigned i = 0; i < options.threads; ++i) {
      workers.push_back(std::make_unique<Worker>(options, handler, clock, budget, aside, random));
    }
    closing = std::make_unique<net::Loop::Call>(front(), [this] { stop_listening(); });
  }

  net::Loop& front() { return workers.front()->loop(); }

  Result<void> open(const net::BoundSockets& sockets) {
    for (const auto& worker : workers) {
      if (const int error = worker->loop().trouble()) return sockets.failed(error);
    }
    port = sockets.port();
    for (const auto& [place, socket] : sockets.all()) {
      auto listener = listener_for([this](int accepted) { hand_over(accepted, false); });
      if (const int error = listener->open(socket, place)) return sockets.failed(error);
      listeners.push_back(std::move(listener));
    }
    if (options.admin_socket != nullptr) {
      auto listener = listener_for([this](int accepted) { hand_over(accepted, true); });
      if (const int error = listener->open(options.admin_socket->socket())) return sockets.failed(error);
      admin_listener = std::move(listener);
    }
    raise_file_limit();
    return {};
  }

  Result<void> start() {
    PARTITA_TRY(most_connections, connections_within_limits(options.max_connections));
    bool watched = std::ranges::all_of(listeners, [](const auto& listener) { return listener->start(); });
    if (admin_listener != nullptr) watched = admin_listener->start() && watched;
    if (!watched) {
      return Error(ErrorKind::kUnavailable, "Cannot watch the sockets that listen: " + text_of_error(errno) + ".");
    }
    for (size_t i = 1; i < workers.size(); ++i) {
      PARTITA_TRY(Thread thread,
                  Thread::start("server", [worker = workers[i].get()](const std::stop_token&) { worker->run(); }));
      others.push_back(std::move(thread));
    }
    return {};
  }

  std::unique_ptr<Listener> listener_for(std::function<void(int)> take) {
    return std::make_unique<Listener>(front(), std::move(take), [this] { make_room(); });
  }

  // Each connection goes to the thread that has the fewest.
  void hand_over(int socket, bool administrates) {
    Worker* chosen = workers.front().get();
    size_t connections = 0;
    for (const auto& worker : workers) {
      connections += worker->load();
      if (worker->load() < chosen->load()) chosen = worker.get();
    }
    const bool full = !administrates && connections >= most_connections;
    static_cast<void>(chosen->hand_over({socket, full, administrates}));
  }

  void make_room() {
    for (const auto& worker : workers) worker->make_room();
  }

  void stop(Worker::Wish wish) {
    closing->ask();
    for (const auto& worker : workers) worker->wish(wish);
  }

  void stop_listening() {
    for (const auto& listener : listeners) listener->close();
    if (admin_listener != nullptr) admin_listener->close();
  }

  Options options;
  Budget budget;
  Workers aside;
  uint16_t port = 0;
  size_t most_connections = 0;
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<std::unique_ptr<Listener>> listeners;
  std::unique_ptr<Listener> admin_listener;
  std::unique_ptr<net::Loop::Call> closing;  // of the listeners, on the thread that they belong to
  std::vector<Thread> others;                // than the one that calls run()
};

Server::Server(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Server::~Server() {
  if (!parts_->others.empty()) {  // started and never run
    stop_now();
    parts_->others.clear();
  }
  const bool ended = std::ranges::all_of(parts_->workers, &Worker::ended);
  if (ended) return;
  // Handlers that never answered may still come back to what is here.
  static std::vector<std::unique_ptr<Parts>> left_behind;
  left_behind.push_back(std::move(parts_));
}

Result<std::unique_ptr<Server>> Server::listen(const Options& options, Handler& handler, const Clock& clock,
                                               Random& random) {
  const bool beyond_loopback = options.beyond_loopback || options.keys != nullptr;
  PARTITA_TRY(net::BoundSockets sockets, net::BoundSockets::bind(options.address, options.port, beyond_loopback));
  return listen(options, std::move(sockets), handler, clock, random);
}

Result<std::unique_ptr<Server>> Server::listen(const Options& options, net::BoundSockets sockets, Handler& handler,
                                               const Clock& clock, Random& random) {
  auto parts = std::make_unique<Parts>(options, handler, clock, random);
  PARTITA_TRY_VOID(parts->open(sockets));
  return std::unique_ptr<Server>(new Server(std::move(parts)));
}

void Server::raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

uint16_t Server::port() const { return parts_->port; }

std::vector<std::string> Server::places() const {
  std::vector<std::string> places;
  for (const auto& listener : parts_->listeners) places.push_back(listener->place().text());
  return places;
}

bool Server::beyond_loopback() const {
  return !std::ranges::all_of(parts_->listeners, [](const auto& listener) { return listener->place().is_loopback(); });
}

size_t Server::most_connections() const { return parts_->most_connections; }

void Server::report(Exposition& out) const {
  size_t connections = 0;
  for (const auto& worker : parts_->workers) connections += worker->load();
  const auto say = [&](std::string_view name, std::string_view help, size_t value) {
    out.gauge(name, help, static_cast<double>(value));
  };
  say("partita_connections", "Connections that clients have open.", connections);
  say("partita_connections_limit", "How many there may be.", parts_->most_connections);
  say("partita_request_memory_bytes", "Memory that requests have of --memory-budget.", parts_->budget.used());
  say("partita_request_memory_limit_bytes", "What --memory-budget allows.", parts_->budget.limit());
}

Result<void> Server::start() { return parts_->start(); }

bool Server::run() {
  parts_->workers.front()->run();
  parts_->others.clear();
  return std::ranges::all_of(parts_->workers, &Worker::ended);
}

void Server::stop() { parts_->stop(Worker::Wish::kStop); }
void Server::stop_now() { parts_->stop(Worker::Wish::kStopNow); }

}  // namespace partita::http
