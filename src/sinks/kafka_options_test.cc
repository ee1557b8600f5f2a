#include "sinks/kafka_options.h"

#include <gtest/gtest.h>

#include "sinks/changes_testing.h"

namespace partita::sinks {
namespace {

Result<KafkaOptions> parsed(std::string url, std::map<std::string, std::string, std::less<>> options = {}) {
  return KafkaOptions::parse(changes_settings(std::move(url), std::move(options)));
}

TEST(KafkaOptions, TakeBrokersAndATopic) {
  const auto one = parsed("kafka://kafka.example.com/music");
  ASSERT_TRUE(one.ok()) << one.error().sentence();
  EXPECT_EQ(one->brokers, "kafka.example.com");
  EXPECT_EQ(one->topic, "music");
  EXPECT_FALSE(one->tombstones);
  const auto more = parsed("kafka://a:9092,[::1]:19092,10.0.0.1/Music_2.all-x", {{"tombstones", "true"}});
  ASSERT_TRUE(more.ok()) << more.error().sentence();
  EXPECT_EQ(more->brokers, "a:9092,[::1]:19092,10.0.0.1");
  EXPECT_TRUE(more->tombstones);
}

TEST(KafkaOptions, RefuseOtherUrls) {
  for (const char* wrong : {"kafka://", "kafka:///music", "kafka://a", "kafka://a/", "kafka://a,/music",
                            "kafka://,a/music", "kafka://user:pass@a/music", "kafka://a:x/music", "kafka://a/music?x=1",
                            "kafka://a/..", "kafka://a/b/c", "kafka://a b/music", "kafka://a\nsasl.username=b/music"}) {
    const auto refused = parsed(wrong);
    ASSERT_FALSE(refused.ok()) << wrong;
    EXPECT_FALSE(refused.error().sentence().contains("pass")) << refused.error().sentence();
  }
  EXPECT_FALSE(parsed("kafka://a/" + std::string(250, 't')).ok());
}

TEST(KafkaOptions, RefuseOtherOptionsByTheirNames) {
  EXPECT_FALSE(parsed("kafka://a/t", {{"tombstones", "yes"}}).ok());
  EXPECT_FALSE(parsed("kafka://a/t", {{"compression", "brotli"}}).ok());
  for (const std::string name : {"plugin.library.paths", "acks", "format"}) {
    const auto refused = parsed("kafka://a/t", {{name, "1"}});
    ASSERT_FALSE(refused.ok()) << name;
    EXPECT_TRUE(refused.error().sentence().contains(name)) << refused.error().sentence();
  }
}

TEST(KafkaCredentials, AreSettingsOfAList) {
  EXPECT_FALSE(kafka_credentials("sasl.username=a\nsasl.password=b").ok());
  EXPECT_FALSE(kafka_credentials("sasl.username=a\nsecurity.protocol=SSL").ok());
  const auto found = kafka_credentials("# a user\nsecurity.protocol = SASL_SSL\r\n\nsasl.password=a=b\n");
  ASSERT_TRUE(found.ok()) << found.error().sentence();
  EXPECT_EQ(*found, (KafkaSettings{{"security.protocol", "SASL_SSL"}, {"sasl.password", "a=b"}}));
  EXPECT_EQ(kafka_credentials("")->size(), 0U);
}

TEST(KafkaCredentials, RefuseNoTlsBesideAnAuthority) {
  for (const std::string protocol : {"PLAINTEXT", "SASL_PLAINTEXT", "sasl_plaintext"}) {
    const std::string text = "security.protocol=" + protocol + "\n";
    EXPECT_TRUE(kafka_credentials(text).ok());
    const auto refused = kafka_credentials(text, true);
    ASSERT_FALSE(refused.ok()) << protocol;
    EXPECT_TRUE(refused.error().sentence().contains("--authority")) << refused.error().sentence();
    EXPECT_TRUE(refused.error().sentence().contains("security.protocol=")) << refused.error().sentence();
  }
  EXPECT_TRUE(kafka_credentials("security.protocol=SASL_SSL\n", true).ok());
  EXPECT_TRUE(kafka_credentials("", true).ok());
}

TEST(KafkaCredentials, RefuseWhatLoadsOrRunsSomething) {
  for (const char* wrong : {"plugin.library.paths=/x.so", "sasl.kerberos.kinit.cmd=rm", "ssl.engine.location=/x.so",
                            "enable.ssl.certificate.verification=false", "bootstrap.servers=b", "secret"}) {
    const auto refused = kafka_credentials(std::string("\n") + wrong);
    ASSERT_FALSE(refused.ok()) << wrong;
    EXPECT_TRUE(refused.error().sentence().starts_with("Line 2")) << refused.error().sentence();
    EXPECT_FALSE(refused.error().sentence().contains("secret"));
  }
}

}  // namespace
}  // namespace partita::sinks
