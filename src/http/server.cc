#include "http/server.h"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/ip/v6_only.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <asio/write.hpp>
#include <atomic>
#include <chrono>
#include <mutex>
#include <new>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/executor.h"
#include "base/log.h"
#include "base/workers.h"
#include "http/connection.h"
#include "http/stream.h"
#include "http/wakeup.h"

namespace partita::http {

namespace {

using asio::ip::tcp;
using Loop = asio::io_context;
using Socket = asio::basic_stream_socket<tcp, Loop::executor_type>;
using Acceptor = asio::basic_socket_acceptor<tcp, Loop::executor_type>;
using Timer = asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>,
                                         Loop::executor_type>;

constexpr auto kSweepPeriod = std::chrono::milliseconds(250);
constexpr auto kAcceptPause = std::chrono::milliseconds(50);
constexpr int kAsideNiceness = 10;  // whoever asks for little goes first
constexpr auto kLastMoment = std::chrono::milliseconds(250);
constexpr std::string_view kFull = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

struct Listener {
  explicit Listener(Loop& loop) : acceptor(loop), pause(loop) {}
  Acceptor acceptor;
  tcp::endpoint place;
  Timer pause;  // after a connection that could not be accepted
};

class TcpStream;

// Reads of one loop that have time: one for each round of the loop, so that whatever became ready goes before the next.
class BulkyReads {
 public:
  explicit BulkyReads(Loop& loop) : wakeup_(loop, [this] { read_one(); }) {}
  // A stream that does not wait yet.
  void add(TcpStream& stream);

 private:
  void read_one();

  TcpStream* first_ = nullptr;
  TcpStream* last_ = nullptr;
  Wakeup wakeup_;
};

class TcpStream final : public Stream {
 public:
  TcpStream(Socket socket, BulkyReads& bulky) : socket_(std::move(socket)), bulky_(bulky) {}

  void start_read(std::span<char> into, bool bulky, Waiter& waiter) override {
    if (bulky) {
      piece_ = into;
      reader_ = &waiter;
      bulky_.add(*this);
      return;
    }
    socket_.async_read_some(asio::buffer(into.data(), into.size()), [&waiter](std::error_code error, size_t size) {
      waiter.bytes = error ? 0 : size;
      waiter.handle.resume();
    });
  }

  // Almost every reply fits into the socket's buffer: then it costs one system call and no wait.
  bool start_write(std::string_view first, std::string_view second, Waiter& waiter) override {
    const std::array<asio::const_buffer, 2> pieces = {asio::buffer(first), asio::buffer(second)};
    std::error_code error;
    const size_t written = socket_.write_some(pieces, error);
    if (error && error != asio::error::would_block) return true;
    waiter.bytes = written;
    if (written == first.size() + second.size()) return true;
    const size_t of_first = std::min(written, first.size());
    const std::array<asio::const_buffer, 2> rest = {asio::buffer(first.substr(of_first)),
                                                    asio::buffer(second.substr(written - of_first))};
    asio::async_write(socket_, rest, [&waiter](std::error_code failed, size_t size) {
      waiter.bytes = failed ? 0 : waiter.bytes + size;
      waiter.handle.resume();
    });
    return false;
  }

  void shutdown() override {
    std::error_code ignored;
    socket_.shutdown(Socket::shutdown_send, ignored);
  }

  void close() override {
    std::error_code ignored;
    socket_.close(ignored);
  }

  void read_piece() {
    std::error_code error;
    const size_t size = socket_.read_some(asio::buffer(piece_.data(), piece_.size()), error);
    if (error == asio::error::would_block) {
      if (wait_for_more()) return;
    }
    reader_->bytes = error ? 0 : size;
    reader_->handle.resume();
  }

 private:
  friend class BulkyReads;

