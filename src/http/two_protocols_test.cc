// One server of `net` with two listeners that speak different protocols: HTTP, and one that answers lines of text.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/random.h"
#include "http/protocol.h"
#include "net/bound_sockets.h"
#include "net/server.h"

namespace partita::http {
namespace {

// Answers each line with itself, reversed.
class Lines final : public net::Connection {
 public:
  Lines(std::unique_ptr<net::Stream> stream, const net::WorkerState& worker)
      : net::Connection(std::move(stream)), worker_(worker) {}

  Task<> serve() override {
    std::string received;
    std::array<char, 100> some{};
    while (!worker_.stopping) {
      net::ReadBytes read(stream(), some);
      const size_t size = co_await read;
      if (size == 0) co_return;
      received.append(some.data(), size);
      for (size_t end = 0; (end = received.find('\n')) != std::string::npos; received.erase(0, end + 1)) {
        const std::string line(received.rend() - static_cast<ptrdiff_t>(end), received.rend());
        net::WriteBytes write(stream(), line, "\n");
        const bool written = co_await write;
        if (!written) co_return;
      }
    }
  }

 private:
  const net::WorkerState& worker_;
};

class LinesFactory final : public net::ConnectionFactory {
 public:
  explicit LinesFactory(const net::WorkerState& worker) : worker_(worker) {}
  std::unique_ptr<net::Connection> make(std::unique_ptr<net::Stream> stream) override {
    return std::make_unique<Lines>(std::move(stream), worker_);
  }

 private:
  const net::WorkerState& worker_;
};

class Greeter final : public Handler {
 public:
  Task<ops::Reply> call(const ops::Call& call) override {
    ops::Reply reply;
    reply.body = "hello " + std::string(call.body);
    co_return reply;
  }
};

class Peer {
 public:
  explicit Peer(const net::Address& address) : socket_(::socket(address.family(), SOCK_STREAM, 0)) {
    EXPECT_EQ(::connect(socket_, address.get(), address.size()), 0);
  }
  ~Peer() { ::close(socket_); }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  // What comes back up to `last`, or the end of the connection.
  std::string ask(std::string_view bytes, std::string_view last) const {
    ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    std::string all;
    std::array<char, 1000> some{};
    while (!all.ends_with(last)) {
      const ssize_t size = ::recv(socket_, some.data(), some.size(), 0);
      if (size <= 0) break;
      all.append(some.data(), static_cast<size_t>(size));
    }
    return all;
  }

 private:
  int socket_;
};

class TwoProtocols : public testing::Test {
 protected:
  void SetUp() override {
    listen(http_.for_clients());
    listen({.make_factory = [](const net::WorkerState& worker) { return std::make_unique<LinesFactory>(worker); },
            .scheme = "lines",
            .full_reply = "no room\n"});
    ASSERT_EQ(addresses_.size(), 2U);
    ASSERT_TRUE(server_.start().ok());
    thread_ = std::thread([this] { ended_ = server_.run(); });
  }
  void TearDown() override {
    server_.stop();
    thread_.join();
    EXPECT_TRUE(ended_);
  }

  std::vector<std::string> urls() const { return server_.urls(); }
  std::string place(size_t listener) const { return addresses_[listener].text(); }
  Peer http_peer() const { return Peer(addresses_[0]); }
  Peer lines_peer() const { return Peer(addresses_[1]); }

 private:
  void listen(const net::Protocol& protocol) {
    auto sockets = net::BoundSockets::bind("127.0.0.1", 0, false);
    ASSERT_TRUE(sockets.ok());
    ASSERT_TRUE(server_.listen(std::move(sockets).value(), protocol).ok());
    addresses_ = server_.addresses();
  }

  static Options options() {
    Options options;
    options.max_connections = 2;
    return options;
  }

  Greeter greeter_;
  net::Server server_{options(), system_clock()};
  Protocol http_{options(), greeter_, system_clock(), system_random()};
  std::vector<net::Address> addresses_;
  std::thread thread_;
  bool ended_ = false;
};

constexpr std::string_view kRequest = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nyo";

TEST_F(TwoProtocols, EachListenerSpeaksItsOwn) {
  const Peer http = http_peer();
  const Peer lines = lines_peer();
  EXPECT_EQ(lines.ask("abc\nde", "\n"), "cba\n");
  EXPECT_TRUE(http.ask(kRequest, "hello yo").starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_EQ(lines.ask("f\n\n", "\n\n"), "fed\n\n");
}

TEST_F(TwoProtocols, AreToldApartByTheirUrls) {
  EXPECT_EQ(urls(), (std::vector<std::string>{"http://" + place(0), "lines://" + place(1)}));
}

// HTTP's connection is idle and gives way; that of lines never says that it is.
TEST_F(TwoProtocols, ShareOneLimitOfConnections) {
  const Peer lines = lines_peer();
  EXPECT_EQ(lines.ask("1\n", "\n"), "1\n");
  const Peer http = http_peer();
  EXPECT_TRUE(http.ask(kRequest, "hello yo").ends_with("hello yo"));
  const Peer more = lines_peer();
  EXPECT_EQ(more.ask("2\n", "\n"), "2\n");
  EXPECT_EQ(http.ask("", "never"), "");
  EXPECT_EQ(lines_peer().ask("3\n", "\n"), "no room\n");
  EXPECT_TRUE(http_peer().ask(kRequest, "\r\n\r\n").starts_with("HTTP/1.1 503 "));
  EXPECT_EQ(lines.ask("4\n", "\n"), "4\n");
}

}  // namespace
}  // namespace partita::http
