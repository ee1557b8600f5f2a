#include "sinks/sink_hosts.h"

#include <gtest/gtest.h>

#include <vector>

namespace partita::sinks {
namespace {

TEST(SinkHosts, AreThoseOfTheList) {
  const std::vector<std::string> allowed{"search.example.com", "10.1.2.3:9200", "[fd00::1]:443", "Kafka-1"};
  for (const char* url :
       {"opensearch+https://search.example.com", "opensearch+https://SEARCH.example.com:9200/path?q#f",
        "elasticsearch+http://10.1.2.3:9200", "https://[FD00::1]:443/x", "s3+https://search.example.com/bucket",
        "kafka://kafka-1:9092,search.example.com/T"}) {
    EXPECT_TRUE(check_sink_hosts(url, allowed).ok()) << url;
  }
  for (const char* url : {"opensearch+https://example.com",
                          "opensearch+https://search.example.com.",
                          "http://10.1.2.3",
                          "",
                          "http://10.1.2.3:9201",
                          "http://169.254.169.254/latest",
                          "https://[fd00::1]",
                          "https://[fd00::1",
                          "http://user@search.example.com",
                          "http://search.example.com@other",
                          "http://search.example.com\\@other",
                          "http://search.example.com other",
                          "http://other#search.example.com",
                          "http://other?@search.example.com",
                          "kafka://kafka-1:9092,other/T",
                          "kafka://kafka-1,/T",
                          "file:///etc",
                          "kinesis:///orders",
                          "s3://search.example.com",
                          "search.example.com",
                          "http://search.example.com:",
                          "http://search.example.com:80:80",
                          "http://search.example.com:8o"}) {
    EXPECT_FALSE(check_sink_hosts(url, allowed).ok()) << url;
  }
}

TEST(SinkHosts, AreNoneWithoutAList) {
  const auto checked = check_sink_hosts("http://localhost", {});
  ASSERT_FALSE(checked.ok());
  EXPECT_TRUE(checked.error().sentence().contains("without --sink-hosts")) << checked.error().sentence();
}

TEST(SinkHosts, AreNamesAndAddresses) {
  for (const char* text : {"a", "a.b-c_d:1", "127.0.0.1", "[::1]", "[::1]:9200"})
    EXPECT_TRUE(is_sink_host(text)) << text;
  for (const char* text : {"", ":9200", "a:", "a/b", "http://a", "::1", "[]", "[::1]9", "a b", "*", "a:0", "a:65536",
                           "a:99999999999999999999"}) {
    EXPECT_FALSE(is_sink_host(text)) << text;
  }
}

}  // namespace
}  // namespace partita::sinks
