#include "sinks/runtime_api.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <ctime>
#include <future>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "net/http_client.h"
#include "sinks/changes_testing.h"

namespace partita::sinks {

Result<std::unique_ptr<ChangeDestination>> make_runtime_destination(const ChangeSettings& settings,
                                                                    std::stop_token hurry);

namespace {

using Kind = HookAnswer::Kind;

// The paths and bodies of requests in these bytes, which come in pieces of that size; "wrong" if one is none.
std::string requests_in(std::string_view bytes, size_t piece) {
  RuntimeReader reader;
  std::string all;
  for (size_t at = 0; at <= bytes.size(); at += piece) {
    while (true) {
      auto request = reader.next();
      if (!request.ok()) return all + "wrong";
      if (!*request) break;
      all += (*request)->method + " " + (*request)->path + " " + (*request)->body + "|";
    }
    reader.add(bytes.substr(at, piece));
  }
  while (true) {
    auto request = reader.next();
    if (!request.ok()) return all + "wrong";
    if (!*request) return all;
    all += (*request)->method + " " + (*request)->path + " " + (*request)->body + "|";
  }
}

TEST(RuntimeReader, TakesRequestsOutOfPieces) {
  const std::string bytes =
      "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"
      "POST /b HTTP/1.1\r\ncontent-LENGTH:  3 \r\n\r\nabc"
      "POST /c HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n2\r\nab\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n"
      "GET /d HTTP/1.1\r\n\r\n";
  for (size_t piece = 1; piece <= bytes.size(); ++piece) {
    EXPECT_EQ(requests_in(bytes, piece), "GET /a |POST /b abc|POST /c ab0123456789|GET /d |") << piece;
  }
}

TEST(RuntimeReader, RefusesWhatIsNoRequest) {
  const std::string chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string& bytes :
       {std::string("nonsense\r\n\r\n"), std::string("GET / HTTP/1.0\r\n\r\n"), std::string("GET /\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nno colon\r\n\r\n"), std::string("GET / HTTP/1.1\r\n: x\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n"), chunked + "x\r\n", chunked + "2\r\nabc\r\n",
        chunked + std::string(100, '0'), std::string(20'000, 'x')}) {
    EXPECT_EQ(requests_in(bytes, 7), "wrong") << bytes.substr(0, 100);
  }
}

TEST(RuntimeReader, TakesTheSameFromAnyPieces) {
  const std::string post = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;" + std::string(62, 'x');
  const std::string head = "GET /" + std::string(RuntimeReader::kMostHead - 14, 'x') + " HTTP/1.1";
  for (const size_t piece : {size_t{1}, size_t{50'000}}) {
    EXPECT_EQ(requests_in(post + "\r\na\r\n0\r\n\r\n", piece), "POST / a|") << piece;
    EXPECT_EQ(requests_in(post + "x\r\na\r\n0\r\n\r\n", piece), "wrong") << piece;
    EXPECT_TRUE(requests_in(head + "\r\n\r\n", piece).ends_with("x |")) << piece;
    EXPECT_EQ(requests_in(head + "y\r\n\r\n", piece), "wrong") << piece;
  }
}

TEST(RuntimeReader, TellsWhatIsTooLarge) {
  const std::string chunked = "POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  std::string many = chunked;
  for (int i = 0; i < 7; ++i) many += "100000\r\n" + std::string(1 << 20, 'x') + "\r\n";
  for (const std::string& bytes : {std::string("POST /x HTTP/1.1\r\nContent-Length: 6291457\r\n\r\n"),
                                   std::string("POST /x HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n"),
                                   chunked + "600001\r\n", chunked + "ffffffffffffffffff\r\n", many}) {
    RuntimeReader reader;
    reader.add(bytes);
    const auto request = reader.next();
    ASSERT_TRUE(request.ok() && *request) << bytes.substr(0, 100);
    EXPECT_TRUE((*request)->is_too_large);
    EXPECT_EQ((*request)->path + (*request)->body, "/x");
  }
  RuntimeReader reader;
  reader.add("POST /x HTTP/1.1\r\nContent-Length: 6291456\r\n\r\n" + std::string(RuntimeReader::kMostBody, 'x'));
  const auto request = reader.next();
  ASSERT_TRUE(request.ok() && *request);
  EXPECT_EQ((*request)->body.size(), RuntimeReader::kMostBody);
}

// A connection of a runtime, byte by byte.
class RawRuntime {
 public:
  explicit RawRuntime(uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), port_(port) {}
  RawRuntime(const RawRuntime&) = delete;
  RawRuntime& operator=(const RawRuntime&) = delete;
  ~RawRuntime() { ::close(socket_); }

  RawRuntime& connect() {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(port_);
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&place), sizeof place), 0);
    return *this;
  }
  // Of the receiver's window: before connect().
  RawRuntime& takes(int bytes) {
    EXPECT_EQ(::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes), 0);
    return *this;
  }
  void ask(const std::string& method, const std::string& path, const std::string& body = {}) {
    const std::string bytes = method + " /2018-06-01/runtime/" + path +
                              " HTTP/1.1\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    EXPECT_EQ(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  // Bytes until this is among them, the connection ends (with "<end>") or the time is over.
  std::string read_until(std::string_view what, int ms = 5'000) {
    std::string all;
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
    while (!all.contains(what)) {
      const auto left = until - std::chrono::steady_clock::now();
      pollfd ready{.fd = socket_, .events = POLLIN, .revents = 0};
      const auto left_ms = std::chrono::duration_cast<std::chrono::milliseconds>(left).count();
      if (left_ms <= 0 || ::poll(&ready, 1, static_cast<int>(left_ms)) <= 0) return all + "<late>";
      std::array<char, 1'000> some{};
      const ssize_t size = ::recv(socket_, some.data(), some.size(), 0);
      if (size <= 0) return all + "<end>";
      all.append(some.data(), static_cast<size_t>(size));
    }
    return all;
  }
  static std::string id_in(const std::string& head) {
    constexpr std::string_view kName = "Lambda-Runtime-Aws-Request-Id: ";
    return head.substr(std::min(head.find(kName) + kName.size(), head.size()), 36);
  }

 private:
  const int socket_;
  const uint16_t port_;
};

class RuntimeApiTest : public testing::Test {
 protected:
  RuntimeApiTest() { make({}); }
  void make(HookOptions options, RuntimeLimits limits = {}) {
    api_ = std::make_unique<RuntimeApi>("127.0.0.1", 0, changes_settings("runtime://x"), options, system_clock(),
                                        stop_.get_token(), limits);
    EXPECT_TRUE(api_->prepare().ok());
    EXPECT_TRUE(api_->prepare().ok());
  }
  std::future<HookAnswer> call() {
    return std::async(std::launch::async, [this] { return api_->call(0, call_); });
  }
  net::HttpReply ask(std::string_view method, const std::string& path, std::string_view body = {}) {
    net::HttpRequest request{.method = method, .url = {}, .body = body};
    request.url.host = "127.0.0.1";
    request.url.port = std::to_string(api_->port());
    request.url.path = "/2018-06-01/runtime/" + path;
    auto reply = http_.send(request);
    EXPECT_TRUE(reply.ok()) << reply.error().sentence();
    return reply.ok() ? *std::move(reply) : net::HttpReply();
  }
  static std::string header(const net::HttpReply& reply, std::string_view name) {
    for (const auto& [one, value] : reply.headers) {
      if (one == name) return value;
    }
    return "none";
  }

