#include "http/server.h"

#include <sys/resource.h>

#include <array>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <asio/write.hpp>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/executor.h"
#include "http/connection.h"
#include "http/stream.h"

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
constexpr std::string_view kFull = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

class TcpStream final : public Stream {
 public:
  explicit TcpStream(Socket socket) : socket_(std::move(socket)) {}

  void start_read(std::span<char> into, Waiter& waiter) override {
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

 private:
  Socket socket_;
};

// Resumes on one loop. However many coroutines are resumed before the loop gets to it, it is woken once.
class LoopExecutor final : public Executor {
 public:
  explicit LoopExecutor(Loop& loop) : loop_(loop) {}

  void resume(std::coroutine_handle<> handle) override {
    {
      std::lock_guard lock(mutex_);
      waiting_.push_back(handle);
      if (waiting_.size() > 1) return;
    }
    asio::post(loop_, [this] { run_waiting(); });
  }

 private:
  void run_waiting() {
    {
      std::lock_guard lock(mutex_);
      running_.swap(waiting_);
    }
    for (const std::coroutine_handle<> handle : running_) handle.resume();
    running_.clear();
  }

  Loop& loop_;
  std::mutex mutex_;
  std::vector<std::coroutine_handle<>> waiting_;
  std::vector<std::coroutine_handle<>> running_;  // only on the loop's thread
};

// One thread's loop and its connections. Everything but load() and loop() is for that thread alone.
class Worker {
 public:
  Worker(const Options& options, Handler& handler, const Clock& clock, Random& random)
      : site_{options, handler, clock, RequestIds(random), DateText()},
        loop_(1),
        executor_(loop_),
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

  // The server counted it into load() already.
  void add(Socket socket) {
    std::error_code error;
    socket.non_blocking(true, error);
    if (!error) socket.set_option(tcp::no_delay(true), error);
    if (error || site_.stopping) {
      load_.fetch_sub(1, std::memory_order_relaxed);
      return;
    }
    auto connection = std::make_unique<Connection>(site_, std::make_unique<TcpStream>(std::move(socket)));
    Connection* key = connection.get();
    connections_.emplace(key, std::move(connection));
    site_.now_ns = site_.clock.monotonic_ns();
    if (connections_.size() == 1) sweep_later();
    partita::start(key->serve(), [this, key] { remove(key); });
  }

  void stop() {
    if (std::exchange(site_.stopping, true)) return;
    for (const auto& [connection, owner] : connections_) connection->stop();
    stop_timer_.expires_after(std::chrono::milliseconds(site_.options.stop_timeout_ms));
    stop_timer_.async_wait([this](std::error_code cancelled) {
      if (cancelled) return;
      for (const auto& [connection, owner] : connections_) connection->abandon();
    });
    end_if_done();
  }

 private:
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

  void sweep_later() {
    sweeper_.expires_after(kSweepPeriod);
    sweeper_.async_wait([this](std::error_code) {
      if (connections_.empty()) return;
      site_.now_ns = site_.clock.monotonic_ns();
      for (const auto& [connection, owner] : connections_) connection->sweep();
      sweep_later();
    });
  }

  Site site_;
  Loop loop_;
  LoopExecutor executor_;
  Timer sweeper_;
  Timer stop_timer_;
  asio::executor_work_guard<Loop::executor_type> stay_;
  std::unordered_map<Connection*, std::unique_ptr<Connection>> connections_;
  std::atomic<size_t> load_{0};
};

void allow_many_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

Error unavailable(const Options& options, const std::error_code& error) {
  return Error(ErrorKind::kUnavailable, "Cannot listen on " + options.address + ":" + std::to_string(options.port) +
                                            ": " + error.message() + ".");
}

}  // namespace

struct Server::Parts {
  Parts(const Options& given, Handler& handler, const Clock& clock, Random& random) : options(given) {
    PARTITA_CHECK(options.threads > 0);
    for (unsigned i = 0; i < options.threads; ++i) {
      workers.push_back(std::make_unique<Worker>(options, handler, clock, random));
    }
    acceptor.emplace(workers.front()->loop());
    pause.emplace(workers.front()->loop());
  }

  std::error_code open() {
    std::error_code error;
    const auto address = asio::ip::make_address(options.address, error);
    if (error) return error;
    const tcp::endpoint endpoint(address, options.port);
    allow_many_files();
    acceptor->open(endpoint.protocol(), error);
    if (!error) acceptor->set_option(Acceptor::reuse_address(true), error);
    if (!error) acceptor->bind(endpoint, error);
    if (!error) acceptor->listen(asio::socket_base::max_listen_connections, error);
    if (!error) port = acceptor->local_endpoint(error).port();
    return error;
  }

  // Each connection goes to the thread that has the fewest.
  void accept() {
    Worker* chosen = workers.front().get();
    for (const auto& worker : workers) {
      if (worker->load() < chosen->load()) chosen = worker.get();
    }
    acceptor->async_accept(chosen->loop(), [this, chosen](std::error_code error, Socket socket) {
      if (!acceptor->is_open()) return;
      if (error) {  // no file descriptors left, for example: try again in a moment
        pause->expires_after(kAcceptPause);
        pause->async_wait([this](std::error_code) {
          if (acceptor->is_open()) accept();
        });
        return;
      }
      hand_over(*chosen, std::move(socket));
      accept();
    });
  }

  void hand_over(Worker& worker, Socket socket) {
    size_t connections = 0;
    for (const auto& each : workers) connections += each->load();
    if (connections >= options.max_connections) {
      std::error_code ignored;
      socket.non_blocking(true, ignored);
      socket.write_some(asio::buffer(kFull), ignored);
      return;
    }
    worker.load().fetch_add(1, std::memory_order_relaxed);
    asio::post(worker.loop(), [&worker, moved = std::move(socket)]() mutable { worker.add(std::move(moved)); });
  }

  Options options;
  uint16_t port = 0;
  std::vector<std::unique_ptr<Worker>> workers;
  std::optional<Acceptor> acceptor;
  std::optional<Timer> pause;
};

Server::Server(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::listen(const Options& options, Handler& handler, const Clock& clock,
                                               Random& random) {
  auto parts = std::make_unique<Parts>(options, handler, clock, random);
  if (const std::error_code error = parts->open()) return unavailable(options, error);
  return std::unique_ptr<Server>(new Server(std::move(parts)));
}

uint16_t Server::port() const { return parts_->port; }

void Server::run() {
  parts_->accept();
  std::vector<std::jthread> others;
  for (size_t i = 1; i < parts_->workers.size(); ++i) {
    others.emplace_back([worker = parts_->workers[i].get()] { worker->run(); });
  }
  parts_->workers.front()->run();
}

void Server::stop() {
  asio::post(parts_->workers.front()->loop(), [this] {
    std::error_code ignored;
    parts_->acceptor->close(ignored);
    parts_->pause->cancel();
  });
  for (const auto& worker : parts_->workers) {
    asio::post(worker->loop(), [each = worker.get()] { each->stop(); });
  }
}

}  // namespace partita::http
