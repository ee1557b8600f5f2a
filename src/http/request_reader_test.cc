#include "http/request_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>

namespace partita::http {
namespace {

using State = RequestReader::State;

constexpr RequestReader::Limits kLimits{4096, 10'000};

// Big enough for all that these tests do, and at the end of each all of it must have been given back.
struct Reader : private Budget, public RequestReader {
  explicit Reader(Limits limits = kLimits, size_t budget = 1'000'000)
      : Budget(budget), RequestReader(limits, static_cast<Budget&>(*this)) {}
};

// A head that is well formed but for `lines`.
std::string get(std::string_view lines) { return "GET / HTTP/1.1\r\nHost: h\r\n" + std::string(lines) + "\r\n"; }
std::string post(std::string_view lines) { return "POST / HTTP/1.1\r\nHost: h\r\n" + std::string(lines) + "\r\n"; }
std::string chunked(std::string_view chunks) { return post("Transfer-Encoding: chunked\r\n") + std::string(chunks); }

// Gives the reader `bytes`, at most `piece` at a time, until it has an answer or they are used up; drops what it took.
State feed(RequestReader& reader, std::string_view& bytes, size_t piece) {
  State state = State::kMore;
  while (state == State::kMore && !bytes.empty()) {
    const std::span<char> space = reader.space();
    const size_t size = std::min({piece, space.size(), bytes.size()});
    std::memcpy(space.data(), bytes.data(), size);
    bytes.remove_prefix(size);
    state = reader.received(size);
  }
  return state;
}

State feed_all(std::string_view bytes, RequestReader::Limits limits = kLimits, size_t piece = 1000) {
  Reader reader(limits);
  EXPECT_EQ(reader.next(), State::kMore);
  return feed(reader, bytes, piece);
}

TEST(RequestReader, ReadsARequestInPiecesOfAnySize) {
  const std::string request =
      "POST /?a=b HTTP/1.1\r\nHost: localhost\r\nX-AMZ-Target:  T.Get  \r\ncontent-length: 5\r\n\r\nhello";
  for (size_t piece = 1; piece <= request.size(); ++piece) {
    Reader reader;
    EXPECT_EQ(reader.next(), State::kMore);
    EXPECT_TRUE(reader.idle());
    std::string_view bytes = request;
    ASSERT_EQ(feed(reader, bytes, piece), State::kComplete) << piece;
    EXPECT_EQ(reader.method(), RequestReader::Method::kPost);
    EXPECT_EQ(reader.target(), "/?a=b");
    EXPECT_EQ(reader.header("x-amz-target"), "T.Get");
    EXPECT_EQ(reader.header("authorization"), "");
    EXPECT_EQ(reader.body(), "hello");
    EXPECT_TRUE(reader.keep_alive());
    EXPECT_EQ(reader.next(), State::kMore);
    EXPECT_TRUE(reader.idle());
  }
}

// A header line that is all there is taken in one scan, if nothing about it is unusual; else the long way.
TEST(RequestReader, TakesHeadersAlikeHoweverTheyArrive) {
  const std::string_view lines[] = {"X-Amz-Target: T.Get",
                                    "X-Amz-Target:T.Get",
                                    "X-Amz-Target:  T.Get",
                                    "X-Amz-Target:\tT.Get",
                                    "X-Amz-Target: T.Get ",
                                    "X-Amz-Target:",
                                    "X-Amz-Target: ",
                                    "X-Amz-Target: T\tGet",
                                    "X-Amz-Target: T\x7fGet",
                                    "X-Amz-Target : T.Get",
                                    ": T.Get",
                                    "X-Amz-Target T.Get",
                                    "X-Amz-Target: \xc3\xa9",
                                    "X-Amz-Target: T\rGet",
                                    " X-Amz-Target: T.Get",
                                    "X-Amz-Target: a:b",
                                    "X-Amz-Targets: T.Get",
                                    "Connection: close",
                                    "connection:close",
                                    "Content-Length: 0",
                                    "Content-Length: x",
                                    "Transfer-Encoding: gzip",
                                    "Host: again",
                                    "X\x80: y",
                                    ""};
  const auto told = [](const std::string& text, size_t piece) {
    Reader reader;
    std::string_view bytes = text;
    const State state = feed(reader, bytes, piece);
    if (state != State::kComplete) return std::to_string(static_cast<int>(state));
    return std::string(reader.header("x-amz-target")) + (reader.keep_alive() ? " stays " : " goes ") +
           std::string(reader.header("x-more"));
  };
  for (const std::string_view first : lines) {
    for (const std::string_view second : lines) {
      const std::string text = get(std::string(first) + "\r\nX-More: 1\r\n" + std::string(second) + "\r\n");
      ASSERT_EQ(told(text, 1000), told(text, 1)) << text;
    }
  }
}

TEST(RequestReader, ReadsRequestsThatWereSentAtOnce) {
  std::string all;
  for (int i = 0; i < 300; ++i) {
    const std::string body(static_cast<size_t>(i), 'x');
    all += "POST /" + std::to_string(i) + " HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(i) + "\r\n\r\n" +
           body;
  }
  for (const size_t piece : {1, 7, 100, 3000, 100'000}) {
    Reader reader;
    std::string_view bytes = all;
    for (int i = 0; i < 300; ++i) {
      State state = reader.next();
      if (state == State::kMore) state = feed(reader, bytes, piece);
      ASSERT_EQ(state, State::kComplete) << i;
      EXPECT_EQ(reader.target(), "/" + std::to_string(i));
      EXPECT_EQ(reader.body(), std::string(static_cast<size_t>(i), 'x'));
    }
    EXPECT_EQ(reader.next(), State::kMore);
    EXPECT_TRUE(bytes.empty() && reader.idle());
  }
}

TEST(RequestReader, JoinsChunks) {
  const std::string request =
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1;ext=1\r\n \r\n6\r\nworld!\r\n0\r\nTrailer: 1\r\n"
      "\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n";
  for (size_t piece = 1; piece <= request.size(); ++piece) {
    Reader reader;
    std::string_view bytes = request;
    EXPECT_EQ(reader.next(), State::kMore);
    ASSERT_EQ(feed(reader, bytes, piece), State::kComplete);
    EXPECT_EQ(reader.body(), "hello world!");
    EXPECT_EQ(reader.header("trailer"), "");
    State state = reader.next();
    if (state == State::kMore) state = feed(reader, bytes, piece);
    ASSERT_EQ(state, State::kComplete) << piece;
    EXPECT_EQ(reader.method(), RequestReader::Method::kGet);
  }
}

TEST(RequestReader, KnowsWhoWantsToStay) {
  const auto stays = [](const std::string& text) {
    std::string_view request = text;
    Reader reader;
    EXPECT_EQ(feed(reader, request, 1000), State::kComplete);
    return reader.keep_alive();
  };
  EXPECT_TRUE(stays(get("")));
  EXPECT_FALSE(stays(get("Connection: close\r\n")));
  EXPECT_FALSE(stays("GET / HTTP/1.0\r\n\r\n"));
  EXPECT_TRUE(stays("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
  EXPECT_FALSE(stays(get("Connection: upgrade, Close\r\n")));
  EXPECT_FALSE(stays(get("Connection: close\r\nConnection: keep-alive\r\n")));
}

TEST(RequestReader, ServesClientsThatWouldUpgrade) {
  EXPECT_EQ(feed_all(post("Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n") + "{}"), State::kComplete);
  EXPECT_EQ(feed_all("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n"), State::kComplete);
}

TEST(RequestReader, SeesExpectations) {
  Reader reader;
  const std::string text = post("Expect: 100-Continue\r\nContent-Length: 2\r\n");
  std::string_view head = text;
  EXPECT_EQ(feed(reader, head, 1000), State::kMore);
  EXPECT_TRUE(reader.head_complete());
  EXPECT_TRUE(reader.expects_continue());
}

TEST(RequestReader, BoundsHeads) {
  const std::string fill(5000, 'a');
  EXPECT_EQ(feed_all("GET /" + fill), State::kHeadTooLarge);
  EXPECT_EQ(feed_all("GET / HTTP/1.1\r\n" + fill), State::kHeadTooLarge);
  EXPECT_EQ(feed_all("GET / HTTP/1.1\r\nA: " + fill), State::kHeadTooLarge);
  EXPECT_EQ(feed_all("GET / HTTP/1.1\r\nA: " + fill + "\r\n\r\n", kLimits, 100'000), State::kHeadTooLarge);
  std::string many = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 200; ++i) many += "a:b\r\n";
  EXPECT_EQ(feed_all(many + "\r\n"), State::kHeadTooLarge);
}

TEST(RequestReader, BoundsBodies) {
  const auto length = [](size_t size) { return post("Content-Length: " + std::to_string(size) + "\r\n"); };
  EXPECT_EQ(feed_all(length(10'001)), State::kBodyTooLarge);
  EXPECT_EQ(feed_all(post("Content-Length: 99999999999999999999999\r\n")), State::kBodyTooLarge);
  EXPECT_EQ(feed_all(post("Content-Length: 18446744073709551617\r\n") + "x"), State::kBodyTooLarge);
  EXPECT_EQ(feed_all(length(10'000) + std::string(10'000, 'x')), State::kComplete);
  EXPECT_EQ(feed_all(chunked("2711\r\n" + std::string(10'001, 'x'))), State::kBodyTooLarge);
  EXPECT_EQ(feed_all(chunked("2710\r\n" + std::string(10'000, 'x') + "\r\n0\r\n\r\n")), State::kComplete);
  EXPECT_EQ(feed_all(chunked("1388\r\n" + std::string(5'000, 'x') + "\r\n1389\r\n")), State::kBodyTooLarge);
  EXPECT_EQ(feed_all(chunked("10000000000000001\r\nx")), State::kBodyTooLarge);
  // Framing without end.
  EXPECT_EQ(feed_all(chunked("1;" + std::string(200'000, 'x'))), State::kMalformed);
  EXPECT_EQ(feed_all(chunked("1\r\nx\r\n0\r\nA: " + std::string(200'000, 'x'))), State::kMalformed);
  std::string trailers = "1\r\nx\r\n0\r\n";
  for (int i = 0; i < 30'000; ++i) trailers += "A: b\r\n";
  EXPECT_EQ(feed_all(chunked(trailers)), State::kBodyTooLarge);
}

// What two readers in a row could take for different requests, and what is no HTTP/1 at all.
TEST(RequestReader, RefusesWhatIsNotHttp) {
  const std::string heads[] = {
      "hello\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\x16\x03\x01\x02", "\n",
      "\r\n\r\n",
      // The request line.
      "GET /\r\nHost: h\r\n\r\n", "GET / HTTP/2.0\r\nHost: h\r\n\r\n", "GET / HTTP/1.2\r\nHost: h\r\n\r\n",
      "GET / http/1.1\r\nHost: h\r\n\r\n", "GET / HTTP/1.1 \r\nHost: h\r\n\r\n", "GET  / HTTP/1.1\r\nHost: h\r\n\r\n",
      "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n", "GET\t/ HTTP/1.1\r\nHost: h\r\n\r\n",
      "GET /\x7f HTTP/1.1\r\nHost: h\r\n\r\n", "GET /\xc3\xa9 HTTP/1.1\r\nHost: h\r\n\r\n",
      "G@T / HTTP/1.1\r\nHost: h\r\n\r\n", " GET / HTTP/1.1\r\nHost: h\r\n\r\n",
      // Lines.
      "GET / HTTP/1.1\nHost: h\n\n", "GET / HTTP/1.1\r\nHost: h\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\n\n",
      get("A: b\rC: d\r\n"), get("A: b\r\r\n"), get("A: b\r\n c\r\n"), get("A: b\r\n\tc\r\n"), get(" A: b\r\n"),
      // Names and values.
      get("no colon\r\n"), get(": no name\r\n"), get("A : b\r\n"), get("A\t: b\r\n"), get("(A): b\r\n"),
      get(std::string("A\0B: c\r\n", 8)), get(std::string("A: b\0c\r\n", 8)), get("A: \x7f\r\n"),
      get("A: aaaaaaaaa\x01\r\n"),
      get("A: \x01"
          "aaaaaaaaaaaaaaaa\r\n"),
      // Of these there is one.
      "GET / HTTP/1.1\r\n\r\n", get("Host: h\r\n"), get("hOST: other\r\n"),
      get("X-Amz-Target: a\r\nx-amz-target: a\r\n"), get("Authorization: a\r\nAuthorization: b\r\n"),
      get("Content-Type: a\r\nContent-Type: b\r\n"), "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n",
      // The body's size.
      post("Content-Length: -1\r\n"), post("Content-Length: +1\r\n"), post("Content-Length: 0x1\r\n"),
      post("Content-Length:\r\n"), post("Content-Length: 1 1\r\n"), post("Content-Length: 1, 1\r\n"),
      post("Content-Length: 1\r\nContent-Length: 1\r\n"), post("Content-Length: 1\r\nContent-Length: 2\r\n"),
      post("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"),
      post("Transfer-Encoding: chunked\r\nContent-Length: 1\r\n"), post("Transfer-Encoding: gzip, chunked\r\n"),
      post("Transfer-Encoding: chunked, gzip\r\n"), post("Transfer-Encoding: chunked, chunked\r\n"),
      post("Transfer-Encoding: identity\r\n"), post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
      post("Transfer-Encoding: \"chunked\"\r\n"), post("Transfer-Encoding: xchunked\r\n"),
      post("Transfer-Encoding:\r\n"), "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
      // Chunks.
      chunked("xyz\r\n"), chunked("-1\r\n"), chunked("\r\n"), chunked("0x1\r\nx\r\n"), chunked("1 \r\nx\r\n"),
      chunked(" 1\r\nx\r\n"), chunked("1\nx\r\n"), chunked("1\r\nxx\r\n"), chunked("1\r\nx\n0\r\n\r\n"),
      chunked("1\r\nx0\r\n\r\n"), chunked("1;\r\nx\r\n"), chunked("1; a=b\r\nx\r\n"), chunked("1;a=\"b\r\n\"\r\nx"),
      chunked("1;a=b\rc\r\nx\r\n"), chunked("0\r\nno colon\r\n\r\n"), chunked("0\r\nA: b\n\r\n"),
      chunked("0\r\n: b\r\n\r\n")};
  for (const std::string& bad : heads) {
    EXPECT_EQ(feed_all(bad), State::kMalformed) << bad;
    EXPECT_EQ(feed_all(bad, kLimits, 1), State::kMalformed) << bad;
  }
}

TEST(RequestReader, TakesWhatIsUnusualAndClear) {
  for (const std::string& good :
       {"\r\n" + get(""), get("A:\r\n"), get("A:b\tc\r\n"), get("A: \xc3\xa9\xff\r\n"), get("!#$%&'*+-.^_`|~09: x\r\n"),
        std::string("GET http://a/b?c HTTP/1.1\r\nHost: a\r\n\r\n"), std::string("OPTIONS * HTTP/1.1\r\nHost:\r\n\r\n"),
        std::string("GET / HTTP/1.0\r\n\r\n"), post("Transfer-Encoding: Chunked\r\n") + "0\r\n\r\n",
        chunked("000001;a;b=c\r\nx\r\n0\r\nA: b\r\n\r\n"), post("Content-Length: 007\r\n") + "1234567"}) {
    EXPECT_EQ(feed_all(good), State::kComplete) << good;
    EXPECT_EQ(feed_all(good, kLimits, 1), State::kComplete) << good;
  }
}

TEST(RequestReader, TakesItsMemoryFromTheBudget) {
  const std::string body(90'000, 'x');
  const std::string request = post("Content-Length: 90000\r\n") + body;
  constexpr RequestReader::Limits kWide{4096, 1'000'000};
  for (const size_t budget : {size_t{5'000}, size_t{60'000}, size_t{180'000}, size_t{181'000}}) {
    Reader reader(kWide, budget);
    std::string_view bytes = request;
    State state = reader.next();
    while (state == State::kMore && !bytes.empty()) {
      const std::span<char> space = reader.space();
      if (space.empty()) break;
      const size_t size = std::min(space.size(), bytes.size());
      std::memcpy(space.data(), bytes.data(), size);
      bytes.remove_prefix(size);
      state = reader.received(size);
    }
    // A large body may take half of it, and is not given more room than it announced.
    EXPECT_EQ(state, budget == 181'000 ? State::kComplete : State::kMore) << budget;
    if (state == State::kComplete) {
      EXPECT_EQ(reader.body(), body);
    }
  }
}

// Of two that do not both fit, the second is refused and the first arrives.
TEST(RequestReader, GivesALargeBodyThatHasBegunAllOfItsRoom) {
  constexpr RequestReader::Limits kWide{4096, 1'000'000};
  const std::string head = post("Content-Length: 600000\r\n");
  Budget budget(2'000'000);
  RequestReader first(kWide, budget);
  RequestReader second(kWide, budget);
  const auto receive = [](RequestReader& reader, size_t most) {
    for (size_t received = 0; received < most;) {
      const std::span<char> space = reader.space();
      if (space.empty()) return State::kBodyTooLarge;
      const size_t size = std::min(space.size(), most - received);
      std::memset(space.data(), 'x', size);
      received += size;
      if (const State state = reader.received(size); state != State::kMore) return state;
    }
    return State::kMore;
  };
  for (RequestReader* const reader : {&first, &second}) {
    ASSERT_EQ(reader->next(), State::kMore);
    const std::span<char> space = reader->space();
    std::memcpy(space.data(), head.data(), head.size());
    EXPECT_EQ(reader->received(head.size()), State::kMore);
    EXPECT_EQ(receive(*reader, 30'000), State::kMore);
    EXPECT_LT(budget.used(), 200'000u);  // what is merely announced takes nothing
  }
  EXPECT_EQ(receive(first, 70'000), State::kMore);
  EXPECT_EQ(receive(second, 570'000), State::kBodyTooLarge);
  EXPECT_EQ(receive(first, 500'000), State::kComplete);
}

TEST(RequestReader, SurvivesAnyBytes) {
  std::mt19937_64 chance(7);
  const std::string good =
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nA: b\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = good + good;
    for (uint64_t changes = chance() % 6; changes > 0; --changes) {
      bytes[chance() % bytes.size()] = static_cast<char>(chance());
    }
    Reader reader;
    std::string_view left = bytes;
    State state = reader.next();
    while (state == State::kComplete || (state == State::kMore && !left.empty())) {
      state = state == State::kComplete ? reader.next() : feed(reader, left, 1 + chance() % 40);
    }
  }
}

}  // namespace
}  // namespace partita::http
