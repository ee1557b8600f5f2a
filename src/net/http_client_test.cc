#include "net/http_client.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "net/responder_testing.h"

namespace {
constexpr const char* kSlowName = "slow.test";
}

// libcurl calls this one instead of that of the system.
extern "C" int getaddrinfo(const char* name, const char* service, const addrinfo* hints, addrinfo** found) {
  if (name != nullptr && std::string_view(name) == kSlowName) {
    std::this_thread::sleep_for(std::chrono::seconds(8));
    return EAI_AGAIN;
  }
  static const auto next = reinterpret_cast<decltype(&getaddrinfo)>(::dlsym(RTLD_NEXT, "getaddrinfo"));
  return next(name, service, hints, found);
}

namespace partita::net {
namespace {

using std::chrono::milliseconds;

milliseconds since(std::chrono::steady_clock::time_point began) {
  return std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - began);
}

constexpr char kEnd = Responder::kEnd;
const std::string kHello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Some: a b \r\n\r\nhello";

Result<HttpReply> ask(const HttpRequest& request) {
  PARTITA_TRY(HttpClient client, HttpClient::create());
  return client.send(request);
}

TEST(HttpClient, SendsWhatTheRequestSaysAndReadsTheReply) {
  Responder responder({kHello});
  const HttpRequest request{
      .method = "PUT", .url = responder.url(), .headers = {{"X-One", "1"}, {"X-None", ""}}, .body = "abc"};
  const auto reply = ask(request);
  ASSERT_TRUE(reply.ok()) << reply.error().sentence();
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(reply->body, "hello");
  EXPECT_EQ(reply->headers,
            (std::vector<std::pair<std::string, std::string>>{{"content-length", "5"}, {"x-some", "a b"}}));
  const std::string sent = responder.requests();
  EXPECT_TRUE(sent.starts_with("PUT /x?y=1 HTTP/1.1\r\nHost: 127.0.0.1:")) << sent;
  EXPECT_TRUE(sent.ends_with("\r\n\r\nabc")) << sent;
  EXPECT_NE(sent.find("\r\nX-One: 1\r\n"), std::string::npos);
  for (const char* absent : {"X-None", "Expect", "Accept"}) EXPECT_EQ(sent.find(absent), std::string::npos) << absent;
}

TEST(HttpClient, ReadsChunksAndRepliesWithoutBody) {
  Responder responder({"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"});
  const auto reply = ask({.method = "GET", .url = responder.url()});
  ASSERT_TRUE(reply.ok()) << reply.error().sentence();
  EXPECT_EQ(reply->body, "abcde");
  Responder silent({"HTTP/1.1 404 Not Found\r\nContent-Length: 12\r\n\r\n"});
  const auto head = ask({.method = "HEAD", .url = silent.url()});
  ASSERT_TRUE(head.ok()) << head.error().sentence();
  EXPECT_EQ(head->status, 404);
}

TEST(HttpClient, FollowsNoRedirect) {
  Responder responder({"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n"});
  const auto reply = ask({.method = "GET", .url = responder.url()});
  ASSERT_TRUE(reply.ok()) << reply.error().sentence();
  EXPECT_EQ(reply->status, 302);
  EXPECT_EQ(responder.connections(), 1U);
}

TEST(HttpClient, KeepsItsConnectionAndMakesAnotherWhenThatHasEnded) {
  Responder responder({kHello, kHello + kEnd, kHello});
  auto client = HttpClient::create();
  ASSERT_TRUE(client.ok());
  const HttpRequest request{.url = responder.url(), .body = "1"};
  EXPECT_TRUE(client->send(request).ok());
  EXPECT_TRUE(client->send(request).ok());
  EXPECT_EQ(responder.connections(), 1U);
  const auto again = client->send(request);
  EXPECT_TRUE(again.ok()) << again.error().sentence();
  EXPECT_EQ(responder.connections(), 2U);
}

// A socket of this machine whose queue is full, so that nobody answers.
class DeafServer {
 public:
  DeafServer() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
    socklen_t size = sizeof address;
    auto* const at = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(socket_, at, size), 0);
    EXPECT_EQ(::listen(socket_, 0), 0);
    EXPECT_EQ(::getsockname(socket_, at, &size), 0);
    for (int& one : waiting_) {
      one = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
      static_cast<void>(::connect(one, at, size));
    }
    url.host = "127.0.0.1";
    url.port = std::to_string(ntohs(address.sin_port));
  }
  ~DeafServer() {
    for (const int one : waiting_) ::close(one);
    ::close(socket_);
  }
  DeafServer(const DeafServer&) = delete;
  DeafServer& operator=(const DeafServer&) = delete;

  Url url;

 private:
  const int socket_;
  std::array<int, 4> waiting_{};
};

