#include "sinks/kinesis_destination.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/bytes.h"
#include "base/mutex.h"
#include "net/responder_testing.h"
#include "sinks/changes_testing.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace partita::sinks {
namespace {

using net::json_reply;

constexpr size_t kSlice = 2;

std::string fault_reply(int status, const std::string& type, const std::string& message = "why") {
  return json_reply(status, R"({"__type":"com.amazonaws#)" + type + R"(","message":")" + message + "\"}");
}

// A stream that takes records as it is told.
class FakeKinesis {
 public:
  // What a record is: the value of v in its new image, or "-" if the item is removed.
  using Refuses = std::function<bool(const std::string& value)>;

  std::string url() const { return "kinesis+http://127.0.0.1:" + responder_.url().port + "/orders"; }
  std::string answer(std::string_view request) {
    const MutexLock lock(mutex_);
    const std::string_view body = request.substr(request.find("\r\n\r\n") + 4);
    head_ = request.substr(0, request.size() - body.size());
    const auto document = wire::JsonDocument::parse(body);
    if (!document.ok()) return fault_reply(400, "SerializationException");
    if (head_.contains("DescribeStream")) return described();
    ++requests_;
    if (!refusal_.empty()) return refusal_;
    const wire::JsonValue records = document->root().get("Records");
    if (records.size() > most_records_) return fault_reply(400, "ValidationException", "too many");
    for (const wire::JsonValue record : records.elements()) {
      if (fatal_.contains(value_of(record))) return fault_reply(400, "ValidationException", "it is too large");
    }
    return take(records);
  }

  void refuse_all(std::string reply) {
    set([&] { refusal_ = std::move(reply); });
  }
  void fail(std::set<std::string> values) {
    set([&] { failing_ = std::move(values); });
  }
  void never_take(std::set<std::string> values) {
    set([&] { fatal_ = std::move(values); });
  }
  void say_status(std::string status) {
    set([&] { status_ = std::move(status); });
  }
  void take_at_most(size_t records) {
    set([&] { most_records_ = records; });
  }
  std::vector<std::string> taken() {
    const MutexLock lock(mutex_);
    return taken_;
  }
  std::set<std::string> partition_keys() {
    const MutexLock lock(mutex_);
    return keys_;
  }
  size_t requests() {
    const MutexLock lock(mutex_);
    return requests_;
  }
  std::string head() {
    const MutexLock lock(mutex_);
    return head_;
  }

 private:
  void set(const std::function<void()>& change) {
    const MutexLock lock(mutex_);
    change();
  }
  std::string described() const PARTITA_REQUIRES(mutex_) {
    if (status_ == "none") return fault_reply(400, "ResourceNotFoundException", "Stream orders not found.");
    if (status_ == "elsewhere") return json_reply(307, "");
    return json_reply(200, R"({"StreamDescription":{"StreamStatus":")" + status_ + "\"}}");
  }
  static std::string value_of(const wire::JsonValue& record) {
    const auto data = decode_base64(wire::text_of(record.get("Data")));
    const auto change = wire::JsonDocument::parse(data.value_or(""));
    EXPECT_TRUE(change.ok());
    if (!change.ok()) return {};
    EXPECT_EQ(wire::text_of(change->root().get("tableName")), "Orders");
    const auto image = change->root().get("dynamodb").get("NewImage");
    return image.present() ? wire::text_of(image.get("v").get("S")) : "-";
  }
  std::string take(const wire::JsonValue& records) PARTITA_REQUIRES(mutex_) {
    wire::JsonWriter json;
    json.begin_object();
    json.begin_array("Records");
    for (const wire::JsonValue record : records.elements()) {
      keys_.insert(wire::text_of(record.get("PartitionKey")));
      const std::string value = value_of(record);
      const bool fails = failing_.contains(value);
      json.begin_object();
      if (fails) json.member("ErrorCode", "ProvisionedThroughputExceededException");
      if (!fails) json.member("SequenceNumber", "49");
      json.end_object();
      if (!fails) taken_.push_back(value);
    }
    json.end_array();
    json.end_object();
    return json_reply(200, std::move(json).take());
  }

  Mutex mutex_;
  std::string status_ PARTITA_GUARDED_BY(mutex_) = "ACTIVE";
  std::string refusal_ PARTITA_GUARDED_BY(mutex_);
  std::set<std::string> failing_ PARTITA_GUARDED_BY(mutex_);
  std::set<std::string> fatal_ PARTITA_GUARDED_BY(mutex_);
  std::vector<std::string> taken_ PARTITA_GUARDED_BY(mutex_);
  std::set<std::string> keys_ PARTITA_GUARDED_BY(mutex_);
  std::string head_ PARTITA_GUARDED_BY(mutex_);
  size_t requests_ PARTITA_GUARDED_BY(mutex_) = 0;
  size_t most_records_ PARTITA_GUARDED_BY(mutex_) = KinesisDestination::kMostRecords;
  net::Responder responder_{[this](std::string_view request) { return answer(request); }};
};

class KinesisDestinationTest : public testing::Test {
 protected:
  KinesisDestinationTest() { restart(); }
  void restart(std::map<std::string, std::string, std::less<>> options = {}) {
    auto made = KinesisDestination::make(changes_settings(kinesis_.url(), std::move(options)), {});
    ASSERT_TRUE(made.ok()) << made.error().sentence();
    destination_ = *std::move(made);
  }
  ChangesSent sent(std::span<const Change> changes) {
    std::string state;
    auto sent = destination_->send(kSlice, changes, state);
    EXPECT_TRUE(sent.ok()) << sent.error().sentence();
    return sent.ok() ? *std::move(sent) : ChangesSent();
  }

