// A client of DAX that writes bytes.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dax/authorisation_testing.h"
#include "net/address.h"
#include "wire/cbor.h"
#include "wire/dax/scanner.h"

namespace partita::dax {

using wire::CborReader;
using wire::CborWriter;
using Method = wire::dax::Method;

inline constexpr std::string_view kThen = "20260102T031405Z";  // ten minutes later

inline std::string preamble(int layering, std::string_view magic = "J7yne5G") {
  CborWriter out;
  out.text(magic);
  out.integer(layering);
  out.null();
  out.map(1);
  out.text("UserAgent");
  out.text("test");
  out.integer(0);
  return std::move(out).take();
}

inline std::string request(Method method, std::string_view arguments = {}) {
  CborWriter out;
  out.integer(1);
  out.integer(static_cast<int64_t>(method));
  out.raw(arguments);
  return std::move(out).take();
}

inline std::string authorise(const SignedText& signature, std::string_view id = kKeyId) {
  CborWriter out;
  out.text(id);
  out.text(signature.signature);
  out.bytes(signature.text);
  out.null();
  out.text("test");
  return request(Method::kAuthorizeConnection, out.view());
}

inline std::string bytes_of(std::string_view text) {
  CborWriter out;
  out.bytes(text);
  return std::move(out).take();
}

// What a reply says: the numbers of an error, none of a success; and the rest as bytes.
struct Reply {
  std::vector<int64_t> numbers;
  std::string message;
  std::string code;
  std::string rest;  // of a success
};

class Peer {
 public:
  explicit Peer(const net::Address& address) : socket_(::socket(address.family(), SOCK_STREAM, 0)) {
    EXPECT_EQ(::connect(socket_, address.get(), address.size()), 0);
    const timeval patience{10, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  ~Peer() { ::close(socket_); }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  void send(std::string_view bytes) const { ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL); }

  // A reply without frames; an empty one if the connection ends before it is whole.
  Reply reply() {
    while (true) {
      if (auto whole = take()) return *std::move(whole);
      if (!receive()) return {{-1}, {}, {}, {}};
    }
  }
  Reply ask(std::string_view bytes) {
    send(bytes);
    return reply();
  }
  std::string take_bytes(size_t size) {
    while (received_.size() < size && receive()) continue;
    std::string taken = received_.substr(0, size);
    received_.erase(0, taken.size());
    return taken;
  }
  // Whether the server has closed its side, and nothing came before that.
  bool ended() {
    while (receive()) continue;
    return received_.empty() && closed_;
  }

 private:
  bool receive() {
    std::array<char, 4096> some{};
    const ssize_t size = ::recv(socket_, some.data(), some.size(), 0);
    if (size > 0) received_.append(some.data(), static_cast<size_t>(size));
    closed_ = size == 0 || (size < 0 && errno == ECONNRESET);
    return size > 0;
  }
  std::optional<Reply> take() {
    CborReader in(received_);
    Reply reply;
    for (auto numbers = in.array(); in.next(numbers);) reply.numbers.push_back(in.integer());
    if (reply.numbers.empty()) {
      reply.rest = in.skip();
    } else {
      reply.message = in.text();
      if (!in.take_null()) {
        auto details = in.array();
        for (size_t i = 0; in.next(details); ++i) {
          const std::string_view item = in.skip();
          if (i == 1) reply.code = CborReader(item).text();
        }
      }
    }
    if (!in.ok()) return std::nullopt;
    received_.erase(0, received_.size() - in.rest().size());
    return reply;
  }

  int socket_;
  bool closed_ = false;
  std::string received_;
};

inline const std::string kEndpoints = request(Method::kEndpoints);

}  // namespace partita::dax