TEST(HttpClient, GivesUpConnectingBeforeTheTimeOfTheRequest) {
  const DeafServer server;
  const auto began = std::chrono::steady_clock::now();
  const auto reply = ask({.url = server.url, .timeout_ms = 20'000, .connect_ms = 300});
  ASSERT_FALSE(reply.ok());
  EXPECT_TRUE(reply.error().sentence().starts_with("Cannot reach 127.0.0.1")) << reply.error().sentence();
  EXPECT_LT(since(began), milliseconds(5'000));
  Responder slow([](std::string_view) {
    std::this_thread::sleep_for(milliseconds(600));
    return kHello;
  });
  EXPECT_TRUE(ask({.url = slow.url(), .connect_ms = 300}).ok()) << "it is for the connection alone";
}

// Neither the caller nor the client's end waits for a look-up that takes long.
TEST(HttpClient, HurriesWhileANameIsLookedUp) {
  std::stop_source stop;
  const auto began = std::chrono::steady_clock::now();
  std::thread stopper([&] {
    std::this_thread::sleep_for(milliseconds(100));
    stop.request_stop();
  });
  Url url;
  url.host = kSlowName;
  const auto reply = ask({.url = url, .timeout_ms = 60'000, .hurry = stop.get_token()});
  stopper.join();
  EXPECT_FALSE(reply.ok());
  EXPECT_LT(since(began), milliseconds(4'000));
}

TEST(HttpClient, SaysThatTheServerEndedTheConnection) {
  for (const std::string reply :
       {"", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"}) {
    Responder responder({reply + kEnd});
    const auto failed = ask({.url = responder.url(), .body = "1"});
    ASSERT_FALSE(failed.ok());
    EXPECT_EQ(failed.error().sentence(), "The server ended the connection before it had answered.") << reply;
  }
}

TEST(HttpClient, TakesAHeadForTheReplyIfTheBodyIsNotRead) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n";
  for (const std::string& reply : {head + "abc" + kEnd, head + std::string(200'000, 'x'), head + "abc"}) {
    Responder responder({reply});
    const auto taken = ask({.url = responder.url(), .body = "1", .timeout_ms = 1'000, .reads_body = false});
    ASSERT_TRUE(taken.ok()) << taken.error().sentence();
    EXPECT_EQ(taken->status, 200);
    EXPECT_EQ(taken->body, "");
  }
  Responder half({"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Le" + std::string(1, kEnd)});
  EXPECT_FALSE(ask({.url = half.url(), .body = "1", .timeout_ms = 1'000, .reads_body = false}).ok());
  Responder slow({"HTTP/1.1 200 OK\r\nContent-Le"});
  const auto late = ask({.url = slow.url(), .body = "1", .timeout_ms = 100, .reads_body = false});
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().sentence(), "The server did not answer in time.");
  Responder kept({kHello});
  auto client = HttpClient::create();
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(client->send({.url = kept.url(), .body = "1", .reads_body = false}).ok());
  EXPECT_EQ(kept.connections(), 1U) << "the bodies are short";
}

TEST(HttpClient, SaysWhatItCannotReach) {
  Url url;
  {
    const Responder gone({""});
    url = gone.url();
  }
  const auto refused = ask({.url = url});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().sentence(), "Cannot reach 127.0.0.1 at port " + url.port + ": Connection refused.");
  const auto unknown = ask({.url = {.host = "no.such.name.invalid"}});
  ASSERT_FALSE(unknown.ok());
  EXPECT_TRUE(unknown.error().sentence().starts_with("Cannot reach no.such.name.invalid at port 80: "));
}

TEST(HttpClient, RefusesRepliesThatAreTooLarge) {
  Responder head({"HTTP/1.1 200 OK\r\n" + std::string(70'000, 'x') + ": 1\r\n\r\n"});
  const auto failed = ask({.method = "GET", .url = head.url(), .timeout_ms = 60'000});
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().sentence(), "The server's reply is too large.");
  EXPECT_EQ(HttpRequest().most_body, size_t{64} << 20);
  for (const size_t most : {HttpRequest().most_body, size_t{0}, size_t{100'000}}) {
    Responder fits({json_reply(200, std::string(most, 'x'))});
    HttpRequest request{.method = "GET", .url = fits.url(), .timeout_ms = 60'000};
    request.most_body = most;
    const auto whole = ask(request);
    ASSERT_TRUE(whole.ok()) << whole.error().sentence();
    EXPECT_EQ(whole->body.size(), most);
    Responder body({"HTTP/1.1 200 OK\r\n\r\n" + std::string(most + 1, 'x')});
    request.url = body.url();
    const auto larger = ask(request);
    ASSERT_FALSE(larger.ok());
    EXPECT_EQ(larger.error().sentence(),
              "The server's reply is too large: its body has more than " + std::to_string(most) + " bytes.");
  }
}

TEST(HttpClient, WaitsNoLongerThanItMay) {
  Responder silent({"HTTP/1.1 200 OK\r\n"});
  auto client = HttpClient::create();
  ASSERT_TRUE(client.ok());
  auto began = std::chrono::steady_clock::now();
  const auto late = client->send({.url = silent.url(), .timeout_ms = 100});
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().sentence(), "The server did not answer in time.");
  EXPECT_GE(since(began), milliseconds(100));
  EXPECT_LT(since(began), milliseconds(5'000));

  std::stop_source stop;
  const std::jthread hurries([&] {
    std::this_thread::sleep_for(milliseconds(100));
    stop.request_stop();
  });
  began = std::chrono::steady_clock::now();
  EXPECT_FALSE(client->send({.url = silent.url(), .timeout_ms = 60'000, .hurry = stop.get_token()}).ok());
  EXPECT_GE(since(began), milliseconds(HttpClient::kHurryMs));
  EXPECT_LT(since(began), milliseconds(10'000));
}

}  // namespace
}  // namespace partita::net