  FakeKinesis kinesis_;
  std::unique_ptr<ChangeDestination> destination_;
  SomeChanges changes_;
};

TEST_F(KinesisDestinationTest, SendsChangesInOrder) {
  ASSERT_TRUE(destination_->prepare().ok());
  changes_.put("a", "1");
  changes_.put("b", "2");
  changes_.put("a", "3");
  changes_.remove("b", "2");
  const ChangesSent done = sent(changes_.all());
  EXPECT_EQ(done.done, 4U);
  EXPECT_EQ(done.trouble, "");
  EXPECT_EQ(kinesis_.taken(), (std::vector<std::string>{"1", "2", "3", "-"}));
  EXPECT_EQ(kinesis_.partition_keys().size(), 2U);  // one for each item
  EXPECT_EQ(kinesis_.requests(), 1U);
  EXPECT_TRUE(kinesis_.head().contains("x-amz-json-1.1"));
  EXPECT_TRUE(kinesis_.head().contains("X-Amz-Target: Kinesis_20131202.PutRecords\r\n"));
  EXPECT_TRUE(kinesis_.head().contains("Credential=local/"));
  EXPECT_TRUE(kinesis_.head().contains("/eu-central-1/kinesis/aws4_request"));
  EXPECT_EQ(destination_->target(), "stream orders");
}

// A record that fails is sent again with the later ones of its item; other items go on, and are not sent twice.
TEST_F(KinesisDestinationTest, SendsWhatFailedAgainInTheOrderOfItsItem) {
  changes_.put("a", "a1");
  changes_.put("b", "b1");
  changes_.put("b", "b2");
  changes_.put("a", "a2");
  changes_.put("c", "c1");
  kinesis_.fail({"b1"});
  ChangesSent done = sent(changes_.all());
  EXPECT_EQ(done.done, 1U);
  EXPECT_TRUE(done.trouble.contains("ProvisionedThroughputExceededException")) << done.trouble;
  EXPECT_GT(done.wait_ms, 0);
  EXPECT_EQ(kinesis_.taken(), (std::vector<std::string>{"a1", "b2", "a2", "c1"}));
  // Nothing was taken: the pause grows.
  done = sent(changes_.from(1).first(1));
  EXPECT_EQ(done.done, 0U);
  EXPECT_EQ(done.wait_ms, 0);
  kinesis_.fail({});
  done = sent(changes_.from(1));
  EXPECT_EQ(done.done, 4U);
  EXPECT_EQ(kinesis_.taken(), (std::vector<std::string>{"a1", "b2", "a2", "c1", "b1", "b2"}));
}

TEST_F(KinesisDestinationTest, CutsRequestsAtTheLimits) {
  for (int i = 0; i < 1'000; ++i) changes_.put("k" + std::to_string(i % 7), std::to_string(i));
  EXPECT_EQ(sent(changes_.all()).done, 1'000U);
  EXPECT_EQ(kinesis_.requests(), 2U);
  for (size_t i = 0; i < 1'000; ++i) ASSERT_EQ(kinesis_.taken()[i], std::to_string(i));

  restart();
  SomeChanges large;
  const std::string value(400'000, 'v');
  for (int i = 0; i < 14; ++i) large.put("k", value);
  EXPECT_EQ(sent(large.all()).done, 14U);
  EXPECT_EQ(kinesis_.requests(), 4U);
}

// One that the stream never takes is found by halves, and becomes a dead letter.
TEST_F(KinesisDestinationTest, RejectsWhatIsNeverTaken) {
  for (int i = 0; i < 9; ++i) changes_.put(i < 5 ? "a" : "b", std::to_string(i));
  changes_.damage();
  kinesis_.never_take({"3", "7"});
  const ChangesSent done = sent(changes_.all());
  EXPECT_EQ(done.done, 10U);
  ASSERT_EQ(done.rejections.size(), 3U);
  EXPECT_EQ(done.rejections[0].index, 3U);
  EXPECT_TRUE(done.rejections[0].reason.contains("it is too large")) << done.rejections[0].reason;
  EXPECT_EQ(done.rejections[1].index, 7U);
  EXPECT_EQ(done.rejections[2].index, 9U);
  EXPECT_EQ(kinesis_.taken(), (std::vector<std::string>{"0", "1", "2", "4", "5", "6", "8"}));
}

TEST_F(KinesisDestinationTest, RejectsNothingWhileTheStreamIsGone) {
  changes_.put("a", "1");
  kinesis_.never_take({"1"});
  kinesis_.say_status("none");
  const ChangesSent done = sent(changes_.all());
  EXPECT_EQ(done.done, 0U);
  EXPECT_TRUE(done.rejections.empty());
  EXPECT_TRUE(done.trouble.contains("Stream orders not found.")) << done.trouble;
}

// A whole request may be refused for what no record is to blame for.
TEST_F(KinesisDestinationTest, BlamesNoRecordIfNoneIsTaken) {
  for (int i = 0; i < 5; ++i) changes_.put("k" + std::to_string(i), std::to_string(i));
  for (const int status : {400, 413}) {
    kinesis_.refuse_all(fault_reply(status, "ValidationException", "it is not my day"));
    const ChangesSent done = sent(changes_.all());
    EXPECT_EQ(done.done, 0U);
    EXPECT_TRUE(done.rejections.empty());
    EXPECT_TRUE(done.trouble.contains("it is not my day")) << done.trouble;
    EXPECT_EQ(done.wait_ms, 0);
  }
  kinesis_.refuse_all("");
  // The last one waits for another that is taken.
  kinesis_.never_take({"0", "4"});
  ChangesSent done = sent(changes_.all());
  EXPECT_EQ(done.done, 4U);
  ASSERT_EQ(done.rejections.size(), 1U);
  EXPECT_EQ(done.rejections[0].index, 0U);
  EXPECT_TRUE(done.trouble.contains("it is too large")) << done.trouble;
  changes_.put("a", "5");
  done = sent(changes_.from(4));
  EXPECT_EQ(done.done, 2U);
  ASSERT_EQ(done.rejections.size(), 1U);
  EXPECT_EQ(done.rejections[0].index, 0U);
  EXPECT_EQ(kinesis_.taken(), (std::vector<std::string>{"1", "2", "3", "5"}));
}

TEST_F(KinesisDestinationTest, RejectsALargeRecordAlone) {
  const std::string value(KinesisDestination::kLargeRecord, 'v');
  changes_.put("a", value);
  kinesis_.never_take({value});
  const ChangesSent done = sent(changes_.all());
  EXPECT_EQ(done.done, 1U);
  EXPECT_EQ(done.rejections.size(), 1U);
}

// Slices have logs of their own, with positions of their own; letters are apart from both.
TEST_F(KinesisDestinationTest, TakesPositionsForThoseOfTheSlice) {
  changes_.put("a", "1");
  changes_.put("b", "2");
  kinesis_.fail({"1"});
  EXPECT_EQ(sent(changes_.all()).done, 0U);  // the second is ahead
  kinesis_.fail({});
  std::string state;
  EXPECT_EQ(destination_->send(kSlice + 1, changes_.all(), state)->done, 2U);
  EXPECT_EQ(destination_->resend(kSlice, changes_.all())->done, 2U);
  EXPECT_EQ(sent(changes_.all()).done, 2U);
  EXPECT_EQ(kinesis_.taken(), (std::vector<std::string>{"2", "1", "2", "1", "2", "1"}));
}

// A dead letter that is refused again stays one.
TEST_F(KinesisDestinationTest, RejectsALetterAgain) {
  changes_.put("a", "1");
  kinesis_.never_take({"1"});
  const auto done = destination_->resend(kSlice, changes_.all());
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->done, 1U);
  EXPECT_EQ(done->rejections.size(), 1U);
}

// An endpoint that sends what Kinesis never does costs no more memory than its replies may have.
TEST_F(KinesisDestinationTest, BoundsReplies) {
  changes_.put("a", "1");
  kinesis_.refuse_all(json_reply(200, std::string(KinesisClient::kMostReply + 1, ' ')));
  ChangesSent done = sent(changes_.all());
  EXPECT_EQ(done.done, 0U);
  EXPECT_TRUE(done.trouble.contains("too large")) << done.trouble;
  for (const std::string& body : {std::string(100'000, '['), std::string(R"({"Records":[{"SequenceNumber":"1"},{}]})"),
                                  std::string(R"({"Records":{"SequenceNumber":"1"}})"),
                                  std::string(R"({"Records":[{"SequenceNumber":1}]})"), std::string()}) {
    kinesis_.refuse_all(json_reply(200, body));
    done = sent(changes_.all());
    EXPECT_EQ(done.done, 0U) << body.substr(0, 60);
    EXPECT_TRUE(done.rejections.empty());
    EXPECT_FALSE(done.trouble.empty());
  }
  kinesis_.refuse_all("");
  EXPECT_EQ(sent(changes_.all()).done, 1U);
}

// Large records have requests of their own, so that others do not suffer for them.
TEST_F(KinesisDestinationTest, SendsLargeRecordsAlone) {
  changes_.put("a", "1");
  changes_.put("a", std::string(KinesisDestination::kLargeRecord, 'v'));
  changes_.put("a", "3");
  EXPECT_EQ(sent(changes_.all()).done, 3U);
  EXPECT_EQ(kinesis_.requests(), 3U);
}

TEST_F(KinesisDestinationTest, WaitsWhereItIsRefused) {
  changes_.put("a", "1");
  for (const auto& [reply, why] : std::map<std::string, std::string>{
           {fault_reply(400, "ProvisionedThroughputExceededException", "Rate exceeded"), "Rate exceeded"},
           {fault_reply(400, "ResourceNotFoundException", "no stream"), "ResourceNotFound: no stream"},
           {fault_reply(403, "AccessDeniedException"), "403"},
           {json_reply(500, "oops"), "oops"},
           {json_reply(200, std::string((size_t{1} << 20) + 1, ' ')), "more than 1048576 bytes"},
           {json_reply(200, "{}"), "none to PutRecords"},
           {json_reply(200, R"({"Records":[{}]})"), "does not say why"},
           {json_reply(200, "nonsense"), "none to PutRecords"}}) {
    kinesis_.refuse_all(reply);
    const ChangesSent done = sent(changes_.all());
    EXPECT_EQ(done.done, 0U) << reply;
    EXPECT_EQ(done.wait_ms, 0) << reply;
    EXPECT_TRUE(done.rejections.empty()) << reply;
    EXPECT_TRUE(done.trouble.contains(why)) << done.trouble;
  }
  kinesis_.refuse_all("");
  EXPECT_EQ(sent(changes_.all()).done, 1U);
}

TEST_F(KinesisDestinationTest, IsReadyOnceTheStreamIs) {
  EXPECT_TRUE(destination_->prepare().ok());
  kinesis_.say_status("UPDATING");
  EXPECT_TRUE(destination_->prepare().ok());
  for (const auto& [status, kind] : std::map<std::string, ErrorKind>{{"CREATING", ErrorKind::kUnavailable},
                                                                     {"DELETING", ErrorKind::kInvalid},
                                                                     {"?", ErrorKind::kUnavailable},
                                                                     {"elsewhere", ErrorKind::kUnavailable},
                                                                     {"none", ErrorKind::kInvalid}}) {
    kinesis_.say_status(status);
    const auto refused = destination_->prepare();
    ASSERT_FALSE(refused.ok()) << status;
    EXPECT_EQ(refused.error().kind(), kind) << status;
  }
}

TEST_F(KinesisDestinationTest, ReadsItsKeyForEachRequest) {
  const std::string path = std::filesystem::temp_directory_path() / ("partita-kinesis-" + std::to_string(::getpid()));
  ChangeSettings settings = changes_settings(kinesis_.url(), {{"region", "eu-west-3"}, {"precision", "MICROSECOND"}});
  settings.credentials_file = path;
  destination_ = KinesisDestination::make(settings, {}).value();
  EXPECT_EQ(destination_->prepare().error().kind(), ErrorKind::kUnavailable);
  std::ofstream(path) << "[default]\naws_access_key_id = AKID\naws_secret_access_key = secret\n";
  ::chmod(path.c_str(), 0600);
  EXPECT_TRUE(destination_->prepare().ok());
  EXPECT_TRUE(kinesis_.head().contains("Credential=AKID/")) << kinesis_.head();
  EXPECT_TRUE(kinesis_.head().contains("/eu-west-3/kinesis/aws4_request"));
  std::filesystem::remove(path);
}

TEST(KinesisSettings, AreCheckedBeforeAnythingIsSent) {
  const auto refused = [](const std::string& url, std::map<std::string, std::string, std::less<>> options = {}) {
    const auto made = KinesisDestination::make(changes_settings(url, std::move(options)), {});
    EXPECT_FALSE(made.ok()) << url;
    return made.ok() ? std::string() : std::string(made.error().sentence());
  };
  for (const char* url :
       {"kinesis://", "kinesis:///", "kinesis://host/s", "kinesis+http://host/", "kinesis+http://host",
        "kinesis+ftp://h/s", "kinesis+http://u:p@h/s", "kinesis:///a/b", "kinesis+http://h/s?x"}) {
    EXPECT_TRUE(refused(url).contains("kinesis+https://HOST[:PORT]/STREAM")) << url;
  }
  EXPECT_TRUE(refused("kinesis:///s", {{"region", "a b"}}).contains("option region"));
  EXPECT_TRUE(refused("kinesis:///s", {{"precision", "SECOND"}}).contains("option precision"));
  EXPECT_TRUE(refused("kinesis:///s", {{"shards", "1"}}).contains("no option shards"));
  EXPECT_TRUE(KinesisDestination::make(changes_settings("kinesis+https://h/s"), {}).ok());
}

TEST(KinesisSettings, HaveTheEndpointOfTheServer) {
  FakeKinesis kinesis;
  const std::string endpoint = kinesis.url().substr(8, kinesis.url().rfind('/') - 8);
  const auto prepare = [](const FindChangeDestination& find) {
    const auto kind = find("kinesis:///orders");
    EXPECT_TRUE(kind);
    return kind->make(changes_settings("kinesis:///orders"), {}).value()->prepare();
  };
  const auto missing = prepare(find_with_kinesis({}));
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().kind(), ErrorKind::kUnavailable);  // another start of the server may have one
  EXPECT_TRUE(missing.error().sentence().contains("--kinesis-endpoint"));
  EXPECT_TRUE(prepare(find_with_kinesis({.endpoint = endpoint})).ok());
  EXPECT_TRUE(prepare(find_with_kinesis({.endpoint = endpoint + "/"})).ok());
  EXPECT_FALSE(find_with_kinesis({.endpoint = endpoint})("opensearch+http://x"));
}

TEST(KinesisArn, HasARegionAndAName) {
  const auto stream = kinesis_stream_in("arn:aws:kinesis:eu-west-3:123456789012:stream/some.stream-1");
  ASSERT_TRUE(stream);
  EXPECT_EQ(stream->region, "eu-west-3");
  EXPECT_EQ(stream->name, "some.stream-1");
  for (const char* wrong : {"", "arn", "arn:aws:kinesis:r:1:stream/", "arn:aws:sqs:eu-west-3:1:stream/a",
                            "arn:aws:kinesis:eu-west-3::stream/a", "arn:aws:kinesis:eu-west-3:1:stream/a/b",
                            "arn:aws:kinesis:eu-west-3:1:consumer/a", "arn:aws:kinesis:e w:1:stream/a"}) {
    EXPECT_FALSE(kinesis_stream_in(wrong)) << wrong;
  }
}

// It is told to end after its first request: what was not confirmed by then is not done.
TEST(KinesisHalt, EndsInTheMiddleOfItsRequests) {
  std::atomic<int> asked{0};
  std::stop_source stop;
  net::Responder stream([&](std::string_view request) {
    if (!request.contains("PutRecords")) return json_reply(200, R"({"StreamDescription":{"StreamStatus":"ACTIVE"}})");
    ++asked;
    stop.request_stop();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    std::string records;
    for (int i = 0; i < 500; ++i) records += std::string(i == 0 ? "" : ",") + R"({"SequenceNumber":"1","ShardId":"s"})";
    return json_reply(200, R"({"FailedRecordCount":0,"Records":[)" + records + "]}");
  });
  const auto settings = changes_settings("kinesis+http://127.0.0.1:" + stream.url().port + "/orders");
  const auto destination = KinesisDestination::make(settings, stop.get_token()).value();
  SomeChanges changes;
  for (int i = 0; i < 1'500; ++i) changes.put("k" + std::to_string(i), "1");
  std::string state;
  const auto sent = destination->send(0, changes.all(), state);
  ASSERT_TRUE(sent.ok());
  EXPECT_EQ(sent->done, 500U);
  EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace partita::sinks
