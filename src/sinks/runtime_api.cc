#include "sinks/runtime_api.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <new>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/random.h"

namespace partita::sinks {

namespace {

using std::chrono::milliseconds;

constexpr std::string_view kRuntimePath = "/2018-06-01/runtime/";
constexpr milliseconds kRuntimeLook(50);
constexpr int64_t kRuntimeWriteMs = 10'000;
constexpr size_t kMostErrorText = 300;

Error wrong_request() { return Error(ErrorKind::kInvalid, "This is no request."); }

std::string runtime_lower(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lowered;
}

std::string_view runtime_trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

bool take_runtime_size(std::string_view text, int base, size_t& size) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size, base);
  return error == std::errc() && end == text.data() + text.size() && size <= RuntimeReader::kMostBody;
}

// arn:aws:dynamodb:REGION:ACCOUNT:table/NAME
std::string function_arn(const ChangeSettings& settings) {
  std::string_view rest = settings.arn;
  for (int i = 0; i < 4; ++i) rest.remove_prefix(std::min(rest.find(':') + 1, rest.size()));
  return "arn:aws:lambda:" + settings.region + ":" + std::string(rest.substr(0, rest.find(':'))) +
         ":function:" + settings.sink;
}

bool write_all(int socket, std::string_view bytes, const std::atomic<bool>& stopping) {
  const auto until = std::chrono::steady_clock::now() + milliseconds(kRuntimeWriteMs);
  while (!bytes.empty() && !stopping && std::chrono::steady_clock::now() < until) {
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

std::string error_excerpt(const std::string& body) {
  return is_utf8(body) ? std::string(utf8_prefix(body, kMostErrorText)) : std::string();
}

}  // namespace

Result<std::optional<RuntimeRequest>> RuntimeReader::next() {
  if (!has_head_) {
    PARTITA_TRY(has_head_, take_head());
    if (!has_head_) return std::optional<RuntimeRequest>();
  }
  bool whole = false;
  if (is_chunked_) {
    PARTITA_TRY(whole, take_chunks());
  } else {
    PARTITA_TRY(whole, take_sized());
  }
  if (!whole) return std::optional<RuntimeRequest>();
  has_head_ = is_chunked_ = false;
  searched_ = size_ = 0;
  return std::optional(std::exchange(request_, {}));
}

Result<bool> RuntimeReader::take_head() {
  constexpr std::string_view kEnd = "\r\n\r\n";
  const size_t end = bytes_.find(kEnd, searched_);
  if (std::min(end, bytes_.size()) > kMostHead) return wrong_request();
  if (end == std::string::npos) {
    searched_ = bytes_.size() - std::min(bytes_.size(), kEnd.size() - 1);
    return false;
  }
  std::string_view rest = std::string_view(bytes_).substr(0, end + 2);
  std::string_view line = rest.substr(0, rest.find("\r\n"));
  rest.remove_prefix(line.size() + 2);
  const size_t blank = line.find(' ');
  const size_t last = line.rfind(' ');
  if (blank == last || blank == 0 || !line.ends_with(" HTTP/1.1")) return wrong_request();
  request_ = {.method = std::string(line.substr(0, blank)), .path = {}, .body = {}};
  request_.path = line.substr(blank + 1, last - blank - 1);
  while (!rest.empty()) {
    line = rest.substr(0, rest.find("\r\n"));
    rest.remove_prefix(line.size() + 2);
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) return wrong_request();
    const std::string name = runtime_lower(line.substr(0, colon));
    const std::string_view value = runtime_trimmed(line.substr(colon + 1));
    if (name == "content-length" && !take_runtime_size(value, 10, size_)) return wrong_request();
    if (name != "transfer-encoding") continue;
    if (runtime_lower(value) != "chunked") return wrong_request();
    is_chunked_ = true;
  }
  bytes_.erase(0, end + kEnd.size());
  return true;
}

Result<bool> RuntimeReader::take_sized() {
  if (bytes_.size() < size_) return false;
  request_.body = bytes_.substr(0, size_);
  bytes_.erase(0, size_);
  return true;
}

