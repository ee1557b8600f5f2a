// Against the brokers that librdkafka itself imitates.
#include "sinks/kafka_destination.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <librdkafka/rdkafka_mock.h>

#include <chrono>
#include <stop_token>
#include <thread>

#include "sinks/changes_testing.h"

namespace partita::sinks {
namespace {

void* of_librdkafka(const char* name) {
  static void* const library = dlopen("librdkafka.so.1", RTLD_NOW | RTLD_LOCAL);
  return dlsym(library, name);
}
#define PARTITA_MOCK(function) reinterpret_cast<decltype(&::function)>(of_librdkafka(#function))

class KafkaDestinationTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(load_librdkafka().ok());
    owner_ = librdkafka().rd_kafka_new(RD_KAFKA_PRODUCER, librdkafka().rd_kafka_conf_new(), nullptr, 0);
    cluster_ = PARTITA_MOCK(rd_kafka_mock_cluster_new)(owner_, 1);
    PARTITA_MOCK(rd_kafka_mock_topic_create)(cluster_, "t", 3, 1);
  }
  void TearDown() override {
    PARTITA_MOCK(rd_kafka_mock_cluster_destroy)(cluster_);
    librdkafka().rd_kafka_destroy_flags(owner_, 0);
  }

  ChangeSettings settings(std::map<std::string, std::string, std::less<>> options = {}) const {
    return changes_settings("kafka://" + std::string(PARTITA_MOCK(rd_kafka_mock_cluster_bootstraps)(cluster_)) + "/t",
                            std::move(options));
  }
  std::unique_ptr<KafkaDestination> make(const ChangeSettings& settings) const {
    return std::make_unique<KafkaDestination>(settings, KafkaOptions::parse(settings).value(), std::stop_token());
  }
  // The next requests of producers fail so.
  void fail_next(rd_kafka_resp_err_t error, size_t count) const {
    constexpr int16_t kProduce = 0;  // the number of the request in Kafka's protocol
    for (size_t i = 0; i < count; ++i) PARTITA_MOCK(rd_kafka_mock_push_request_errors)(cluster_, kProduce, 1, error);
  }

  rd_kafka_t* owner_ = nullptr;
  rd_kafka_mock_cluster_t* cluster_ = nullptr;
  std::string state_;
};

TEST_F(KafkaDestinationTest, IsDoneWhenAllIsAcknowledged) {
  const auto destination = make(settings({{"tombstones", "true"}}));
  ASSERT_TRUE(destination->prepare().ok());
  SomeChanges changes;
  for (int i = 0; i < 300; ++i) changes.put("k" + std::to_string(i % 7), std::to_string(i));
  changes.remove("k1", "295");
  const auto sent = destination->send(0, changes.all(), state_);
  ASSERT_TRUE(sent.ok()) << sent.error().sentence();
  EXPECT_EQ(sent->done, changes.size()) << sent->trouble;
  EXPECT_TRUE(sent->rejections.empty());
  EXPECT_TRUE(destination->finish().ok());
}

TEST_F(KafkaDestinationTest, RejectsOnlyTheRecordThatIsTooLarge) {
  const auto destination = make(settings());
  SomeChanges changes;
  changes.put("a", "1");
  const auto first = destination->send(1, changes.all(), state_);
  ASSERT_TRUE(first.ok() && first->done == 1);
  fail_next(RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, 2);  // the first time it may be the request
  changes.put("b", "2");
  const auto second = destination->send(1, changes.from(1), state_);
  ASSERT_TRUE(second.ok()) << second.error().sentence();
  EXPECT_EQ(second->done, 1U);
  ASSERT_EQ(second->rejections.size(), 1U);
  EXPECT_TRUE(second->rejections[0].reason.contains("large")) << second->rejections[0].reason;
  changes.put("c", "3");
  const auto third = destination->send(1, changes.from(2), state_);
  ASSERT_TRUE(third.ok());
  EXPECT_EQ(third->done, 1U) << third->trouble;
  EXPECT_TRUE(third->rejections.empty());
}

TEST_F(KafkaDestinationTest, BlamesNoRecordForALargeRequest) {
  const auto destination = make(settings());
  fail_next(RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE, 1);
  SomeChanges changes;
  for (int i = 0; i < 50; ++i) changes.put("k" + std::to_string(i % 3), std::to_string(i));
  const auto sent = destination->send(0, changes.all(), state_);
  ASSERT_TRUE(sent.ok()) << sent.error().sentence();
  EXPECT_EQ(sent->done, changes.size()) << sent->trouble;
  EXPECT_TRUE(sent->rejections.empty());
}

TEST_F(KafkaDestinationTest, SurvivesErrorsThatPass) {
  const auto destination = make(settings());
  fail_next(RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION, 2);
  SomeChanges changes;
  for (int i = 0; i < 20; ++i) changes.put("k", std::to_string(i));
  size_t done = 0;
  for (int i = 0; i < 10 && done < changes.size(); ++i) {
    const auto sent = destination->send(2, changes.from(done), state_);
    ASSERT_TRUE(sent.ok()) << sent.error().sentence();
    EXPECT_TRUE(sent->rejections.empty());
    done += sent->done;
  }
  EXPECT_EQ(done, changes.size());
}

TEST_F(KafkaDestinationTest, NamesATopicThatIsMissing) {
  PARTITA_MOCK(rd_kafka_mock_topic_set_error)(cluster_, "t", RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART);
  const auto prepared = make(settings())->prepare();
  ASSERT_FALSE(prepared.ok());
  EXPECT_EQ(prepared.error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(prepared.error().sentence(), "Kafka has no topic t.");
}

// No broker is there.
TEST(KafkaHalt, EndsSoon) {
  using std::chrono::milliseconds;
  const ChangeSettings nobody = changes_settings("kafka://127.0.0.1:1/t");
  for (const bool prepares : {true, false}) {
    std::stop_source stop;
    KafkaDestination destination(nobody, KafkaOptions::parse(nobody).value(), stop.get_token());
    SomeChanges changes;
    changes.put("a", "1");
    std::chrono::steady_clock::time_point told;
    std::jthread teller([&] {
      std::this_thread::sleep_for(milliseconds(300));
      told = std::chrono::steady_clock::now();
      stop.request_stop();
    });
    std::string state;
    if (prepares) {
      EXPECT_FALSE(destination.prepare().ok());
    } else {
      const auto sent = destination.send(0, changes.all(), state);
      ASSERT_TRUE(sent.ok());
      EXPECT_EQ(sent->done, 0U);
      EXPECT_TRUE(sent->rejections.empty());
    }
    teller.join();
    EXPECT_TRUE(destination.finish().ok());
    EXPECT_LT(std::chrono::steady_clock::now() - told, milliseconds(2'000));
  }
}

}  // namespace
}  // namespace partita::sinks
