// What a connection may cost: time, memory, rates of requests.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "dax/connection_testing.h"

namespace partita::dax {
namespace {

// ("a", n), for n up to 14.
std::string key_of(int n) {
  return bytes_of("Tab1") + bytes_of(std::string("\x61"
                                                 "a") +
                                     static_cast<char>(0xc1 + n) + std::string("\x1c\0\0", 3));
}

TEST_F(DaxServer, EndsAStrangersSilenceEarlier) {
  options_.request_timeout_ms = 300;
  Peer known = peer();
  EXPECT_TRUE(known.ask(opening() + kEndpoints).numbers.empty());
  Peer silent = peer();
  Peer stranger = peer();
  stranger.send(preamble(0));
  Peer refused = peer();
  refused.send(preamble(0) + authorise(sign("wrong", kNow)));
  EXPECT_TRUE(silent.ended());
  EXPECT_TRUE(stranger.ended());
  EXPECT_TRUE(refused.ended());
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  EXPECT_TRUE(known.ask(kEndpoints).numbers.empty());
}

// Also of those that have no codec.
TEST_F(DaxServer, LimitsTheRateOfAllRequests) {
  service_ = std::make_unique<ops::Service>(*database_, ops::Enforcement::kRefuse, 3);
  handler_ = std::make_unique<Handler>(*service_);
  Peer client = peer();
  client.send(opening());
  for (const std::string& asked : {kEndpoints, request(Method::kListTables, std::string_view("\xf6\x00", 2))}) {
    int exceeded = 0;
    for (int i = 0; i < 30; ++i) exceeded += client.ask(asked).code == "ThrottlingException" ? 1 : 0;
    EXPECT_GT(exceeded, 10);
    EXPECT_LT(exceeded, 30);
    clock_.advance_ms(10'000);
  }
}

// The write is done: a client that repeats it would do it twice.
TEST_F(DaxServer, AWriteWithoutAReplyIsNotRepeated) {
  json("PutItem", R"({"TableName":"Tab1","Item":{"pk":{"S":"a"},"sk":{"N":"1"},"over_http":{"S":"x"}}})");
  Peer client = peer();
  EXPECT_TRUE(client.ask(opening() + kEndpoints).numbers.empty());
  engine_.refuses_lists = true;
  const std::string old = std::string("\xbf\x07\x02\xff", 4);  // ReturnValues: ALL_OLD
  Reply reply = client.ask(request(Method::kDeleteItem, key_of(0) + old));
  EXPECT_EQ(reply.numbers, (std::vector<int64_t>{3, 37, 38, 39, 47}));
  EXPECT_EQ(reply.code, "InternalServerError");
  EXPECT_EQ(handler_->answers().back(), "DeleteItem 500");
  reply = client.ask(request(Method::kGetItem, key_of(0) + "\xf6"));
  EXPECT_EQ(reply.rest, "\xf6");
  // A read is repeated.
  json("PutItem", R"({"TableName":"Tab1","Item":{"pk":{"S":"a"},"sk":{"N":"1"},"over_http":{"S":"x"}}})");
  reply = client.ask(request(Method::kGetItem, key_of(0) + "\xf6"));
  EXPECT_EQ(reply.numbers.front(), 1);
}

// The most memory that this process has had so far.
size_t most_resident() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<size_t>(usage.ru_maxrss) << 10;
}

size_t resident() {
  size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  return pages * static_cast<size_t>(getpagesize());
}

TEST_F(DaxServer, KeepsNoMoreNamesThanAnItemHas) {
  std::string names("\x9a\x00\x20\x00\x00", 5);
  for (size_t i = 0; i < size_t{2} << 20; ++i) names += "\x61x";
  Peer client = peer();
  EXPECT_TRUE(client.ask(opening() + kEndpoints).numbers.empty());
  const std::string define = request(Method::kDefineAttributeListId, names);
  const size_t before = most_resident();
  EXPECT_EQ(client.ask(define).message, "Item size has exceeded the maximum allowed size");
  EXPECT_LT(most_resident(), before + (size_t{64} << 20));
  EXPECT_EQ(client.ask(request(Method::kDefineAttributeListId, "\x82\x60\x61x")).message,
            "1 validation error detected: Empty attribute name");
}

TEST_F(DaxServer, KeepsNoReplyThatItDoesNotSend) {
  memory_ = size_t{1} << 20;
  Peer writer = peer();
  const std::string list = writer.ask(opening() + request(Method::kDefineAttributeListId, "\x81\x61x")).rest;
  const std::string item = bytes_of(list + "\x79\xea\x60" + std::string(60'000, 'x'));
  for (int i = 0; i < 15; ++i) {
    const std::string key = std::string(
                                "\x61"
                                "a") +
                            static_cast<char>(0xc1 + i) + std::string("\x1c\0\0", 3);  // 10^i
    const Reply reply = writer.ask(request(Method::kPutItem, bytes_of("Tab1") + bytes_of(key) + item + "\xf6"));
    EXPECT_TRUE(reply.numbers.empty()) << reply.message;
  }
  // pk = "a"
  const std::string condition =
      bytes_of(std::string("\x83\x01\x83\x00\x82\x12\x62pk\x82\x11\x00\x81\x61"
                           "a",
                           15));
  const std::string query = request(Method::kQuery, bytes_of("Tab1") + condition + "\xf6");
  EXPECT_EQ(writer.ask(query).numbers.front(), 1);
  const size_t before = resident();
  std::vector<std::unique_ptr<Peer>> clients;
  for (int i = 0; i < 40; ++i) {
    clients.push_back(std::make_unique<Peer>(server_->addresses().front()));
    EXPECT_FALSE(clients.back()->ask(opening() + query).numbers.empty());
  }
  EXPECT_LT(resident(), before + (size_t{20} << 20));
}

// A buffer that grew to hold 540 KB has room for 960 KB, which is more than large replies may have of a megabyte.
TEST_F(DaxServer, CountsWhatAReplyHolds) {
  memory_ = size_t{1} << 20;
  Peer client = peer();
  const std::string list = client.ask(opening() + request(Method::kDefineAttributeListId, "\x81\x61x")).rest;
  const std::string item = bytes_of(list + "\x79\xea\x60" + std::string(60'000, 'x'));
  std::vector<std::string> keys;
  for (int i = 0; i < 9; ++i) {
    keys.push_back(std::string("\x61"
                               "a") +
                   static_cast<char>(0xc1 + i) + std::string("\x1c\0\0", 3));  // 10^i
    const Reply reply = client.ask(request(Method::kPutItem, bytes_of("Tab1") + bytes_of(keys.back()) + item + "\xf6"));
    EXPECT_TRUE(reply.numbers.empty()) << reply.message;
  }
  const auto read = [&](size_t items) {
    CborWriter out;
    out.map(1);
    out.text("Tab1");
    out.array(3);
    out.boolean(false);
    out.null();
    out.array(items);
    for (size_t i = 0; i < items; ++i) out.bytes(keys[i]);
    out.null();
    return request(Method::kBatchGetItem, out.view());
  };
  EXPECT_EQ(client.ask(read(9)).numbers.front(), 1);
  const std::string small = read(3);
  client.send(small);
  EXPECT_EQ(client.take_bytes(2), "\x80\x82");
}

constexpr size_t kManyNulls = 400'000;
constexpr int kManyLists = 39;  // 15.6 MB in all

std::string many_nulls() { return std::string("\x9a\x00\x06\x1a\x80", 5) + std::string(kManyNulls, '\xf6'); }

// Each of the lists is as large as an item.
TEST_F(DaxServer, DecodesNoMoreThanAnItemHas) {
  memory_ = size_t{1} << 30;
  CborWriter names;
  names.array(kManyLists);
  for (int i = kManyLists; i-- > 0;) names.text(std::string("n") + static_cast<char>('0' + i));
  Peer client = peer();
  std::string values = client.ask(opening() + request(Method::kDefineAttributeListId, names.view())).rest;
  for (int i = 0; i < kManyLists; ++i) values += many_nulls();
  const std::string put = request(Method::kPutItem, key_of(0) + bytes_of(values) + "\xf6");
  const size_t before = most_resident();
  EXPECT_EQ(client.ask(put).message, "Item size has exceeded the maximum allowed size");
  EXPECT_LT(most_resident(), before + (size_t{256} << 20));
}

TEST_F(DaxServer, DecodesWithinTheBudget) {
  memory_ = size_t{128} << 20;
  CborWriter out;
  const auto column = [&](auto write) {
    out.array(kManyLists);
    for (int i = 0; i < kManyLists; ++i) write(i);
  };
  column([&](int) { out.integer(9); });
  column([&](int) { out.bytes("Tab1"); });
  column([&](int i) {
    out.raw(
        bytes_of("\x61"
                 "a"
                 "\xc1\x4e" +
                 std::string(1, static_cast<char>(i)) + std::string(1, '\0')));
  });
  for (int i = 0; i < 4; ++i) out.null();
  // SET x = the list
  const std::string update = std::string("\x83\x01\x81\x83\x13\x82\x12\x61x\x82\x11\x00\x81", 13) + many_nulls();
  column([&](int) { out.bytes(update); });
  out.null();
  const std::string transaction = request(Method::kTransactWriteItems, out.view());
  Peer client = peer();
  EXPECT_TRUE(client.ask(opening() + kEndpoints).numbers.empty());
  const size_t before = most_resident();
  const Reply reply = client.ask(transaction);
  EXPECT_EQ(reply.message, "Service is unable to handle request.");
  EXPECT_LT(most_resident(), before + (size_t{192} << 20));
}

// Of deletions that fail if there is such an item, and return it then.
std::string transaction_of(int actions) {
  CborWriter out;
  const auto column = [&](auto write) {
    out.array(static_cast<uint64_t>(actions));
    for (int i = 0; i < actions; ++i) write(i);
  };
  column([&](int) { out.integer(7); });
  column([&](int) { out.bytes("Tab1"); });
  column([&](int i) { out.raw(key_of(i).substr(5)); });
  out.null();
  out.null();
  column([&](int) { out.integer(2); });
  column([&](int) { out.bytes(std::string("\x83\x01\x82\x0c\x82\x12\x62pk\x80", 10)); });  // attribute_not_exists(pk)
  out.null();
  out.null();
  return request(Method::kTransactWriteItems, out.view());
}

// 900 KB are more than one reply may have of a megabyte.
TEST_F(DaxServer, CountsWhatAnErrorHolds) {
  memory_ = size_t{1} << 20;
  Peer client = peer();
  const std::string list = client.ask(opening() + request(Method::kDefineAttributeListId, "\x81\x61x")).rest;
  const std::string item = bytes_of(list + "\x79\xea\x60" + std::string(60'000, 'x'));
  for (int i = 0; i < 15; ++i) {
    const Reply reply = client.ask(request(Method::kPutItem, key_of(i) + item + "\xf6"));
    EXPECT_TRUE(reply.numbers.empty()) << reply.message;
  }
  EXPECT_EQ(client.ask(transaction_of(2)).code, "TransactionCanceledException");
  EXPECT_EQ(client.ask(transaction_of(15)).numbers.front(), 1);
}

}  // namespace
}  // namespace partita::dax
