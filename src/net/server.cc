#include "net/server.h"

#include <dirent.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "base/thread.h"
#include "net/listener.h"
#include "net/worker.h"

namespace partita::net {

namespace {

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

}  // namespace

struct Server::Parts {
  Parts(const ServerOptions& given, const Clock& clock) : options(given) {
    PARTITA_CHECK(options.threads > 0);
    for (unsigned i = 0; i < options.threads; ++i) {
      workers.push_back(std::make_unique<Worker>(options.stop_timeout_ms, clock));
    }
    closing = std::make_unique<Loop::Async>(front(), [this] { stop_listening(); });
  }

  Loop& front() { return workers.front()->loop(); }

  // Why the workers' loops are of no use, as errno says it; 0 when they are.
  int loop_error() const {
    for (const auto& worker : workers) {
      if (const int error = worker->loop().error()) return error;
    }
    return 0;
  }

  void add_protocol(const Protocol& protocol) {
    protocols.push_back(protocol);
    for (const auto& worker : workers) worker->add_endpoint(protocols.back());
  }

  // Of the protocol that was added last. `address` is null for a socket that listens already. 0, or an errno.
  int open(int socket, const Address* address) {
    auto listener = std::make_unique<Listener>(
        front(), [this, endpoint = protocols.size() - 1](int accepted) { hand_over(accepted, endpoint); },
        [this] { make_room(); });
    const int error = address != nullptr ? listener->open(socket, *address) : listener->open(socket);
    if (error == 0) listeners.push_back({std::move(listener), protocols.back().scheme});
    return error;
  }

  Result<void> start() {
    PARTITA_TRY(connection_limit, connections_within_limits(options.max_connections));
    if (!std::ranges::all_of(listeners, [](const auto& opened) { return opened.listener->start(); })) {
      return Error(ErrorKind::kUnavailable, "Cannot watch the sockets that listen: " + text_of_error(errno) + ".");
    }
    for (size_t i = 1; i < workers.size(); ++i) {
      PARTITA_TRY(Thread thread,
                  Thread::start("server", [worker = workers[i].get()](const std::stop_token&) { worker->run(); }));
      others.push_back(std::move(thread));
    }
    return {};
  }

  // Each connection goes to the thread that has the fewest.
  void hand_over(int socket, size_t endpoint) {
    Worker* chosen = workers.front().get();
    size_t connections = 0;
    for (const auto& worker : workers) {
      connections += worker->load();
      if (worker->load() < chosen->load()) chosen = worker.get();
    }
    chosen->hand_over({socket, endpoint, protocols[endpoint].limited && connections >= connection_limit});
  }

  void make_room() {
    for (const auto& worker : workers) worker->evict_idle();
  }

  void stop(Worker::Stop how) {
    closing->send();
    for (const auto& worker : workers) worker->stop(how);
  }

  void stop_listening() {
    for (const auto& opened : listeners) opened.listener->close();
  }

  const ServerOptions options;
  size_t connection_limit = 0;
  std::deque<Protocol> protocols;  // whose addresses stay; the endpoints of each worker, in their order
  std::vector<std::unique_ptr<Worker>> workers;
  struct Opened {
    std::unique_ptr<Listener> listener;
    std::string_view scheme;
  };
  std::vector<Opened> listeners;
  std::unique_ptr<Loop::Async> closing;  // of the listeners, on the thread that they belong to
  std::vector<Thread> others;            // than the one that calls run()
};

Server::Server(const ServerOptions& options, const Clock& clock) : parts_(std::make_unique<Parts>(options, clock)) {}

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

void Server::raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

Result<void> Server::listen(BoundSockets sockets, const Protocol& protocol) {
  if (const int error = parts_->loop_error()) return sockets.failed(error);
  parts_->add_protocol(protocol);
  for (const auto& [address, socket] : sockets.all()) {
    if (const int error = parts_->open(socket, &address)) return sockets.failed(error);
  }
  raise_file_limit();
  return {};
}

Result<void> Server::listen(int socket, const Protocol& protocol) {
  int error = parts_->loop_error();
  if (error == 0) {
    parts_->add_protocol(protocol);
    error = parts_->open(socket, nullptr);
  }
  if (error == 0) return {};
  return Error(ErrorKind::kUnavailable, "Cannot listen on a socket: " + text_of_error(error) + ".");
}

std::vector<Address> Server::addresses() const {
  std::vector<Address> addresses;
  for (const auto& [listener, scheme] : parts_->listeners) {
    if (listener->address()) addresses.push_back(*listener->address());
  }
  return addresses;
}

std::vector<std::string> Server::urls() const {
  std::vector<std::string> urls;
  for (const auto& [listener, scheme] : parts_->listeners) {
    if (listener->address()) urls.push_back(std::string(scheme) + "://" + listener->address()->text());
  }
  return urls;
}

bool Server::beyond_loopback() const { return !std::ranges::all_of(addresses(), &Address::is_loopback); }

size_t Server::connection_limit() const { return parts_->connection_limit; }

void Server::report(Exposition& out) const {
  size_t connections = 0;
  for (const auto& worker : parts_->workers) connections += worker->load();
  out.gauge("partita_connections", "Open connections of clients.", static_cast<double>(connections));
  out.gauge("partita_connections_limit", "Maximum number of connections.",
            static_cast<double>(parts_->connection_limit));
}

Result<void> Server::start() { return parts_->start(); }

bool Server::run() {
  parts_->workers.front()->run();
  parts_->others.clear();
  return std::ranges::all_of(parts_->workers, &Worker::ended);
}

void Server::stop() { parts_->stop(Worker::Stop::kDrain); }
void Server::stop_now() { parts_->stop(Worker::Stop::kNow); }

}  // namespace partita::net