  HookCall call_{
      .id = "msg_00112233445566778899aabbccddeeff00", .body = R"({"Records":[]})", .sequence_numbers = {"7"}};
  std::stop_source stop_;
  std::unique_ptr<RuntimeApi> api_;
  net::HttpClient http_ = net::HttpClient::create().value();
};

TEST_F(RuntimeApiTest, GivesEventsAndTakesAnswers) {
  make({.reports_items = true});
  const struct {
    const char* verb;
    const char* body;
    Kind kind;
  } kCases[] = {{"response", "null", Kind::kDone},
                {"response", R"({"batchItemFailures":[{"itemIdentifier":"7"}]})", Kind::kFailed},
                {"error", R"({"errorMessage":"no"})", Kind::kFailed}};
  std::set<std::string> ids;  // a late answer to one attempt is none to the next
  for (const auto& one : kCases) {
    auto answer = call();
    const net::HttpReply next = ask("GET", "invocation/next");
    EXPECT_EQ(next.status, 200);
    EXPECT_EQ(next.body, call_.body);
    const std::string id = header(next, "lambda-runtime-aws-request-id");
    EXPECT_EQ(id.size(), 36U);
    EXPECT_TRUE(ids.insert(id).second) << id;
    EXPECT_GT(std::stoll(header(next, "lambda-runtime-deadline-ms")), system_clock().now_ms() + 50'000);
    EXPECT_EQ(header(next, "lambda-runtime-invoked-function-arn"),
              "arn:aws:lambda:eu-central-1:000000000000:function:s");
    EXPECT_EQ(ask("POST", "invocation/" + id + "/" + one.verb, one.body).status, 202);
    EXPECT_EQ(ask("POST", "invocation/" + id + "/" + one.verb, one.body).status, 400) << "answered already";
    EXPECT_EQ(answer.get().kind, one.kind) << one.body;
  }
}

TEST_F(RuntimeApiTest, AnswersWhatItDoesNotServe) {
  EXPECT_EQ(ask("POST", "invocation/unknown/response", "{}").status, 400);
  EXPECT_EQ(ask("POST", "invocation/unknown/other", "{}").status, 404);
  EXPECT_EQ(ask("GET", "other").status, 404);
  EXPECT_EQ(ask("POST", "invocation/next").status, 404);
  EXPECT_EQ(ask("POST", "init/error", R"({"errorMessage":"broken"})").status, 202);
}

TEST_F(RuntimeApiTest, FailsWhatTakesTooLong) {
  make({.timeout_ms = 200});
  auto answer = call();
  const std::string id = header(ask("GET", "invocation/next"), "lambda-runtime-aws-request-id");
  const HookAnswer late = answer.get();
  EXPECT_EQ(late.kind, Kind::kFailed);
  EXPECT_EQ(late.reason, "The function did not answer in time.");
  EXPECT_EQ(ask("POST", "invocation/" + id + "/response", "{}").status, 400);
}

TEST_F(RuntimeApiTest, MissesARuntimeThatDoesNotAsk) {
  ask("POST", "init/error", "broken");
  const HookAnswer answer = call().get();
  EXPECT_EQ(answer.kind, Kind::kMissed);
  EXPECT_EQ(answer.reason, "No runtime asks for events. It could not start: broken");
}

TEST_F(RuntimeApiTest, GivesNothingToARuntimeThatHasGone) {
  {
    net::HttpClient other = net::HttpClient::create().value();
    net::HttpRequest request{.method = "GET", .url = {}, .timeout_ms = 200};
    request.url.host = "127.0.0.1";
    request.url.port = std::to_string(api_->port());
    request.url.path = "/2018-06-01/runtime/invocation/next";
    EXPECT_FALSE(other.send(request).ok());
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  auto answer = call();
  const std::string id = header(ask("GET", "invocation/next"), "lambda-runtime-aws-request-id");
  EXPECT_EQ(ask("POST", "invocation/" + id + "/response", "{}").status, 202);
  EXPECT_EQ(answer.get().kind, Kind::kDone);
}

TEST_F(RuntimeApiTest, GivesAnEventThatMayHaveArrivedUnderANewId) {
  call_.body.resize(RuntimeReader::kMostBody, ' ');
  auto answer = call();
  std::string old;
  {
    RawRuntime first(api_->port());
    first.takes(4'096).connect().ask("GET", "invocation/next");
    old = RawRuntime::id_in(first.read_until("\r\n\r\n"));
    ASSERT_EQ(old.size(), 36U);
  }  // with bytes that it has not read, so the rest cannot be written
  const net::HttpReply next = ask("GET", "invocation/next");
  EXPECT_EQ(next.body, call_.body);
  const std::string id = header(next, "lambda-runtime-aws-request-id");
  EXPECT_NE(id, old);
  EXPECT_EQ(ask("POST", "invocation/" + old + "/error", "{}").status, 400);
  EXPECT_EQ(ask("POST", "invocation/" + id + "/response", "{}").status, 202);
  EXPECT_EQ(answer.get().kind, Kind::kDone);
}

TEST_F(RuntimeApiTest, RefusesAnAnswerThatIsTooLarge) {
  const std::string large(RuntimeReader::kMostBody + 1, 'x');
  auto answer = call();
  const std::string id = header(ask("GET", "invocation/next"), "lambda-runtime-aws-request-id");
  const net::HttpReply refused = ask("POST", "invocation/" + id + "/response", large);
  EXPECT_EQ(refused.status, 413);
  EXPECT_EQ(refused.body,
            R"({"errorMessage":"The body has more than 6291456 bytes.","errorType":"RequestEntityTooLarge"})");
  const HookAnswer failed = answer.get();
  EXPECT_EQ(failed.kind, Kind::kFailed);
  EXPECT_EQ(failed.reason, "The function's answer has more than 6 MiB.");
  RawRuntime raw(api_->port());
  raw.connect().ask("POST", "invocation/x/response", large);  // all of it, before it reads
  EXPECT_TRUE(raw.read_until("TooLarge").starts_with("HTTP/1.1 413 "));
  EXPECT_TRUE(raw.read_until("<end>").ends_with("<end>"));
}

TEST_F(RuntimeApiTest, ClosesConnectionsThatAskNothing) {
  make({.timeout_ms = 5'000}, {.connections = 2, .quiet_ms = 300});
  RawRuntime quiet(api_->port());
  RawRuntime slow(api_->port());
  quiet.connect();
  slow.connect().ask("GET", "invocation/next");
  EXPECT_EQ(quiet.read_until("x"), "<end>");
  std::this_thread::sleep_for(std::chrono::milliseconds(600));  // until it is forgotten, and longer than the limit
  RawRuntime second(api_->port());
  RawRuntime third(api_->port());
  second.connect().ask("GET", "other");
  EXPECT_TRUE(second.read_until("path").starts_with("HTTP/1.1 404 "));
  EXPECT_EQ(third.connect().read_until("x"), "<end>") << "too many";
  auto answer = call();
  const std::string id = RawRuntime::id_in(slow.read_until("[]}"));
  EXPECT_EQ(id.size(), 36U) << "it waits as long as there is no event";
  std::this_thread::sleep_for(std::chrono::milliseconds(600));  // its function works
  slow.ask("POST", "invocation/" + id + "/response", "{}");
  EXPECT_TRUE(slow.read_until("OK\"}").starts_with("HTTP/1.1 202 "));
  EXPECT_EQ(answer.get().kind, Kind::kDone);
}

int64_t used_ms() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return used.tv_sec * 1'000 + used.tv_nsec / 1'000'000;
}

TEST_F(RuntimeApiTest, WaitsForFileDescriptors) {
  RawRuntime runtime(api_->port());
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = std::min<rlim_t>(before.rlim_max, 256);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  std::vector<int> taken;
  while (true) {
    const int one = ::dup(STDERR_FILENO);
    if (one < 0) break;
    taken.push_back(one);
  }
  const int64_t used = used_ms();
  runtime.connect();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_LT(used_ms() - used, 150) << "it tries all the time";
  for (const int one : taken) ::close(one);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  runtime.ask("GET", "other");
  EXPECT_TRUE(runtime.read_until("path").starts_with("HTTP/1.1 404 "));
}

TEST_F(RuntimeApiTest, EndsSoonWhenItIsToHurry) {
  auto answer = call();
  stop_.request_stop();
  EXPECT_EQ(answer.get().kind, Kind::kMissed);
}

TEST(RuntimeUrls, AreCheckedWhenTheSinkIsCreated) {
  for (const char* good : {"runtime://127.0.0.1:9001", "runtime://localhost:9001", "runtime://[::1]:9001"}) {
    EXPECT_TRUE(make_runtime_destination(changes_settings(good), {}).ok()) << good;
  }
  for (const char* bad : {"runtime://", "runtime://127.0.0.1", "runtime://127.0.0.1:0", "runtime://127.0.0.1:9001/",
                          "runtime://127.0.0.1:99999", "runtime://u@127.0.0.1:9001", "runtime://0.0.0.0:9001",
                          "runtime://10.0.0.1:9001", "runtime://example.com:9001"}) {
    EXPECT_FALSE(make_runtime_destination(changes_settings(bad), {}).ok()) << bad;
  }
  EXPECT_FALSE(make_runtime_destination(changes_settings("runtime://127.0.0.1:1", {{"acks", "1"}}), {}).ok());
}

}  // namespace
}  // namespace partita::sinks
