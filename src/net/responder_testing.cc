#include "net/responder_testing.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <charconv>

#include "net/address.h"

namespace partita::net {

namespace {

// The size of the request at the front of `bytes`; npos while its head is not complete.
size_t request_size(std::string_view bytes) {
  constexpr std::string_view kLength = "\r\nContent-Length: ";
  const size_t head = bytes.find("\r\n\r\n");
  if (head == std::string_view::npos) return head;
  const size_t at = bytes.substr(0, head).find(kLength);
  size_t body = 0;
  if (at != std::string_view::npos) std::from_chars(bytes.data() + at + kLength.size(), bytes.data() + head, body);
  return head + 4 + body;
}

Responder::Answer in_turn(std::vector<std::string> replies) {
  return [replies = std::move(replies)](std::string_view) mutable {
    std::string reply = replies.front();
    if (replies.size() > 1) replies.erase(replies.begin());
    return reply;
  };
}

}  // namespace

Responder::Responder(std::vector<std::string> replies) : Responder(in_turn(std::move(replies))) {}

Responder::Responder(Answer answer) : answer_(std::move(answer)) {
  const auto loopback = Address::named("127.0.0.1");
  socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
  EXPECT_EQ(::bind(socket_, loopback->front().get(), loopback->front().size()), 0);
  EXPECT_EQ(::listen(socket_, 8), 0);
  port_ = Address::of_socket(socket_).port();
  thread_ = std::jthread([this] { accept_all(); });
}

Responder::~Responder() {
  ::shutdown(socket_, SHUT_RDWR);
  for (const int each : peers()) ::shutdown(each, SHUT_RDWR);
  thread_.join();
  ::close(socket_);
}

Url Responder::url() const { return {.host = "127.0.0.1", .port = std::to_string(port_), .path = "/x?y=1"}; }

std::string Responder::requests() {
  const MutexLock lock(mutex_);
  return requests_;
}

std::vector<int> Responder::peers() {
  const MutexLock lock(mutex_);
  return peers_;
}

void Responder::accept_all() {
  std::vector<std::jthread> threads;
  for (int peer = 0; (peer = ::accept(socket_, nullptr, nullptr)) >= 0;) {
    const MutexLock lock(mutex_);
    peers_.push_back(peer);
    threads.emplace_back([this, peer] { answer_all(peer); });
  }
  threads.clear();
  for (const int peer : peers()) ::close(peer);
}

std::string Responder::answer(std::string_view request) {
  const MutexLock lock(mutex_);
  requests_ += request;
  return answer_(request);
}

void Responder::answer_all(int peer) {
  std::string unread;
  std::array<char, 65536> bytes{};
  for (ssize_t size = 0; (size = ::recv(peer, bytes.data(), bytes.size(), 0)) > 0;) {
    unread.append(bytes.data(), static_cast<size_t>(size));
    for (size_t whole = 0; (whole = request_size(unread)) <= unread.size(); unread.erase(0, whole)) {
      const std::string reply = answer(std::string_view(unread).substr(0, whole));
      const bool ends = reply.ends_with(kEnd);
      const size_t most = reply.size() - (ends ? 1 : 0);
      for (size_t sent = 0; sent < most;) {
        const ssize_t one = ::send(peer, reply.data() + sent, most - sent, MSG_NOSIGNAL);
        if (one <= 0) break;
        sent += static_cast<size_t>(one);
      }
      if (ends) ::shutdown(peer, SHUT_RDWR);
    }
  }
}

std::string json_reply(int status, std::string_view body) {
  return "HTTP/1.1 " + std::to_string(status) +
         " Status\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}

}  // namespace partita::net
