#include "sinks/runtime_api.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <exception>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/random.h"
#include "net/sockets.h"
#include "sinks/hook_failure.h"

namespace partita::sinks {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr std::string_view kRuntimePath = "/2018-06-01/runtime/";
constexpr milliseconds kRuntimeLook(50);
constexpr milliseconds kRuntimePause(100);  // after a connection that could not be accepted
constexpr int64_t kRuntimeWriteMs = 10'000;
constexpr milliseconds kRuntimeDrain(5'000);
constexpr size_t kMostErrorText = 300;

bool write_all(int socket, std::string_view bytes, const std::atomic<bool>& stopping) {
  const auto until = steady_clock::now() + milliseconds(kRuntimeWriteMs);
  while (!bytes.empty() && !stopping && steady_clock::now() < until) {
    const ssize_t size = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (size > 0) {
      bytes.remove_prefix(static_cast<size_t>(size));
      continue;
    }
    if (size == 0 || (errno != EAGAIN && errno != EINTR)) return false;
    pollfd ready{.fd = socket, .events = POLLOUT, .revents = 0};
    ::poll(&ready, 1, static_cast<int>(kRuntimeLook.count()));
  }
  return bytes.empty();
}

bool has_left(int socket) {
  char byte = 0;
  const ssize_t size = ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR);
}

std::string runtime_head(int status, size_t size, std::string_view more = {}) {
  const std::string_view word = status == 200 ? "OK" : status == 202 ? "Accepted" : "Error";
  return "HTTP/1.1 " + std::to_string(status) + " " + std::string(word) +
         "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(size) + "\r\n" + std::string(more) +
         "\r\n";
}

std::string runtime_error(std::string_view type, std::string_view message) {
  return R"({"errorMessage":")" + std::string(message) + R"(","errorType":")" + std::string(type) + R"("})";
}

std::string error_excerpt(const std::string& body) {
  return is_utf8(body) ? std::string(utf8_prefix(body, kMostErrorText)) : std::string();
}

}  // namespace

RuntimeApi::RuntimeApi(std::string host, uint16_t port, const ChangeSettings& settings, const HookOptions& options,
                       const Clock& clock, std::stop_token hurry, RuntimeLimits limits)
    : host_(std::move(host)),
      port_(port),
      function_arn_(hook_function_arn(settings)),
      reports_items_(options.reports_items),
      timeout_ms_(options.timeout_ms),
      clock_(clock),
      hurry_(std::move(hurry)),
      limits_(limits) {}

RuntimeApi::~RuntimeApi() {
  stopping_ = true;
  {
    const MutexLock lock(mutex_);
    changed_.notify_all();
  }
  if (accepting_.joinable()) accepting_.join();
}

RuntimeApi::Connection::~Connection() {
  if (thread.joinable()) thread.join();
  if (socket >= 0) ::close(socket);
}

Result<void> RuntimeApi::prepare() {
  if (accepting_.joinable()) return {};
  PARTITA_TRY(net::BoundSockets sockets, net::BoundSockets::bind(host_, port_, false));
  for (const auto& bound : sockets.all()) {
    if (::listen(bound.socket, SOMAXCONN) != 0) return sockets.failed(errno);
  }
  sockets_.emplace(std::move(sockets));
  PARTITA_TRY(accepting_, Thread::start("runtime api", [this](const std::stop_token&) { accept_all(); }));
  return {};
}

void RuntimeApi::accept_all() {
  while (!stopping_) {
    bool goes_on = false;
    try {
      goes_on = accept_some();
    } catch (const std::exception&) {
      // There is no memory for it.
    }
    // The connection that waits makes the socket ready again at once.
    if (!goes_on) ::poll(nullptr, 0, static_cast<int>(kRuntimePause.count()));
  }
  connections_.clear();  // joins them
}

bool RuntimeApi::accept_some() {
  std::vector<pollfd> ready;
  for (const auto& bound : sockets_->all()) ready.push_back({.fd = bound.socket, .events = POLLIN, .revents = 0});
  const int found = ::poll(ready.data(), static_cast<nfds_t>(ready.size()), static_cast<int>(kRuntimeLook.count()));
  std::erase_if(connections_, [](const Connection& one) { return one.ended || !one.thread.joinable(); });
  if (found < 0) return errno == EINTR;
  bool goes_on = true;
  for (const pollfd& one : ready) {
    if (one.revents != 0 && !accept_one(one.fd)) goes_on = false;
  }
  return goes_on;
}

