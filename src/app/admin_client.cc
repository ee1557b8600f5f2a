#include "app/admin_client.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "app/admin.h"
#include "http/admin_socket.h"

namespace partita::app {

namespace {

constexpr std::string_view kHeadEnd = "\r\n\r\n";

Error gone() { return Error(ErrorKind::kUnavailable, "The server ended the connection before it had answered."); }

bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

bool receive(int socket, std::string& into) {
  std::array<char, 16384> bytes{};
  while (true) {
    const ssize_t size = ::recv(socket, bytes.data(), bytes.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return false;
    into.append(bytes.data(), static_cast<size_t>(size));
    return true;
  }
}

// The server spells its own heads so, and always says how long a body is.
std::optional<size_t> number_behind(std::string_view head, std::string_view word) {
  const size_t at = head.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  size_t number = 0;
  const char* const begin = head.data() + at + word.size();
  if (std::from_chars(begin, head.data() + head.size(), number).ec != std::errc()) return std::nullopt;
  return number;
}

}  // namespace

Result<AdminClient> AdminClient::connect(const std::string& place) {
  std::error_code failed;
  const bool directory = std::filesystem::is_directory(place, failed);
  PARTITA_TRY(const int socket, http::connect_to_admin(directory ? admin_socket_of(place) : place));
  return AdminClient(socket);
}

AdminClient::AdminClient(AdminClient&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), received_(std::move(other.received_)) {}

AdminClient::~AdminClient() {
  if (socket_ >= 0) ::close(socket_);
}

Result<AdminClient::Answer> AdminClient::post(std::string_view target, std::string_view content_type,
                                              std::string_view body) {
  std::string request = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: ";
  request.append(content_type);
  if (!target.empty()) request.append("\r\nX-Amz-Target: ").append(target);
  request.append("\r\nContent-Length: ").append(std::to_string(body.size())).append(kHeadEnd).append(body);
  if (!send_all(socket_, request)) return gone();
  size_t head_size = 0;
  while ((head_size = received_.find(kHeadEnd)) == std::string::npos) {
    if (!receive(socket_, received_)) return gone();
  }
  const std::string_view head = std::string_view(received_).substr(0, head_size);
  const auto status = number_behind(head, "HTTP/1.1 ");
  const auto size = number_behind(head, "Content-Length: ");
  if (!status || !size) return gone();
  const size_t whole = head_size + kHeadEnd.size() + *size;
  while (received_.size() < whole) {
    if (!receive(socket_, received_)) return gone();
  }
  Answer answer{static_cast<int>(*status), received_.substr(whole - *size, *size)};
  received_.erase(0, whole);
  return answer;
}

Result<AdminClient::Answer> AdminClient::ask(std::string_view operation, std::string_view body) {
  return post(std::string(kAdminPrefix).append(operation), "application/x-amz-json-1.0", body);
}

}  // namespace partita::app
