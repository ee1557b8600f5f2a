#include "http/http_client.h"

#include <netdb.h>
#include <poll.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <memory>
#include <optional>
#include <system_error>

namespace partita::http {

namespace {

constexpr std::string_view kHeadEnd = "\r\n\r\n";
// A server that says more is none that is meant.
constexpr size_t kMostReceived = size_t{64} << 20;
constexpr size_t kMostHead = size_t{64} << 10;
constexpr auto kLook = std::chrono::milliseconds(50);  // whether to hurry

Error ended(bool gave_up = false) {
  return Error(ErrorKind::kUnavailable, gave_up ? "The server did not answer in time."
                                                : "The server ended the connection before it had answered.");
}

std::optional<size_t> number_in(std::string_view text) {
  size_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc()) return std::nullopt;
  return number;
}

bool same_word(std::string_view one, std::string_view other) {
  return one.size() == other.size() && ::strncasecmp(one.data(), other.data(), one.size()) == 0;
}

// Its value, without the blanks around it; nothing when it is not there.
std::optional<std::string_view> header_of(std::string_view head, std::string_view name) {
  for (size_t at = head.find("\r\n"); at < head.size(); at = head.find("\r\n", at + 2)) {
    std::string_view line = head.substr(at + 2);
    line = line.substr(0, line.find("\r\n"));
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos || !same_word(line.substr(0, colon), name)) continue;
    line.remove_prefix(colon + 1);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return line;
  }
  return std::nullopt;
}

}  // namespace

Result<HttpPlace> HttpPlace::parse(std::string_view url) {
  constexpr std::string_view kScheme = "http://";
  const Error wrong(ErrorKind::kInvalid, "That is no address such as http://localhost:4318.");
  if (!url.starts_with(kScheme)) return wrong;
  url.remove_prefix(kScheme.size());
  HttpPlace place;
  const size_t slash = std::min(url.find('/'), url.size());
  if (slash < url.size()) place.path = url.substr(slash);
  std::string_view authority = url.substr(0, slash);
  const size_t bracket = authority.rfind(']');
  const size_t colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (colon != std::string_view::npos) {
    place.port = authority.substr(colon + 1);
    const auto port = number_in(place.port);
    const bool digits = std::ranges::all_of(place.port, [](char c) { return c >= '0' && c <= '9'; });
    if (!port || !digits || *port < 1 || *port > 65535) return wrong;
  }
  authority = authority.substr(0, colon);
  if (authority.starts_with('[') && authority.ends_with(']')) authority = authority.substr(1, authority.size() - 2);
  constexpr std::string_view kBlanks(" \t\r\n\0@", 6);
  if (authority.empty() || url.find_first_of(kBlanks) != std::string_view::npos) return wrong;
  place.host = authority;
  return place;
}

Result<HttpClient> HttpClient::connect(const HttpPlace& place, Patience patience) {
  const auto failed = [&](const std::string& why) {
    return Error(ErrorKind::kUnavailable, "Cannot reach " + place.host + " at port " + place.port + ": " + why + ".");
  };
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (const int error = ::getaddrinfo(place.host.c_str(), place.port.c_str(), &wanted, &list); error != 0) {
    return failed(::gai_strerror(error));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, &::freeaddrinfo);
  int error = 0;
  for (const addrinfo* each = list; each != nullptr; each = each->ai_next) {
    HttpClient client(::socket(each->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    client.patience_ = patience;
    client.begin();
    error = 0;
    if (client.socket_ < 0 || ::connect(client.socket_, each->ai_addr, each->ai_addrlen) != 0) error = errno;
    if (error == EINPROGRESS) {
      socklen_t size = sizeof error;
      const bool ready = client.wait(POLLOUT);
      if (!ready || ::getsockopt(client.socket_, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = ETIMEDOUT;
    }
    if (error == 0) return client;
  }
  return failed(std::system_category().message(error));
}

HttpClient::HttpClient(HttpClient&& other) noexcept : socket_(-1) { *this = std::move(other); }

HttpClient& HttpClient::operator=(HttpClient&& other) noexcept {
  std::swap(socket_, other.socket_);
  std::swap(patience_, other.patience_);
  gave_up_ = other.gave_up_;
  received_.swap(other.received_);
  return *this;
}

HttpClient::~HttpClient() {
  if (socket_ >= 0) ::close(socket_);
}

void HttpClient::begin() {
  hurries_ = false;
  gave_up_ = false;
  const Instant now = std::chrono::steady_clock::now();
  deadline_ = now + std::chrono::milliseconds(patience_.ms);
  late_at_ = now + std::chrono::milliseconds(kLateMs);
}

bool HttpClient::wait(int16_t events) {
  pollfd one{.fd = socket_, .events = events, .revents = 0};
  while (true) {
    const Instant now = std::chrono::steady_clock::now();
    if (!hurries_ && patience_.hurry.stop_requested()) {
      hurries_ = true;
      deadline_ = std::min(deadline_, now + std::chrono::milliseconds(kHurryMs));
    }
    if (patience_.late && now >= late_at_) std::exchange(patience_.late, nullptr)();
    gave_up_ = now >= deadline_;
    if (gave_up_) return false;
    if (::poll(&one, 1, static_cast<int>(kLook.count())) > 0) return true;
  }
}

bool HttpClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    if (!wait(POLLOUT)) return false;
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

bool HttpClient::receive() {
  std::array<char, 16384> bytes{};
  while (true) {
    if (!wait(POLLIN)) return false;
    const ssize_t size = ::recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (size <= 0 || received_.size() > kMostReceived) return false;
    received_.append(bytes.data(), static_cast<size_t>(size));
    return true;
  }
}

Result<HttpClient::Answer> HttpClient::post(std::string_view path, Headers headers, std::string_view body) {
  std::string request = "POST ";
  request.append(path).append(" HTTP/1.1\r\n");
  for (const auto& [name, value] : headers) {
    if (!value.empty()) request.append(name).append(": ").append(value).append("\r\n");
  }
  request.append("Content-Length: ").append(std::to_string(body.size())).append(kHeadEnd).append(body);
  begin();
  if (!send(request)) return ended(gave_up_);
  size_t head_size = 0;
  while ((head_size = received_.find(kHeadEnd)) == std::string::npos) {
    if (received_.size() > kMostHead || !receive()) return ended(gave_up_);
  }
  const std::string_view head = std::string_view(received_).substr(0, head_size);
  const auto status =
      head.starts_with("HTTP/1.") ? number_in(head.substr(std::min<size_t>(9, head.size()))) : std::nullopt;
  const auto length = header_of(head, "content-length");
  const auto size = length ? number_in(*length) : std::nullopt;
  if (!status || (length && (!size || *size > kMostReceived))) return ended();
  Answer answer{static_cast<int>(*status), {}};
  if (!size) {
    // It says otherwise where it ends, which nobody here wants to know: the status is enough.
    ::shutdown(socket_, SHUT_RDWR);
    return answer;
  }
  const size_t whole = head_size + kHeadEnd.size() + *size;
  while (received_.size() < whole) {
    if (!receive()) return ended(gave_up_);
  }
  answer.body = received_.substr(whole - *size, *size);
  received_.erase(0, whole);
  return answer;
}

}  // namespace partita::http