bool RuntimeApi::accept_one(int listening) {
  Connection& connection = connections_.emplace_back();
  connection.socket = net::accept_socket(listening);
  if (connection.socket < 0 || connections_.size() > limits_.connections) {
    const bool goes_on = connection.socket >= 0 || errno == EAGAIN || errno == EINTR || errno == ECONNABORTED;
    connections_.pop_back();
    return goes_on;
  }
  auto thread = Thread::start("runtime", [this, &connection](const std::stop_token&) {
    try {
      serve(connection.socket);
    } catch (const std::exception&) {
      // There is no memory for it. Its event is sent again when its time is over.
    }
    ::shutdown(connection.socket, SHUT_RDWR);
    connection.ended = true;
  });
  if (!thread.ok()) return false;  // the connection ends, as one that has no thread
  connection.thread = std::move(*thread);
  return true;
}

void RuntimeApi::serve(int socket) {
  RuntimeReader reader;
  std::array<char, 64 << 10> some{};
  auto until = steady_clock::now() + milliseconds(limits_.quiet_ms);
  while (!stopping_) {
    auto request = reader.next();
    if (!request.ok()) return refuse(socket, 400, "InvalidRequest", "This is no request of HTTP/1.1.");
    if (*request) {
      const auto next = answer(socket, **request);
      if (!next) return;
      until = steady_clock::now() + *next;
      continue;
    }
    if (steady_clock::now() >= until) return;
    pollfd ready{.fd = socket, .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, static_cast<int>(kRuntimeLook.count())) <= 0) continue;
    const ssize_t size = ::recv(socket, some.data(), some.size(), 0);
    if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) return;
    if (size > 0) reader.add({some.data(), static_cast<size_t>(size)});
  }
}

std::optional<milliseconds> RuntimeApi::answer(int socket, const RuntimeRequest& request) {
  const milliseconds quiet(limits_.quiet_ms);
  std::string_view path = request.path;
  int status = 404;
  if (path.starts_with(kRuntimePath)) {
    path.remove_prefix(kRuntimePath.size());
    if (request.method == "GET" && path == "invocation/next" && !request.is_too_large) {
      return give_next(socket) ? std::optional(quiet + milliseconds(timeout_ms_)) : std::nullopt;
    }
    if (request.method == "POST") status = take_answer(path, request);
  }
  if (request.is_too_large) {
    refuse(socket, 413, "RequestEntityTooLarge",
           "The body has more than " + std::to_string(RuntimeReader::kMostBody) + " bytes.");
    return std::nullopt;
  }
  const std::string body = status == 202   ? R"({"status":"OK"})"
                           : status == 404 ? runtime_error("InvalidRequest", "The Runtime API here has no such path.")
                                           : runtime_error("InvalidRequestID", "No event of this id awaits an answer.");
  const bool written = write_all(socket, runtime_head(status, body.size()) + body, stopping_);
  return written ? std::optional(quiet) : std::nullopt;
}

void RuntimeApi::refuse(int socket, int status, std::string_view type, std::string_view message) {
  const std::string body = runtime_error(type, message);
  if (!write_all(socket, runtime_head(status, body.size(), "Connection: close\r\n") + body, stopping_)) return;
  ::shutdown(socket, SHUT_WR);
  // Bytes that nobody reads would reset the connection, and with it the reply.
  std::array<char, 64 << 10> some{};
  const auto until = steady_clock::now() + kRuntimeDrain;
  while (!stopping_ && steady_clock::now() < until) {
    pollfd ready{.fd = socket, .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, static_cast<int>(kRuntimeLook.count())) <= 0) continue;
    const ssize_t size = ::recv(socket, some.data(), some.size(), 0);
    if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) return;
  }
}

bool RuntimeApi::give_next(int socket) {
  const auto given = wait_for_next(socket);
  if (!given) return false;
  if (write_all(socket, given->bytes, stopping_)) return true;
  const MutexLock lock(mutex_);
  const auto found = invocations_.find(given->id);
  if (found == invocations_.end() || !found->second->given || found->second->answer) return false;
  // The runtime may have it all the same. Another one gets it under a new id, and the old one is good for nothing.
  std::string id = system_random().uuid();
  std::string key = id;
  waiting_.push_front(id);
  Invocation& own = *found->second;
  auto node = invocations_.extract(found);
  node.key() = std::move(key);
  invocations_.insert(std::move(node));
  own.id = std::move(id);
  own.given = false;
  own.since = steady_clock::now();
  changed_.notify_all();
  return false;
}

