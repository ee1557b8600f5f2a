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
  RequestReader reader(limits);
  EXPECT_EQ(reader.next(), State::kMore);
  return feed(reader, bytes, piece);
}

TEST(RequestReader, ReadsARequestInPiecesOfAnySize) {
  const std::string request =
      "POST /?a=b HTTP/1.1\r\nHost: localhost\r\nX-AMZ-Target:  T.Get  \r\ncontent-length: 5\r\n\r\nhello";
  for (size_t piece = 1; piece <= request.size(); ++piece) {
    RequestReader reader(kLimits);
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

TEST(RequestReader, ReadsRequestsThatWereSentAtOnce) {
  std::string all;
  for (int i = 0; i < 300; ++i) {
    const std::string body(static_cast<size_t>(i), 'x');
    all += "POST /" + std::to_string(i) + " HTTP/1.1\r\nContent-Length: " + std::to_string(i) + "\r\n\r\n" + body;
  }
  for (const size_t piece : {1, 7, 100, 3000, 100'000}) {
    RequestReader reader(kLimits);
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
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1;ext=1\r\n \r\n6\r\nworld!\r\n0\r\nTrailer: 1\r\n"
      "\r\nGET / HTTP/1.1\r\n\r\n";
  for (size_t piece = 1; piece <= request.size(); ++piece) {
    RequestReader reader(kLimits);
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
  const auto stays = [](std::string_view request) {
    RequestReader reader(kLimits);
    EXPECT_EQ(feed(reader, request, 1000), State::kComplete);
    return reader.keep_alive();
  };
  EXPECT_TRUE(stays("GET / HTTP/1.1\r\n\r\n"));
  EXPECT_FALSE(stays("GET / HTTP/1.1\r\nConnection: close\r\n\r\n"));
  EXPECT_FALSE(stays("GET / HTTP/1.0\r\n\r\n"));
  EXPECT_TRUE(stays("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
}

TEST(RequestReader, ServesClientsThatWouldUpgrade) {
  EXPECT_EQ(feed_all("POST / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\n{}"),
            State::kComplete);
  EXPECT_EQ(feed_all("CONNECT a:1 HTTP/1.1\r\n\r\n"), State::kComplete);
}

TEST(RequestReader, SeesExpectations) {
  RequestReader reader(kLimits);
  std::string_view head = "POST / HTTP/1.1\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n";
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
  const auto length = [](size_t size) {
    return "POST / HTTP/1.1\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n";
  };
  EXPECT_EQ(feed_all(length(10'001)), State::kBodyTooLarge);
  EXPECT_EQ(feed_all(length(10'000) + std::string(10'000, 'x')), State::kComplete);
  const std::string chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(feed_all(chunked + "2711\r\n" + std::string(10'001, 'x')), State::kBodyTooLarge);
  EXPECT_EQ(feed_all(chunked + "2710\r\n" + std::string(10'000, 'x') + "\r\n0\r\n\r\n"), State::kComplete);
  // Framing without end.
  EXPECT_EQ(feed_all(chunked + "1;" + std::string(200'000, 'x')), State::kBodyTooLarge);
  EXPECT_EQ(feed_all(chunked + "1\r\nx\r\n0\r\nA: " + std::string(200'000, 'x')), State::kBodyTooLarge);
}

TEST(RequestReader, RefusesWhatIsNotHttp) {
  for (const std::string_view bad :
       {"hello\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\x16\x03\x01\x02",
        "GET / HTTP/1.1\r\nno colon\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n"}) {
    EXPECT_EQ(feed_all(bad), State::kMalformed) << bad;
    EXPECT_EQ(feed_all(bad, kLimits, 1), State::kMalformed) << bad;
  }
}

TEST(RequestReader, SurvivesAnyBytes) {
  std::mt19937_64 chance(7);
  const std::string good = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nA: b\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = good + good;
    for (uint64_t changes = chance() % 6; changes > 0; --changes) {
      bytes[chance() % bytes.size()] = static_cast<char>(chance());
    }
    RequestReader reader(kLimits);
    std::string_view left = bytes;
    State state = reader.next();
    while (state == State::kComplete || (state == State::kMore && !left.empty())) {
      state = state == State::kComplete ? reader.next() : feed(reader, left, 1 + chance() % 40);
    }
  }
}

}  // namespace
}  // namespace partita::http
