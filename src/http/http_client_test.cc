#include "http/http_client.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace partita::http {
namespace {

TEST(HttpPlace, OfUrls) {
  struct Row {
    std::string url, host, port, path;
  };
  const std::vector<Row> rows{
      {"http://localhost:4318", "localhost", "4318", "/"},
      {"http://h/v1/traces?x=1", "h", "80", "/v1/traces?x=1"},
      {"http://[::1]:1/", "::1", "1", "/"},
      {"http://[::1]", "::1", "80", "/"},
      {"http://10.0.0.1:65535", "10.0.0.1", "65535", "/"},
  };
  for (const Row& row : rows) {
    const auto place = HttpPlace::parse(row.url);
    ASSERT_TRUE(place.ok()) << row.url;
    EXPECT_EQ(place->host, row.host);
    EXPECT_EQ(place->port, row.port);
    EXPECT_EQ(place->path, row.path);
  }
}

TEST(HttpPlace, RefusesWhatIsNone) {
  const std::vector<std::string> wrong{"",           "localhost:4318", "https://h",      "http://",     "http://:80",
                                       "http://h:0", "http://h:65536", "http://h:x",     "http://h: 1", "http://h:1x",
                                       "http://a b", "http://h/\r\n",  "http://u@h:4318"};
  for (const std::string& url : wrong) EXPECT_FALSE(HttpPlace::parse(url).ok()) << url;
}

}  // namespace
}  // namespace partita::http
