#include "cli/admin_connection.h"

#include <poll.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

namespace partita::cli {

namespace {

constexpr std::string_view kHeadEnd = "\r\n\r\n";
// No server of Partita says more.
constexpr size_t kMostReceived = size_t{64} << 20;
constexpr size_t kMostHead = size_t{64} << 10;

std::optional<size_t> number_at(std::string_view text) {
  size_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc()) return std::nullopt;
  return number;
}

// What Content-Length says; nothing without one.
std::optional<size_t> length_in(std::string_view head) {
  constexpr std::string_view kName = "\r\ncontent-length: ";
  for (size_t at = head.find("\r\n"); at != std::string_view::npos; at = head.find("\r\n", at + 2)) {
    const std::string_view line = head.substr(at);
    if (line.size() < kName.size() || ::strncasecmp(line.data(), kName.data(), kName.size()) != 0) continue;
    return number_at(line.substr(kName.size()));
  }
  return std::nullopt;
}

}  // namespace

AdminConnection::AdminConnection(AdminConnection&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), received_(std::move(other.received_)) {}

AdminConnection::~AdminConnection() {
  if (socket_ >= 0) ::close(socket_);
}

Error AdminConnection::ended() const {
  return Error(ErrorKind::kUnavailable, timed_out_ ? "The server did not answer in time."
                                                   : "The server ended the connection before it had answered.");
}

bool AdminConnection::wait_for(int16_t events) {
  pollfd one{.fd = socket_, .events = events, .revents = 0};
  while (true) {
    const Instant now = std::chrono::steady_clock::now();
    if (late_ && now >= late_at_) std::exchange(late_, nullptr)();
    timed_out_ = now >= deadline_;
    if (timed_out_) return false;
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>((late_ ? std::min(late_at_, deadline_) : deadline_) - now);
    if (::poll(&one, 1, static_cast<int>(std::min<int64_t>(left.count(), 60'000))) > 0) return true;
  }
}

bool AdminConnection::send(std::string_view bytes) {
  while (!bytes.empty()) {
    if (!wait_for(POLLOUT)) return false;
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

bool AdminConnection::receive() {
  std::array<char, 16384> bytes{};
  while (true) {
    if (!wait_for(POLLIN)) return false;
    const ssize_t size = ::recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (size <= 0) return false;
    received_.append(bytes.data(), static_cast<size_t>(size));
    return true;
  }
}

Result<AdminConnection::Reply> AdminConnection::post(std::string_view target, std::string_view content_type,
                                                     std::string_view body, Wait wait) {
  std::string request = "POST / HTTP/1.1\r\nHost: localhost\r\n";
  if (!target.empty()) request.append("X-Amz-Target: ").append(target).append("\r\n");
  if (!content_type.empty()) request.append("Content-Type: ").append(content_type).append("\r\n");
  request.append("Content-Length: ").append(std::to_string(body.size())).append(kHeadEnd).append(body);
  const Instant now = std::chrono::steady_clock::now();
  deadline_ = now + std::chrono::milliseconds(wait.timeout_ms);
  late_at_ = now + std::chrono::milliseconds(kLateMs);
  late_ = std::move(wait.late);
  timed_out_ = false;
  if (!send(request)) return ended();
  size_t head_size = 0;
  while ((head_size = received_.find(kHeadEnd)) == std::string::npos) {
    if (received_.size() > kMostHead || !receive()) return ended();
  }
  const std::string_view head = std::string_view(received_).substr(0, head_size);
  const auto status = head.starts_with("HTTP/1.") && head.size() > 9 ? number_at(head.substr(9)) : std::nullopt;
  // A program that says the length otherwise is no server of Partita, and its reply is no matter.
  const size_t size = length_in(head).value_or(0);
  if (!status || size > kMostReceived) return ended();
  const size_t whole = head_size + kHeadEnd.size() + size;
  while (received_.size() < whole) {
    if (!receive()) return ended();
  }
  Reply reply{static_cast<int>(*status), received_.substr(whole - size, size)};
  received_.erase(0, whole);
  return reply;
}

}  // namespace partita::cli
