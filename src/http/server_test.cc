#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "base/executor.h"
#include "base/yield_budget.h"
#include "http/server_testing.h"
#include "little_memory.h"

namespace partita::http {
namespace {

constexpr std::string_view kKnown =
    "X-Amz-Date: 20260102T000000Z\r\nAuthorization: AWS4-HMAC-SHA256 "
    "Credential=a/20260102/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=b\r\n";

// Fails as any allocation may, some awaits down.
Task<size_t> run_out() {
  std::rethrow_exception(std::make_exception_ptr(std::bad_alloc()));
  co_return 0;
}

// Answers with the request's own words; "wait" is answered by another thread, as an engine would,
// and "hold" takes its time on the thread of the connection.
class Echo final : public Handler {
 public:
  ~Echo() override {
    for (std::thread& thread : threads_) thread.join();
  }

  Task<ops::Reply> call(const ops::Call& call) override {
    if (call.body == "never") {
      Never never;
      co_await never;
    }
    if (call.body == "no memory") static_cast<void>(co_await run_out());
    if (call.body == "look") on_look();
    if (call.body.starts_with("hold")) {
      holds = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    if (call.body.starts_with("pieces")) {
      YieldBudget budget;
      for (int piece = 0; piece < kPieces; ++piece) {
        on_piece(call.body, piece);
        co_await budget.yield();
      }
    }
    if (call.body.starts_with("wait")) {
      Elsewhere elsewhere{*this};
      co_await elsewhere;
    }
    ops::Reply reply;
    reply.body = std::string(call.target) + "|" + std::string(call.content_type) + "|" + std::string(call.body);
    reply.body += std::holds_alternative<auth::Refused>(call.caller) ? "|unknown" : "|known";
    if (call.body == "big") reply.body = big();
    ++calls;
    co_return reply;
  }

  size_t memory_of(const ops::Call& call) const override { return call.body.size(); }
  Task<std::string> trouble() override { co_return unwell ? "the disk is full" : ""; }

  // No two places of it look alike.
  static std::string big() {
    std::string text;
    for (uint32_t i = 0; text.size() < 16'000'000; ++i) text += std::to_string(i) + ",";
    return text;
  }

  std::atomic<int> calls{0};
  std::atomic<bool> unwell{false};
  std::atomic<bool> holds{false};
  std::function<void()> on_look;
  static constexpr int kPieces = 5;
  std::function<void(std::string_view, int)> on_piece;

 private:
  struct Never {
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> handle) {
      static auto& forgotten = *new std::vector<std::coroutine_handle<>>;  // found by the leak check, which runs last
      forgotten.push_back(handle);
    }
    void await_resume() const {}
  };

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
  explicit Client(uint16_t port, int family = AF_INET) : socket_(::socket(family, SOCK_STREAM, 0)) {
    sockaddr_in four{};
    four.sin_family = AF_INET;
    four.sin_port = htons(port);
    four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sockaddr_in6 six{};
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(port);
    six.sin6_addr = in6addr_loopback;
    const auto* address = family == AF_INET ? reinterpret_cast<sockaddr*>(&four) : reinterpret_cast<sockaddr*>(&six);
    connected_ = ::connect(socket_, address, family == AF_INET ? sizeof four : sizeof six) == 0;
  }
  ~Client() { ::close(socket_); }

