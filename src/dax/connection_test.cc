#include "dax/connection.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/hex.h"
#include "dax/connection_testing.h"

namespace partita::dax {
namespace {

TEST_F(DaxServer, ClosesSilentlyWhatIsNoDax) {
  for (const std::string& bytes : {preamble(0, "J7yne5H"), preamble(2), std::string("\x16\x03\x01\x02\x00"),
                                   preamble(0) + "\xff", preamble(0) + "\x01\x61x", preamble(0) + "\x5f"}) {
    Peer client = peer();
    client.send(bytes);
    EXPECT_TRUE(client.ended()) << bytes;
  }
  EXPECT_TRUE(handler_->answers().empty());
}

TEST_F(DaxServer, TellsItsOwnAddress) {
  Peer client = peer();
  const Reply reply = client.ask(opening() + kEndpoints);
  ASSERT_TRUE(reply.numbers.empty()) << reply.message;
  CborWriter expected;
  expected.array(1);
  expected.map(7);
  expected.integer(0), expected.integer(1);
  expected.integer(1), expected.text("127.0.0.1");
  expected.integer(2), expected.bytes(std::string_view("\x7f\0\0\1", 4));
  expected.integer(3), expected.integer(server_->addresses().front().port());
  expected.integer(4), expected.integer(1);
  expected.integer(5), expected.text("us-east-1a");
  expected.integer(6), expected.integer(1);
  EXPECT_EQ(reply.rest, expected.view());
}

TEST_F(DaxServer, TellsTheAddressesOfItsOptions) {
  options_.nodes = nodes_of({{"localhost", 0}, {"192.0.2.7", 8112}}).value();
  Peer client = peer();
  const Reply reply = client.ask(opening() + kEndpoints);
  CborReader in(reply.rest);
  std::vector<std::string> nodes;
  for (auto each = in.array(); in.next(each);) {
    std::string node;
    for (auto members = in.map(); in.next(members);) {
      const int64_t key = in.integer();
      if (key == 1) {
        node += in.text();
      } else if (key == 2) {
        node += "/" + std::to_string(in.bytes().size());
      } else if (key == 3) {
        node += ":" + std::to_string(in.integer());
      } else {
        in.skip();
      }
    }
    nodes.push_back(node);
  }
  const std::string own = std::to_string(server_->addresses().front().port());
  EXPECT_EQ(nodes, (std::vector<std::string>{"localhost/4:" + own, "192.0.2.7/4:8112"}));
}

TEST_F(DaxServer, AnswersTheNextRequestWithAFailedAuthorisation) {
  Peer client = peer();
  Reply reply = client.ask(preamble(0) + kEndpoints);
  EXPECT_EQ(reply.numbers, (std::vector<int64_t>{4, 23, 31, 32}));
  EXPECT_EQ(reply.code, "MissingAuthenticationTokenException");
  EXPECT_EQ(handler_->answers(), std::vector<std::string>{"DescribeEndpoints 400"});
  reply = client.ask(authorise(sign("wrong", kNow)) + kEndpoints);
  EXPECT_EQ(reply.numbers, (std::vector<int64_t>{4, 23, 31, 32}));
  EXPECT_EQ(reply.code, "InvalidSignatureException");
  reply = client.ask(request(Method::kDefineKeySchema, bytes_of("Tab1")));
  EXPECT_EQ(reply.code, "InvalidSignatureException");
  reply = client.ask(authorise(sign(kSecret, kNow)) + kEndpoints);
  EXPECT_TRUE(reply.numbers.empty());
  // The authorisation, and both requests after it.
  EXPECT_EQ(handler_->answers(),
            (std::vector<std::string>{"DescribeEndpoints 400", "DescribeEndpoints 400", "DescribeTable 400"}));
}

TEST_F(DaxServer, CountsAFailedAuthorisationWithoutARequest) {
  Peer client = peer();
  client.send(preamble(0) + authorise(sign("wrong", kNow)) + authorise(sign("wrong", kThen)));
  EXPECT_TRUE(client.ask(authorise(sign(kSecret, kNow)) + kEndpoints).numbers.empty());
  EXPECT_EQ(handler_->answers(), (std::vector<std::string>{"DescribeEndpoints 400", "DescribeEndpoints 400"}));
}

TEST_F(DaxServer, WantsANewAuthorisationAfterTenMinutes) {
  Peer client = peer();
  EXPECT_TRUE(client.ask(opening() + kEndpoints).numbers.empty());
  clock_.advance_ms(Authorisation::kLifetimeMs);
  EXPECT_EQ(client.ask(kEndpoints).numbers, (std::vector<int64_t>{4, 23, 31, 33}));
  EXPECT_EQ(client.ask(request(Method::kDefineKeySchema, bytes_of("Tab1"))).numbers,
            (std::vector<int64_t>{4, 23, 31, 33}));
  EXPECT_TRUE(client.ask(authorise(sign(kSecret, kThen)) + kEndpoints).numbers.empty());
}

TEST_F(DaxServer, FramesReplies) {
  Peer client = peer();
  client.send(opening(1) + request(Method::kDefineKeySchema, bytes_of("Tab1")));
  EXPECT_EQ(client.take_bytes(20), std::string_view("\0\0\0\x14\1\0\0\0\x80\xa2\x62pk\x61S\x62sk\x61N", 20));
}

TEST_F(DaxServer, TakesPiecesOfOneByte) {
  Peer client = peer();
  for (const char byte : opening() + request(Method::kDefineKeySchema, bytes_of("Tab1"))) client.send({&byte, 1});
  EXPECT_EQ(client.reply().rest, "\xa2\x62pk\x61S\x62sk\x61N");
}

TEST_F(DaxServer, AnswersPipelinedRequestsInOrder) {
  Peer client = peer();
  std::string all = opening();
  const std::string schema = request(Method::kDefineKeySchema, bytes_of("Tab1"));
  for (int i = 0; i < 100; ++i) all += i % 2 == 0 ? schema : kEndpoints;
  client.send(all);
  for (int i = 0; i < 100; ++i) {
    const Reply reply = client.reply();
    ASSERT_TRUE(reply.numbers.empty()) << i;
    EXPECT_EQ(reply.rest.front(), i % 2 == 0 ? '\xa2' : '\x81');
  }
}

TEST_F(DaxServer, RefusesOperationsOnTables) {
  Peer client = peer();
  Reply reply = client.ask(opening() + request(Method::kDescribeTable, bytes_of("Tab1")));
  EXPECT_EQ(reply.numbers, (std::vector<int64_t>{4, 37, 38, 44}));
  EXPECT_EQ(reply.message, "DescribeTable is not supported over DAX.");
  reply = client.ask(request(Method::kListTables, std::string_view("\xf6\x00", 2)));
  EXPECT_EQ(reply.message, "ListTables is not supported over DAX.");
}

TEST_F(DaxServer, EndsAfterAnUnknownMethod) {
  Peer client = peer();
  const Reply reply = client.ask(opening() + request(static_cast<Method>(785068263), "\x01"));
  EXPECT_EQ(reply.numbers, (std::vector<int64_t>{4, 37, 38, 44}));
  EXPECT_TRUE(client.ended());
}

TEST_F(DaxServer, DefinesSchemasAndLists) {
  Peer client = peer();
  EXPECT_TRUE(client.ask(opening() + kEndpoints).numbers.empty());
  EXPECT_EQ(client.ask(request(Method::kDefineKeySchema, bytes_of("Tab2"))).code, "ResourceNotFoundException");
  const std::string names = "\x82\x61x\x61n";
  Reply reply = client.ask(request(Method::kDefineAttributeListId, names));
  ASSERT_TRUE(reply.numbers.empty()) << reply.message;
  const std::string id = reply.rest;
  EXPECT_GT(CborReader(id).integer(), 1);
  // A set of names, as Java's client sends it.
  EXPECT_EQ(client.ask(request(Method::kDefineAttributeListId, "\xd9\x0c\xf9" + names)).rest, id);
  EXPECT_EQ(client.ask(request(Method::kDefineAttributeList, id)).rest, names);
  EXPECT_EQ(client.ask(request(Method::kDefineAttributeListId, "\x80")).rest, "\x01");
  EXPECT_EQ(client.ask(request(Method::kDefineAttributeList, "\x01")).rest, "\x80");
  EXPECT_EQ(client.ask(request(Method::kDefineAttributeList, "\x07")).code, "ValidationException");
  EXPECT_EQ(client.ask(request(Method::kDefineAttributeListId, "\x81\x01")).code, "ValidationException");
  EXPECT_TRUE(client.ask(kEndpoints).numbers.empty());
}

// ("a", 3) and {n: 1.5, x: "y"}, whose list is defined first.
TEST_F(DaxServer, PutsAndGetsAnItem) {
  Peer client = peer();
  const std::string id = client.ask(opening() + request(Method::kDefineAttributeListId, "\x82\x61n\x61x")).rest;
  const std::string key = bytes_of("Tab1") + bytes_of(std::string_view("\x61"
                                                                       "a\xc1\x4e\0\0",
                                                                       6));
  const std::string values = bytes_of(id + "\xc4\x82\x20\x0f\x61y");
  Reply reply = client.ask(request(Method::kPutItem, key + values + "\xbf\xff"));
  EXPECT_TRUE(reply.numbers.empty()) << reply.message;
  EXPECT_EQ(reply.rest, "\xf6");
  reply = client.ask(request(Method::kGetItem, key + "\xf6"));
  ASSERT_TRUE(reply.numbers.empty()) << reply.message;
  CborReader in(reply.rest);
  EXPECT_EQ(in.peek(), 0xbf);  // Java's client wants an indefinite length
  auto members = in.map();
  ASSERT_TRUE(in.next(members));
  EXPECT_EQ(in.integer(), 0);
  EXPECT_EQ(in.bytes(), id + "\xc4\x82\x20\x0f\x61y");
  EXPECT_FALSE(in.next(members));
  EXPECT_TRUE(in.finished());
  EXPECT_EQ(handler_->answers(), (std::vector<std::string>{"PutItem 200", "GetItem 200"}));
}

TEST_F(DaxServer, AnswersWrongRequestsAndGoesOn) {
  Peer client = peer();
  const std::string key = bytes_of("Tab2") + bytes_of("a");
  Reply reply = client.ask(opening() + request(Method::kGetItem, key + "\xf6"));
  EXPECT_EQ(reply.numbers, (std::vector<int64_t>{4, 37, 38, 39, 41}));
  EXPECT_EQ(reply.code, "ResourceNotFoundException");
  reply = client.ask(request(Method::kGetItem, bytes_of("Tab1") + bytes_of("") + "\xf6"));
  EXPECT_EQ(reply.code, "ValidationException");
  reply = client.ask(request(Method::kGetItem, std::string("\x01\x02\x03")));
  EXPECT_EQ(reply.code, "ValidationException");
  EXPECT_TRUE(client.ask(kEndpoints).numbers.empty());
}

class DaxThrottled : public DaxServer {
 protected:
  // From now on capacity is enforced, and the table Slow may write one unit a second; it has none left.
  void use_up_capacity() {
    service_ = std::make_unique<ops::Service>(*database_, ops::Enforcement::kRefuse, 0, nullptr,
                                              throttle::CapacityModes{throttle::CapacityMode::kEnforce, {}});
    handler_ = std::make_unique<Handler>(*service_);
    create(R"({"TableName":"Slow","ProvisionedThroughput":{"ReadCapacityUnits":9,"WriteCapacityUnits":1},
      "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],
      "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}]})");
    Peer client = peer();
    client.send(opening());
    const std::string put = request(Method::kPutItem, bytes_of("Slow") + bytes_of("a") + bytes_of("\x01") + "\xf6");
    Reply reply;
    for (int i = 0; reply.numbers.empty() && i < 1000; ++i) reply = client.ask(put);
    EXPECT_EQ(reply.code, "ProvisionedThroughputExceededException");
  }
  // Three items of the table Slow.
  static std::string batch() {
    CborWriter out;
    out.map(1);
    out.text("Slow");
    out.array(6);
    for (const std::string_view key : {"b", "c", "d"}) out.bytes(key), out.bytes("\x01");
    out.null();
    return request(Method::kBatchWriteItem, out.view());
  }
};

TEST_F(DaxThrottled, RetriesWhatABatchHasNoCapacityFor) {
  use_up_capacity();
  clock_.advance_ms(1000);
  std::jthread time([this](const std::stop_token& stop) {
    for (; !stop.stop_requested(); std::this_thread::sleep_for(std::chrono::milliseconds(10))) clock_.advance_ms(500);
  });
  Peer client = peer();
  client.send(opening() + batch());
  EXPECT_EQ(client.take_bytes(4), std::string_view("\x80\xa0\x80\xa0"));
  const Reply reply = client.ask(request(Method::kGetItem, bytes_of("Slow") + bytes_of("d") + "\xf6"));
  EXPECT_TRUE(reply.numbers.empty()) << reply.message;
  EXPECT_NE(reply.rest, "\xf6");
}

// Takes three seconds.
TEST_F(DaxThrottled, ThrottlesABatchThatGetsNoCapacity) {
  use_up_capacity();
  clock_.advance_ms(1000);
  Peer client = peer();
  const Reply reply = client.ask(opening() + batch());
  EXPECT_EQ(reply.numbers, (std::vector<int64_t>{4, 37, 38, 39, 40}));
  EXPECT_EQ(reply.code, "ProvisionedThroughputExceededException");
  EXPECT_NE(handler_->body().find("ThrottlingReasons"), std::string::npos) << handler_->body();
}

TEST_F(DaxServer, ReadsNoLargeRequestOfAStranger) {
  Peer client = peer();
  // A put whose item has a byte string of 1 MiB, which never comes.
  const std::string head = request(Method::kPutItem, bytes_of("Tab1") + bytes_of("a"));
  const Reply reply = client.ask(preamble(0) + head + std::string("\x5a\x00\x10\x00\x00", 5));
  EXPECT_EQ(reply.code, "MissingAuthenticationTokenException");
  EXPECT_TRUE(client.ended());
}

TEST_F(DaxServer, TellsClientsOfHttpWhereTheyAre) {
  for (const std::string_view method : {"GET", "POST"}) {
    Peer client = peer();
    client.send(std::string(method) + " / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const std::string reply = client.take_bytes(100'000);
    const size_t body = reply.find("\r\n\r\n") + 4;
    EXPECT_TRUE(reply.starts_with("HTTP/1.1 400 ")) << reply;
    EXPECT_TRUE(reply.contains("Content-Length: " + std::to_string(reply.size() - body) + "\r\n")) << reply;
    EXPECT_EQ(reply.substr(body),
              "This port speaks the protocol of DAX: use the address of --listen for DynamoDB's.\n");
  }
}

TEST_F(DaxServer, RefusesTooLargeRequests) {
  options_.max_request_bytes = 1'000'000;
  Peer client = peer();
  const std::string head = request(Method::kPutItem, bytes_of("Tab1") + bytes_of("a"));
  const Reply reply = client.ask(opening() + head + std::string("\x5a\x7f\x00\x00\x00", 5));
  EXPECT_EQ(reply.code, "ValidationException");
  EXPECT_EQ(reply.message, "The DAX request is malformed: it has more than 1000000 bytes.");
  EXPECT_TRUE(client.ended());
}

}  // namespace
}  // namespace partita::dax