// Each chunk that is there whole; the last one is empty. There are no trailers.
Result<bool> RuntimeReader::take_chunks() {
  constexpr size_t kMostLine = 64;
  size_t at = 0;
  bool whole = false;
  while (!whole) {
    const size_t end = bytes_.find("\r\n", at);
    if (std::min(end, bytes_.size()) - at > kMostLine) return wrong_request();
    if (end == std::string::npos) break;
    size_t size = 0;
    const std::string_view line = std::string_view(bytes_).substr(at, end - at);
    if (!take_runtime_size(line.substr(0, line.find(';')), 16, size)) return wrong_request();
    if (request_.body.size() + size > kMostBody) return wrong_request();
    if (bytes_.size() < end + 2 + size + 2) break;
    if (bytes_.compare(end + 2 + size, 2, "\r\n") != 0) return wrong_request();
    request_.body.append(bytes_, end + 2, size);
    at = end + 2 + size + 2;
    whole = size == 0;
  }
  bytes_.erase(0, at);
  return whole;
}

RuntimeApi::RuntimeApi(std::string host, uint16_t port, const ChangeSettings& settings, const HookOptions& options,
                       const Clock& clock, std::stop_token hurry)
    : host_(std::move(host)),
      port_(port),
      function_arn_(function_arn(settings)),
      reports_items_(options.reports_items),
      timeout_ms_(options.timeout_ms),
      clock_(clock),
      hurry_(std::move(hurry)) {}

RuntimeApi::~RuntimeApi() {
  stopping_ = true;
  {
    const MutexLock lock(mutex_);
    changed_.notify_all();
  }
  if (accepting_.joinable()) accepting_.join();
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
    std::vector<pollfd> ready;
    for (const auto& bound : sockets_->all()) ready.push_back({.fd = bound.socket, .events = POLLIN, .revents = 0});
    ::poll(ready.data(), ready.size(), static_cast<int>(kRuntimeLook.count()));
    std::erase_if(connections_, [](const Connection& one) { return one.ended.load(); });
    for (const pollfd& one : ready) {
      if (one.revents != 0) accept_one(one.fd);
    }
  }
  connections_.clear();  // joins them
}

void RuntimeApi::accept_one(int listening) {
  const int socket = ::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (socket < 0) return;
  if (connections_.size() >= kMostConnections) {
    ::close(socket);
    return;
  }
  Connection& connection = connections_.emplace_back();
  connection.socket = socket;
  auto thread = Thread::start("runtime", [this, &connection](const std::stop_token&) {
    try {
      serve(connection.socket);
    } catch (const std::bad_alloc&) {
      // Its event is sent again when its time is over.
    }
    ::close(connection.socket);
    connection.ended = true;
  });
  if (thread.ok()) {
    connection.thread = std::move(*thread);
    return;
  }
  ::close(socket);
  connections_.pop_back();
}

void RuntimeApi::serve(int socket) {
  RuntimeReader reader;
  std::array<char, 64 << 10> some{};
  while (!stopping_) {
    auto request = reader.next();
    if (!request.ok()) return;
    if (*request) {
      if (!answer(socket, **request)) return;
      continue;
    }
    pollfd ready{.fd = socket, .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, static_cast<int>(kRuntimeLook.count())) <= 0) continue;
    const ssize_t size = ::recv(socket, some.data(), some.size(), 0);
    if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR)) return;
    if (size > 0) reader.add({some.data(), static_cast<size_t>(size)});
  }
}

bool RuntimeApi::answer(int socket, const RuntimeRequest& request) {
  std::string_view path = request.path;
  int status = 404;
  if (path.starts_with(kRuntimePath)) {
    path.remove_prefix(kRuntimePath.size());
    if (request.method == "GET" && path == "invocation/next") return give_next(socket);
    if (request.method == "POST") status = take_answer(path, request.body);
  }
  const std::string_view body = status == 202 ? R"({"status":"OK"})" : R"({"errorType":"InvalidRequest"})";
  return write_all(socket, runtime_head(status, body.size()) + std::string(body), stopping_);
}

