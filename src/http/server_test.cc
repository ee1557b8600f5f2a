#include "http/server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "base/executor.h"

namespace partita::http {
namespace {

// Answers with the request's own words; "wait" is answered by another thread, as an engine would.
class Echo final : public Handler {
 public:
  ~Echo() override {
    for (std::thread& thread : threads_) thread.join();
  }

  Task<ops::Reply> call(const ops::Call& call) override {
    if (call.body.starts_with("wait")) {
      Elsewhere elsewhere{*this};
      co_await elsewhere;
    }
    ops::Reply reply;
    reply.body = std::string(call.target) + "|" + std::string(call.content_type) + "|" + std::string(call.body);
    reply.body += std::holds_alternative<auth::Caller>(call.caller) ? "|known" : "|unknown";
    if (call.body == "big") reply.body.assign(8'000'000, 'b');
    ++calls;
    co_return reply;
  }

  std::atomic<int> calls{0};

 private:
  struct Elsewhere {
    Echo& echo;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> handle) {
      std::lock_guard lock(echo.mutex_);
      echo.threads_.emplace_back([handle, executor = Executor::current()] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        resume_on(executor, handle);
      });
    }
    void await_resume() const {}
  };

  std::mutex mutex_;
  std::vector<std::thread> threads_;
};

class Client {
 public:
  explicit Client(uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~Client() { ::close(socket_); }

  bool connected() const { return connected_; }
  void send(std::string_view bytes) {
    EXPECT_EQ(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  void end() { ::shutdown(socket_, SHUT_WR); }

  // Everything until `last` was seen, or the connection ended.
  std::string read_until(std::string_view last) {
    std::string all;
    char piece[65536];
    while (all.find(last) == std::string::npos) {
      const ssize_t size = ::recv(socket_, piece, sizeof piece, 0);
      if (size <= 0) break;
      all.append(piece, static_cast<size_t>(size));
    }
    return all;
  }
  std::string read_all() { return read_until("\xff\xff"); }

 private:
  int socket_;
  bool connected_ = false;
};

std::string post(std::string_view body, std::string_view more = "") {
  return "POST / HTTP/1.1\r\nX-Amz-Target: T.Op\r\nContent-Type: text\r\n" + std::string(more) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

class ServerTest : public testing::Test {
 protected:
  void start() {
    options_.port = 0;
    auto listening = Server::listen(options_, echo_, system_clock(), system_random());
    ASSERT_TRUE(listening.ok()) << listening.error().sentence();
    server_ = std::move(listening).value();
    thread_ = std::thread([this] { server_->run(); });
  }
  void stop() {
    if (!thread_.joinable()) return;
    server_->stop();
    thread_.join();
  }
  void TearDown() override { stop(); }

  Options options_;
  Echo echo_;
  std::unique_ptr<Server> server_;
  std::thread thread_;
};

TEST_F(ServerTest, AnswersRequestsOfOneConnectionInOrder) {
  options_.threads = 2;
  start();
  Client client(server_->port());
  client.send(post("wait one") + post("two") + post("three", "Connection: close\r\n"));
  const std::string all = client.read_all();
  const size_t one = all.find("T.Op|text|wait one|unknown");
  const size_t two = all.find("T.Op|text|two|unknown");
  const size_t three = all.find("T.Op|text|three|unknown");
  ASSERT_NE(three, std::string::npos) << all;
  EXPECT_LT(one, two);
  EXPECT_LT(two, three);
  EXPECT_NE(all.find("x-amzn-RequestId: "), std::string::npos);
  EXPECT_NE(all.find("Connection: close"), std::string::npos);
}

TEST_F(ServerTest, ServesManyConnectionsThatWait) {
  options_.threads = 2;
  start();
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 50; ++i) {
    clients.push_back(std::make_unique<Client>(server_->port()));
    clients.back()->send(post("wait"));
  }
  for (const auto& client : clients) EXPECT_NE(client->read_until("unknown").find("|wait|"), std::string::npos);
  EXPECT_EQ(echo_.calls, 50);
}

TEST_F(ServerTest, SendsRepliesLargerThanTheSocketHolds) {
  start();
  Client client(server_->port());
  client.send(post("big", "Connection: close\r\n"));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const std::string all = client.read_all();
  EXPECT_GT(all.size(), 8'000'000u);
  EXPECT_TRUE(all.ends_with("bbb"));
}

TEST_F(ServerTest, AnswersAClientThatHasFinishedSending) {
  start();
  Client client(server_->port());
  client.send(post("wait"));
  client.end();
  EXPECT_NE(client.read_all().find("|wait|"), std::string::npos);
}

TEST_F(ServerTest, FinishesWhatIsUnderWayWhenItStops) {
  start();
  Client idle(server_->port());
  idle.send(post("first"));
  EXPECT_NE(idle.read_until("unknown").find("|first|"), std::string::npos);
  Client busy(server_->port());
  busy.send(post("wait"));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  stop();
  EXPECT_NE(busy.read_all().find("|wait|"), std::string::npos);
  EXPECT_EQ(idle.read_all(), "");
  Client late(server_->port());
  EXPECT_FALSE(late.connected());
}

TEST_F(ServerTest, StopsBeforeItRuns) {
  options_.port = 0;
  auto server = Server::listen(options_, echo_, system_clock(), system_random());
  ASSERT_TRUE(server.ok());
  (*server)->stop();
  (*server)->stop();
  (*server)->run();
}

TEST_F(ServerTest, EndsConnectionsThatTakeTooLong) {
  options_.idle_timeout_ms = 100;
  options_.request_timeout_ms = 300;
  start();
  Client silent(server_->port());
  Client slow(server_->port());
  slow.send("POST / HT");
  EXPECT_EQ(silent.read_all(), "");
  EXPECT_EQ(slow.read_all(), "");
}

TEST_F(ServerTest, BoundsTheNumberOfConnections) {
  options_.max_connections = 1;
  start();
  Client first(server_->port());
  first.send(post("a"));
  EXPECT_NE(first.read_until("unknown"), "");
  Client second(server_->port());
  EXPECT_TRUE(second.read_all().starts_with("HTTP/1.1 503 "));
  first.send(post("b"));
  EXPECT_NE(first.read_until("unknown"), "");
}

TEST_F(ServerTest, SaysWhyItCanNotListen) {
  start();
  Options taken = options_;
  taken.port = server_->port();
  const auto refused = Server::listen(taken, echo_, system_clock(), system_random());
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().sentence().find("Address already in use"), std::string::npos);
  taken.address = "nowhere";
  EXPECT_FALSE(Server::listen(taken, echo_, system_clock(), system_random()).ok());
}

}  // namespace
}  // namespace partita::http