  bool connected() const { return connected_; }
  void send(std::string_view bytes) {
    EXPECT_EQ(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  void send_if_open(std::string_view bytes) { ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL); }
  void end() { ::shutdown(socket_, SHUT_WR); }
  // Ends it as a client does that was killed.
  void reset() { ::shutdown(socket_, SHUT_RDWR); }
  bool has_something() {
    char first = 0;
    return ::recv(socket_, &first, 1, MSG_DONTWAIT | MSG_PEEK) > 0;
  }
  // The server has closed it; what it sent is thrown away.
  bool ended() {
    char piece[4096];
    const ssize_t size = ::recv(socket_, piece, sizeof piece, MSG_DONTWAIT);
    return size == 0 || (size < 0 && errno != EAGAIN);
  }

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
  return "POST / HTTP/1.1\r\nHost: h\r\nX-Amz-Target: T.Op\r\nContent-Type: text\r\n" + std::string(more) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

class ServerTest : public testing::Test {
 protected:
  void start() {
    options_.port = 0;
    auto listening = Server::listen(options_, echo_, system_clock(), system_random());
    ASSERT_TRUE(listening.ok()) << listening.error().sentence();
    server_ = std::move(listening).value();
    thread_ = std::thread([this] { ended_ = server_->start().ok() && server_->run(); });
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
  std::atomic<bool> ended_{false};
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

TEST_F(ServerTest, RequestsSentAtOnceKeepNobodyWaiting) {
  start();
  Client many(server_->port());
  Client other(server_->port());
  other.send(post("first"));
  other.read_until("|first|unknown");
  many.send(post("hold 1") + post("hold 2") + post("hold 3") + post("hold 4") + post("hold 5"));
  while (!echo_.holds) std::this_thread::yield();
  other.send(post("second"));
  other.read_until("|second|unknown");
  EXPECT_LE(echo_.calls, 4);
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
  EXPECT_TRUE(all.substr(all.find("\r\n\r\n") + 4) == Echo::big());
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

// Wherever memory runs out between one request and the first of the next connection, no connection stays that nobody
// serves: a stop would wait for its end.
TEST_F(ServerTest, AConnectionThatThereIsNoMemoryForIsGone) {
  std::atomic<int64_t> left{0};
  echo_.on_look = [&] { contract::allocations_left = left; };
  start();
  for (; left < 40; ++left) {
    Client first(server_->port());
    first.send(post("look", "Connection: close\r\n"));
    first.read_all();
    Client second(server_->port());
    second.send_if_open(post("x", "Connection: close\r\n"));
    second.read_all();
  }
  stop();
  EXPECT_TRUE(ended_);
}

TEST_F(ServerTest, StopsBeforeItRuns) {
  options_.port = 0;
  auto server = Server::listen(options_, echo_, system_clock(), system_random());
  ASSERT_TRUE(server.ok());
  (*server)->stop();
  (*server)->stop();
  EXPECT_TRUE((*server)->run());
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

TEST_F(ServerTest, ClosesTheOldestIdleConnectionForANewOne) {
  options_.max_connections = 2;
  start();
  Client oldest(server_->port());
  oldest.send(post("a"));
  EXPECT_NE(oldest.read_until("unknown"), "");
  Client newer(server_->port());
  newer.send(post("a"));
  EXPECT_NE(newer.read_until("unknown"), "");
  Client newest(server_->port());
  newest.send(post("c"));
  EXPECT_NE(newest.read_until("unknown").find("|c|"), std::string::npos);
  EXPECT_EQ(oldest.read_all(), "");
  newer.send(post("b"));
  EXPECT_NE(newer.read_until("unknown").find("|b|"), std::string::npos);
}

TEST_F(ServerTest, TurnsAwayWhomThereIsNoRoomFor) {
  options_.max_connections = 1;
  start();
  Client busy(server_->port());
  busy.send("POST / HTTP/1.1\r\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  Client second(server_->port());
  EXPECT_TRUE(second.read_all().starts_with("HTTP/1.1 503 "));
  busy.send("Host: h\r\nContent-Length: 1\r\n\r\nb");
  EXPECT_NE(busy.read_until("unknown").find("|b|"), std::string::npos);
}

TEST_F(ServerTest, DropsHalfSentRequestsWhenItStops) {
  start();
  Client in_head(server_->port());
  in_head.send("POST / HTTP/1.1\r\nHo");
  Client in_body(server_->port());
  in_body.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab");
  Client refused(server_->port());
  refused.send("nonsense\r\n\r\n");
  EXPECT_NE(refused.read_until("close").find(" 400 "), std::string::npos);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto begin = std::chrono::steady_clock::now();
  stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(4));  // its timeout is 5 s
  EXPECT_TRUE(ended_);
  EXPECT_EQ(in_head.read_all(), "");
  EXPECT_EQ(in_body.read_all(), "");
}

TEST_F(ServerTest, EndsKeptConnectionsWithTheirReplyWhenItStops) {
  start();
  Client busy(server_->port());
  busy.send(post("wait"));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto begin = std::chrono::steady_clock::now();
  stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(4));  // its timeout is 5 s
  const std::string reply = busy.read_all();
  EXPECT_NE(reply.find("\r\nConnection: close\r\n"), std::string::npos);
  EXPECT_NE(reply.find("|wait|"), std::string::npos);
}

TEST_F(ServerTest, LeavesHandlersBehindThatNeverAnswer) {
  options_.stop_timeout_ms = 100;
  options_.threads = 2;
  start();
  Client forgotten(server_->port());
  forgotten.send(post("never"));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto begin = std::chrono::steady_clock::now();
  stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(4));
  EXPECT_FALSE(ended_);
  EXPECT_EQ(forgotten.read_all(), "");
}

TEST_F(ServerTest, StopsAtOnceWhenTold) {
  options_.stop_timeout_ms = 60'000;
  start();
  Client forgotten(server_->port());
  forgotten.send(post("never"));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  server_->stop();
  EXPECT_TRUE(thread_.joinable());
  const auto begin = std::chrono::steady_clock::now();
  server_->stop_now();
  thread_.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

TEST_F(ServerTest, EndsOneRequestWhenMemoryRunsOut) {
  start();
  Client client(server_->port());
  client.send(post("no memory") + post("later"));
  const std::string all = client.read_until("|later|");
  EXPECT_TRUE(all.starts_with("HTTP/1.1 500 ")) << all;
  EXPECT_NE(all.find("|later|"), std::string::npos);
}

TEST_F(ServerTest, RefusesWhatItHasNoMemoryFor) {
  options_.memory_budget = 1'000'000;
  start();
  Client client(server_->port());
  client.send(post(std::string(100'000, 'a'), kKnown) + post("later"));
  const std::string all = client.read_until("|later|");
  EXPECT_NE(all.find("HTTP/1.1 200 "), std::string::npos);
  EXPECT_NE(all.find("|later|"), std::string::npos);
  Client large(server_->port());
  large.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 900000\r\n" + std::string(kKnown) + "\r\n");
  large.send(std::string(800'000, 'x'));
  const std::string refused = large.read_all();
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 503 ")) << refused.substr(0, 200);
  EXPECT_NE(refused.find("\r\nConnection: close\r\n"), std::string::npos);
  EXPECT_NE(refused.find("ServiceUnavailable"), std::string::npos);
}

TEST_F(ServerTest, AsksWhoIsCallingBeforeItReadsALargeBody) {
  start();
  Client unknown(server_->port());
  unknown.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n");
  const std::string refused = unknown.read_all();
  EXPECT_NE(refused.find("|{}|unknown"), std::string::npos) << refused;
  EXPECT_NE(refused.find("\r\nConnection: close\r\n"), std::string::npos);
  Client waiting(server_->port());
  waiting.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_TRUE(waiting.read_all().starts_with("HTTP/1.1 200 "));  // and no 100 before it
  Client known(server_->port());
  known.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n" + std::string(kKnown) + "\r\n" +
             std::string(100'000, 'x'));
  EXPECT_NE(known.read_until("|known").find("|known"), std::string::npos);
}

TEST_F(ServerTest, LooksAtLargeBodiesBesideTheThreadThatServes) {
  start();
  Client large(server_->port());
  large.send(post("hold" + std::string(100'000, 'x'), kKnown));
  while (!echo_.holds) std::this_thread::yield();
  Client small(server_->port());
  small.send(post("small"));
  EXPECT_NE(small.read_until("unknown").find("|small|"), std::string::npos);
  EXPECT_EQ(echo_.calls, 1);  // the large one is not answered yet
  EXPECT_NE(large.read_until("|known").find("|known"), std::string::npos);
}

// The ends of large bodies and one small request wait for the thread together: the small one, which came last, goes
// first. The bodies end badly, because that is answered by the thread itself.
TEST_F(ServerTest, ReadsLargeBodiesBehindSmallRequests) {
  start();
  const std::string begun = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n" + std::string(kKnown) +
                            "\r\n20000\r\n" + std::string(0x20000, 'x') + "\r\n";
  std::vector<std::unique_ptr<Client>> large;
  for (int i = 0; i < 30; ++i) {
    large.push_back(std::make_unique<Client>(server_->port()));
    large.back()->send(begun);
  }
  Client small(server_->port());
  small.send(post("first"));
  EXPECT_NE(small.read_until("unknown").find("|first|"), std::string::npos);
  int64_t answered = -1;
  echo_.on_look = [&] {
    answered = std::ranges::count_if(large, [](const auto& client) { return client->has_something(); });
  };
  Client holder(server_->port());
  holder.send(post("hold"));
  while (!echo_.holds) std::this_thread::yield();
  for (const auto& client : large) client->send("nonsense\r\n");
  small.send(post("look"));
  EXPECT_NE(small.read_until("unknown").find("|look|"), std::string::npos);
  EXPECT_GE(answered, 0);
  EXPECT_LT(answered, 5);
  for (const auto& client : large) EXPECT_NE(client->read_until("\r\n\r\n").find(" 400 "), std::string::npos);
}

TEST_F(ServerTest, DoesOnePieceOfALongWorkAtATime) {
  start();
  Client first(server_->port());
  Client second(server_->port());
  Client small(server_->port());
  std::vector<std::string> done;
  echo_.on_look = [&] { done.emplace_back("look"); };
  echo_.on_piece = [&](std::string_view body, int piece) {
    done.push_back(std::string(body.substr(7)) + std::to_string(piece));
    if (done.back() == "a0") second.send(post("pieces b"));
    if (done.back() == "a2") small.send(post("look"));  // has arrived when it was sent
  };
  first.send(post("pieces a"));
  EXPECT_NE(second.read_until("unknown").find("|pieces b|"), std::string::npos);
  EXPECT_NE(first.read_until("unknown").find("|pieces a|"), std::string::npos);
  EXPECT_NE(small.read_until("unknown").find("|look|"), std::string::npos);
  EXPECT_EQ(done, (std::vector<std::string>{"a0", "b0", "a1", "a2", "look", "a3", "a4", "b1", "b2", "b3", "b4"}));
}

TEST_F(ServerTest, EndsAPieceOfWorkWhoseClientWentAway) {
  start();
  std::atomic<int> done{0};
  {
    Client gone(server_->port());
    echo_.on_piece = [&](std::string_view, int piece) {
      if (piece == 1) gone.reset();
      ++done;
    };
    gone.send(post("pieces"));
    EXPECT_EQ(gone.read_all(), "");
  }
  while (done < Echo::kPieces) std::this_thread::yield();
  Client next(server_->port());
  next.send(post("next"));
  EXPECT_NE(next.read_until("unknown").find("|next|"), std::string::npos);
}

TEST_F(ServerTest, GivesALargeBodyTimeForItsBytesAndNoMore) {
  options_.request_timeout_ms = 300;
  start();
  Client trickle(server_->port());
  trickle.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n");
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 400 && !trickle.ended(); ++i) {
    trickle.send_if_open("x");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(15));
  EXPECT_TRUE(trickle.ended());
}

// A thread's last connection ends when its next one is there already.
TEST_F(ServerTest, RestsWhileItsConnectionsRest) {
  options_.threads = 2;
  start();
  const Client first(server_->port());
  Client last(server_->port());
  const Client second(server_->port());
  last.send(post("hold", "Connection: close\r\n"));
  while (!echo_.holds) std::this_thread::yield();
  const Client next(server_->port());
  EXPECT_NE(last.read_all().find("|hold|"), std::string::npos);
  const clock_t before = std::clock();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(std::clock() - before, CLOCKS_PER_SEC / 10);
}

TEST_F(ServerTest, SaysWhenItIsUnwell) {
  start();
  Client client(server_->port());
  client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_NE(client.read_until(".com ").find("healthy: dynamodb.us-east-1.amazonaws.com "), std::string::npos);
  echo_.unwell = true;
  client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  const std::string reply = client.read_until("full\n");
  EXPECT_TRUE(reply.starts_with("HTTP/1.1 503 "));
  EXPECT_NE(reply.find("unhealthy: the disk is full\n"), std::string::npos);
}

TEST_F(ServerTest, TakesNamesAndBothLoopbackAddresses) {
  for (const char* address : {"", "localhost"}) {
    Options options;
    options.address = address;
    options.port = 0;
    const auto server = Server::listen(options, echo_, system_clock(), system_random());
    ASSERT_TRUE(server.ok()) << server.error().sentence();
    EXPECT_TRUE(Client((*server)->port()).connected());
    EXPECT_TRUE(Client((*server)->port(), AF_INET6).connected());
    const std::string port = std::to_string((*server)->port());
    EXPECT_EQ((*server)->places(), (std::vector<std::string>{"127.0.0.1:" + port, "[::1]:" + port}));
    EXPECT_FALSE((*server)->beyond_loopback());
  }
}

TEST_F(ServerTest, StaysOnLoopbackUnlessTold) {
  Options options;
  options.address = "0.0.0.0";
  options.port = 0;
  const auto refused = Server::listen(options, echo_, system_clock(), system_random());
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().sentence().find("--insecure"), std::string::npos);
  options.beyond_loopback = true;
  const auto told = Server::listen(options, echo_, system_clock(), system_random());
  ASSERT_TRUE(told.ok());
  EXPECT_TRUE((*told)->beyond_loopback());
}

TEST_F(ServerTest, SaysWhyItCanNotListen) {
  start();
  Options taken = options_;
  taken.port = server_->port();
  const auto refused = Server::listen(taken, echo_, system_clock(), system_random());
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().sentence().find("Address already in use; stop what listens there"), std::string::npos);
  taken.address = "no.such.name.invalid";
  EXPECT_FALSE(Server::listen(taken, echo_, system_clock(), system_random()).ok());
}

}  // namespace
}  // namespace partita::http