  // False when there is no memory for it.
  bool wait_for_more() {
    try {
      socket_.async_wait(Socket::wait_read, [this](std::error_code) { bulky_.add(*this); });
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  Socket socket_;
  BulkyReads& bulky_;
  TcpStream* behind_ = nullptr;  // in the queue of bulky_
  std::span<char> piece_;
  Waiter* reader_ = nullptr;
};

void BulkyReads::add(TcpStream& stream) {
  stream.behind_ = nullptr;
  (first_ == nullptr ? first_ : last_->behind_) = &stream;
  last_ = &stream;
  if (first_ == last_) wakeup_.ask();
}

// The stream may come back, or end, before read_piece() returns.
void BulkyReads::read_one() {
  TcpStream* const first = std::exchange(first_, first_->behind_);
  if (first_ != nullptr) wakeup_.ask();
  first->read_piece();
}

// Resumes on one loop. However many coroutines are resumed before the loop gets to it, it is woken once.
class LoopExecutor final : public Executor {
 public:
  explicit LoopExecutor(Loop& loop)
      : wakeup_(loop, [this] { run_waiting(); }), line_wakeup_(loop, [this] { run_first_in_line(); }) {
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
    wakeup_.ask();
  }

  void wait_in_line(InLine& waiting, bool first) override {
    if (line_ == nullptr) line_wakeup_.ask();
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
    if (looked_) return line_wakeup_.ask();
    const InLine* const first = std::exchange(line_, line_->behind);
    if (line_ != nullptr) line_wakeup_.ask();
    first->handle.resume();
  }

  std::mutex mutex_;
  std::vector<std::coroutine_handle<>> waiting_;
  std::vector<std::coroutine_handle<>> running_;  // only on the loop's thread
  Wakeup wakeup_;
  // The rest too.
  InLine* line_ = nullptr;
  InLine* last_ = nullptr;
  bool looked_ = false;
  Wakeup line_wakeup_;
};

// One thread's loop and its connections. Everything but load() and loop() is for that thread alone.
class Worker {
 public:
  Worker(const Options& options, Handler& handler, const Clock& clock, Budget& budget, Workers& aside, Random& random)
      : site_{options, handler, clock, budget, aside, RequestIds(random), DateText()},
        loop_(1),
        executor_(loop_),
        bulky_reads_(loop_),
        sweeper_(loop_),
        stop_timer_(loop_),
        stay_(loop_.get_executor()) {}

  Loop& loop() { return loop_; }
  std::atomic<size_t>& load() { return load_; }

  void run() {
    Executor::set_current(&executor_);
    loop_.run();
    Executor::set_current(nullptr);
  }

  // The server counted it into load() already. When it is `full` somebody else has to go.
  void add(Socket socket, bool full) {
    std::error_code error;
    socket.non_blocking(true, error);
    if (!error) socket.set_option(tcp::no_delay(true), error);
    const bool turned_away = full && close_idle() == 0;
    if (turned_away) socket.write_some(asio::buffer(kFull), error);
    if (error || turned_away || site_.stopping || !begin(std::move(socket))) {
      load_.fetch_sub(1, std::memory_order_relaxed);
    }
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

  void stop() {
    if (std::exchange(site_.stopping, true)) return;
    for (const auto& [connection, owner] : connections_) connection->stop();
    wait_for_the_rest(site_.options.stop_timeout_ms);
    end_if_done();
  }

  void stop_now() {
    stop();
    abandon_all();
  }

  bool ended() const { return connections_.empty(); }

 private:
  bool begin(Socket socket) {
    try {
      auto connection =
          std::make_unique<Connection>(site_, std::make_unique<TcpStream>(std::move(socket), bulky_reads_));
      Connection* key = connection.get();
      connections_.emplace(key, std::move(connection));
      site_.now_ns = site_.clock.monotonic_ns();
      if (connections_.size() == 1) sweep_later();
      partita::start(key->serve(), [this, key] { remove(key); });
      return true;
    } catch (const std::bad_alloc&) {
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
    if (!site_.stopping || !connections_.empty()) return;
    stop_timer_.cancel();
    stay_.reset();
  }

  void wait_for_the_rest(int64_t ms) {
    stop_timer_.expires_after(std::chrono::milliseconds(ms));
    stop_timer_.async_wait([this](std::error_code cancelled) {
      if (!cancelled) abandon_all();
    });
  }

  // Handlers have a moment to notice; one that still does not end is left behind with its loop.
  void abandon_all() {
    for (const auto& [connection, owner] : connections_) connection->abandon();
    stop_timer_.expires_after(kLastMoment);
    stop_timer_.async_wait([this](std::error_code cancelled) {
      if (!cancelled) loop_.stop();
    });
    end_if_done();
  }

  void sweep_later() {
    sweeper_.expires_after(kSweepPeriod);
    sweeper_.async_wait([this](std::error_code cancelled) {
      if (cancelled || connections_.empty()) return;
      site_.now_ns = site_.clock.monotonic_ns();
      for (const auto& [connection, owner] : connections_) connection->sweep();
      sweep_later();
    });
  }

  Site site_;
  Loop loop_;
  LoopExecutor executor_;
  BulkyReads bulky_reads_;
  Timer sweeper_;
  Timer stop_timer_;
  asio::executor_work_guard<Loop::executor_type> stay_;
  std::unordered_map<Connection*, std::unique_ptr<Connection>> connections_;
  std::atomic<size_t> load_{0};
};

// How many connections there may be so that the store keeps file descriptors of its own, whatever clients do.
size_t connections_within_limits(size_t wanted) {
  constexpr size_t kMostReserved = 4096;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  const size_t files = limit.rlim_cur;
  return std::max<size_t>(1, std::min(wanted, files - std::min(files / 2, kMostReserved)));
}

Error unavailable(const Options& options, const std::string& why) {
  const std::string address = options.address.empty() ? "localhost" : options.address;
  return Error(ErrorKind::kUnavailable,
               "Cannot listen on " + address + ":" + std::to_string(options.port) + ": " + why + ".");
}

// All addresses that the options name; the first is the one to be told to people.
std::vector<asio::ip::address> addresses_of(const Options& options, std::error_code& error) {
  if (options.address.empty() || options.address == "localhost") {
    return {asio::ip::address_v4::loopback(), asio::ip::address_v6::loopback()};
  }
  std::vector<asio::ip::address> found = {asio::ip::make_address(options.address, error)};
  if (!error) return found;
  found.clear();
  asio::io_context context;
  tcp::resolver resolver(context);
  for (const auto& entry : resolver.resolve(options.address, "", tcp::resolver::passive, error)) {
    const asio::ip::address address = entry.endpoint().address();
    if (std::ranges::find(found, address) == found.end()) found.push_back(address);
  }
  return found;
}

}  // namespace

struct Server::Parts {
  Parts(const Options& given, Handler& handler, const Clock& clock, Random& random)
      : options(given), budget(given.memory_budget), aside((given.threads + 1) / 2, kAsideNiceness) {
    PARTITA_CHECK(options.threads > 0);
    for (unsigned i = 0; i < options.threads; ++i) {
      workers.push_back(std::make_unique<Worker>(options, handler, clock, budget, aside, random));
    }
  }

  Loop& front() { return workers.front()->loop(); }

  Result<void> open() {
    std::error_code error;
    const auto addresses = addresses_of(options, error);
    if (error) return unavailable(options, error.message());
    const bool local = std::ranges::all_of(addresses, [](const auto& address) { return address.is_loopback(); });
    if (!local && !options.beyond_loopback) {
      return unavailable(options,
                         "it is not a loopback address, and signatures are not verified yet; add --insecure to "
                         "offer everything to whoever reaches the port");
    }
    port = options.port;
    for (const auto& address : addresses) {
      error = listen_on(address);
      // A machine without IPv6 still has the other loopback address.
      const bool optional =
          !listeners.empty() && (error == asio::error::address_family_not_supported || error.value() == EADDRNOTAVAIL);
      if (error && !optional) return unavailable(options, error.message());
    }
    raise_file_limit();
    most_connections = connections_within_limits(options.max_connections);
    return {};
  }

  std::error_code listen_on(const asio::ip::address& address) {
    std::error_code error;
    const tcp::endpoint endpoint(address, port);
    auto listener = std::make_unique<Listener>(front());
    listener->acceptor.open(endpoint.protocol(), error);
    if (!error && address.is_v6()) listener->acceptor.set_option(asio::ip::v6_only(true), error);
    if (!error) listener->acceptor.set_option(Acceptor::reuse_address(true), error);
    if (!error) listener->acceptor.bind(endpoint, error);
    if (!error) listener->acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error) return error;
    listener->place = listener->acceptor.local_endpoint(error);
    port = listener->place.port();
    listeners.push_back(std::move(listener));
    return error;
  }

  // Each connection goes to the thread that has the fewest.
  void accept(Listener& listener) {
    Worker* chosen = workers.front().get();
    for (const auto& worker : workers) {
      if (worker->load() < chosen->load()) chosen = worker.get();
    }
    listener.acceptor.async_accept(chosen->loop(), [this, chosen, &listener](std::error_code error, Socket socket) {
      if (!listener.acceptor.is_open()) return;
      if (error) {
        recover(listener, error);
        return;
      }
      hand_over(*chosen, std::move(socket));
      accept(listener);
    });
  }

  // No file descriptors left, for example: make room, and try again in a moment.
  void recover(Listener& listener, const std::error_code& error) {
    static LogThrottle throttle;
    uint64_t unsaid = 0;
    if (throttle.pass(unsaid)) log(LogLevel::kWarn, {"A connection could not be accepted: ", error.message(), "."});
    for (const auto& worker : workers) {
      asio::post(worker->loop(), [each = worker.get()] { each->close_idle(); });
    }
    listener.pause.expires_after(kAcceptPause);
    listener.pause.async_wait([this, &listener](std::error_code) {
      if (listener.acceptor.is_open()) accept(listener);
    });
  }

  void hand_over(Worker& worker, Socket socket) {
    size_t connections = 0;
    for (const auto& each : workers) connections += each->load();
    const bool full = connections >= most_connections;
    worker.load().fetch_add(1, std::memory_order_relaxed);
    asio::post(worker.loop(),
               [&worker, full, moved = std::move(socket)]() mutable { worker.add(std::move(moved), full); });
  }

  void stop(void (Worker::*how)()) {
    asio::post(front(), [this] {
      std::error_code ignored;
      for (const auto& listener : listeners) {
        listener->acceptor.close(ignored);
        listener->pause.cancel();
      }
    });
    for (const auto& worker : workers) {
      asio::post(worker->loop(), [each = worker.get(), how] { (each->*how)(); });
    }
  }

  Options options;
  Budget budget;
  Workers aside;
  uint16_t port = 0;
  size_t most_connections = 0;
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<std::unique_ptr<Listener>> listeners;
};

Server::Server(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Server::~Server() {
  const bool ended = std::ranges::all_of(parts_->workers, &Worker::ended);
  if (ended) return;
  // Handlers that never answered may still come back to what is here.
  static std::vector<std::unique_ptr<Parts>> left_behind;
  left_behind.push_back(std::move(parts_));
}

Result<std::unique_ptr<Server>> Server::listen(const Options& options, Handler& handler, const Clock& clock,
                                               Random& random) {
  auto parts = std::make_unique<Parts>(options, handler, clock, random);
  PARTITA_TRY_VOID(parts->open());
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
  for (const auto& listener : parts_->listeners) {
    const asio::ip::address address = listener->place.address();
    const std::string digits = address.to_string();
    places.push_back((address.is_v6() ? "[" + digits + "]" : digits) + ":" + std::to_string(listener->place.port()));
  }
  return places;
}

bool Server::beyond_loopback() const {
  return !std::ranges::all_of(parts_->listeners,
                              [](const auto& listener) { return listener->place.address().is_loopback(); });
}

size_t Server::most_connections() const { return parts_->most_connections; }

bool Server::run() {
  for (const auto& listener : parts_->listeners) parts_->accept(*listener);
  {
    std::vector<std::jthread> others;
    for (size_t i = 1; i < parts_->workers.size(); ++i) {
      others.emplace_back([worker = parts_->workers[i].get()] { worker->run(); });
    }
    parts_->workers.front()->run();
  }
  return std::ranges::all_of(parts_->workers, &Worker::ended);
}

void Server::stop() { parts_->stop(&Worker::stop); }
void Server::stop_now() { parts_->stop(&Worker::stop_now); }

}  // namespace partita::http