bool RuntimeApi::give_next(int socket) {
  const auto given = wait_for_next(socket);
  if (!given) return false;
  if (write_all(socket, given->head + given->body, stopping_)) return true;
  const MutexLock lock(mutex_);
  if (const auto found = invocations_.find(given->id); found != invocations_.end() && found->second.given) {
    found->second.given = false;
    waiting_.push_front(given->id);
    changed_.notify_all();
  }
  return false;
}

// Nothing, if the runtime has gone.
std::optional<RuntimeApi::Given> RuntimeApi::wait_for_next(int socket) {
  const MutexLock lock(mutex_);
  init_error_.clear();
  while (!stopping_ && !has_left(socket)) {
    if (waiting_.empty()) {
      changed_.wait_until(mutex_, std::chrono::steady_clock::now() + kRuntimeLook);
      continue;
    }
    Given given{.id = std::move(waiting_.front()), .head = {}, .body = {}};
    waiting_.pop_front();
    const auto found = invocations_.find(given.id);
    if (found == invocations_.end()) continue;
    found->second.given = true;
    found->second.deadline_ms = clock_.now_ms() + timeout_ms_;
    given.body = found->second.call->body;
    given.head = runtime_head(200, given.body.size(),
                              "Lambda-Runtime-Aws-Request-Id: " + given.id +
                                  "\r\nLambda-Runtime-Deadline-Ms: " + std::to_string(found->second.deadline_ms) +
                                  "\r\nLambda-Runtime-Invoked-Function-Arn: " + function_arn_ + "\r\n");
    changed_.notify_all();
    return given;
  }
  return std::nullopt;
}

// The status of the reply.
int RuntimeApi::take_answer(std::string_view path, const std::string& body) {
  constexpr std::string_view kInvocation = "invocation/";
  const MutexLock lock(mutex_);
  if (path == "init/error") {
    init_error_ = " It could not start: " + error_excerpt(body);
    changed_.notify_all();
    return 202;
  }
  if (!path.starts_with(kInvocation)) return 404;
  path.remove_prefix(kInvocation.size());
  const std::string_view id = path.substr(0, path.find('/'));
  path.remove_prefix(std::min(id.size() + 1, path.size()));
  if (path != "response" && path != "error") return 404;
  const auto found = invocations_.find(id);
  if (found == invocations_.end() || !found->second.given || found->second.answer) return 400;
  HookAnswer answer;
  if (path == "response") {
    answer =
        hook_answer({.status = 200, .headers = {}, .body = body}, reports_items_, found->second.call->sequence_numbers);
  } else {
    answer = {.kind = HookAnswer::Kind::kFailed, .reason = "The function failed: " + error_excerpt(body)};
  }
  found->second.answer = std::move(answer);
  changed_.notify_all();
  return 202;
}

HookAnswer RuntimeApi::call(size_t /*line*/, const HookCall& call) {
  // Of this attempt alone: a late answer to an earlier one is none to it.
  const std::string id = system_random().uuid();
  const MutexLock lock(mutex_);
  const auto at = invocations_.try_emplace(id).first;
  Invocation& own = at->second;
  own.call = &call;
  waiting_.push_back(id);
  changed_.notify_all();
  const auto began = std::chrono::steady_clock::now();
  std::optional<std::chrono::steady_clock::time_point> given;
  HookAnswer answer{.kind = HookAnswer::Kind::kMissed, .reason = "Partita stops."};
  while (!hurry_.stop_requested()) {
    if (own.answer) {
      answer = std::move(*own.answer);
      break;
    }
    const auto now = std::chrono::steady_clock::now();
    if (own.given && !given) given = now;
    if (!own.given) given.reset();
    if (given && now - *given >= milliseconds(timeout_ms_)) {
      answer = {.kind = HookAnswer::Kind::kFailed, .reason = "The function did not answer in time."};
      break;
    }
    if (!own.given && now - began >= milliseconds(kIdleMs)) {
      answer.reason = "No runtime asks for events." + init_error_;
      break;
    }
    changed_.wait_until(mutex_, now + kRuntimeLook);
  }
  std::erase(waiting_, id);
  invocations_.erase(at);
  return answer;
}

}  // namespace partita::sinks