// Nothing, if the runtime has gone.
std::optional<RuntimeApi::Given> RuntimeApi::wait_for_next(int socket) {
  const MutexLock lock(mutex_);
  init_error_.clear();
  while (!stopping_ && !has_left(socket)) {
    if (waiting_.empty()) {
      changed_.wait_until(mutex_, steady_clock::now() + kRuntimeLook);
      continue;
    }
    const auto found = invocations_.find(waiting_.front());
    if (found == invocations_.end()) {
      waiting_.pop_front();
      continue;
    }
    Invocation& own = *found->second;
    const std::string& body = own.call->body;
    Given given{.id = own.id, .bytes = {}};
    given.bytes = runtime_head(200, body.size(),
                               "Lambda-Runtime-Aws-Request-Id: " + own.id +
                                   "\r\nLambda-Runtime-Deadline-Ms: " + std::to_string(clock_.now_ms() + timeout_ms_) +
                                   "\r\nLambda-Runtime-Invoked-Function-Arn: " + function_arn_ + "\r\n");
    given.bytes += body;
    waiting_.pop_front();
    own.given = true;
    own.since = steady_clock::now();
    changed_.notify_all();
    return given;
  }
  return std::nullopt;
}

int RuntimeApi::take_answer(std::string_view path, const RuntimeRequest& request) {
  constexpr std::string_view kInvocation = "invocation/";
  const MutexLock lock(mutex_);
  if (path == "init/error") {
    init_error_ = " It could not start: " + error_excerpt(request.body);
    changed_.notify_all();
    return 202;
  }
  if (!path.starts_with(kInvocation)) return 404;
  path.remove_prefix(kInvocation.size());
  const std::string_view id = path.substr(0, path.find('/'));
  path.remove_prefix(std::min(id.size() + 1, path.size()));
  if (path != "response" && path != "error") return 404;
  const auto found = invocations_.find(id);
  if (found == invocations_.end() || !found->second->given || found->second->answer) return 400;
  Invocation& own = *found->second;
  HookAnswer answer;
  if (request.is_too_large) {
    answer = {.kind = HookAnswer::Kind::kFailed, .reason = "The function's answer has more than 6 MiB."};
  } else if (path == "response") {
    answer = hook_answer({.status = 200, .headers = {}, .body = request.body}, reports_items_,
                         own.call->sequence_numbers, own.call->wants_state);
  } else {
    answer = {.kind = HookAnswer::Kind::kFailed, .reason = "The function failed: " + error_excerpt(request.body)};
  }
  own.answer = std::move(answer);
  changed_.notify_all();
  return 202;
}

HookAnswer RuntimeApi::call(size_t /*line*/, const HookCall& call) {
  HookAnswer stops{.kind = HookAnswer::Kind::kMissed, .reason = "Partita stops."};
  HookAnswer late{.kind = HookAnswer::Kind::kFailed, .reason = "The function did not answer in time."};
  HookAnswer idle{.kind = HookAnswer::Kind::kMissed, .reason = "No runtime asks for events."};
  Invocation own{.id = system_random().uuid(), .call = &call, .since = steady_clock::now(), .answer = {}};
  const MutexLock lock(mutex_);
  waiting_.push_back(own.id);
  invocations_.emplace(own.id, &own);
  changed_.notify_all();
  // Nothing here throws before the event is on the list no more.
  while (!hurry_.stop_requested() && !own.answer) {
    const auto now = steady_clock::now();
    if (own.given && now - own.since >= milliseconds(timeout_ms_)) own.answer = std::move(late);
    if (!own.given && now - own.since >= milliseconds(kIdleMs)) own.answer = std::move(idle);
    if (!own.answer) changed_.wait_until(mutex_, now + kRuntimeLook);
  }
  std::erase(waiting_, own.id);
  invocations_.erase(own.id);
  if (!own.answer) return stops;
  if (own.answer->kind == HookAnswer::Kind::kMissed) own.answer->reason += init_error_;
  return std::move(*own.answer);
}

}  // namespace partita::sinks
