#include "net/url.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace partita::net {
namespace {

TEST(Url, Parts) {
  struct Row {
    std::string url, host, port, path, authority;
  };
  const std::vector<Row> rows{
      {"http://localhost:4318", "localhost", "4318", "/", "localhost:4318"},
      {"http://h/v1/traces?x=1", "h", "80", "/v1/traces?x=1", "h"},
      {"http://[::1]:1/", "::1", "1", "/", "[::1]:1"},
      {"http://[::1]", "::1", "80", "/", "[::1]"},
      {"http://10.0.0.1:65535", "10.0.0.1", "65535", "/", "10.0.0.1:65535"},
      {"https://h/p", "h", "443", "/p", "h"},
      {"https://h:80", "h", "80", "/", "h:80"},
  };
  for (const Row& row : rows) {
    const auto url = Url::parse(row.url);
    ASSERT_TRUE(url.ok()) << row.url;
    EXPECT_EQ(url->host, row.host);
    EXPECT_EQ(url->port, row.port);
    EXPECT_EQ(url->path, row.path);
    EXPECT_EQ(url->authority(), row.authority);
  }
}

TEST(Url, RefusesWhatIsNone) {
  const std::vector<std::string> wrong{"",
                                       "localhost:4318",
                                       "httpx://h",
                                       "ftp://h",
                                       "http://",
                                       "http://:80",
                                       "http://h:0",
                                       "http://h:65536",
                                       "http://h:x",
                                       "http://h: 1",
                                       "http://h:1x",
                                       "http://a b",
                                       "http://h/\r\n",
                                       "http://h/\x01",
                                       "http://h/\x7f",
                                       "http://[::1]x/",
                                       "http://h?.x/",
                                       "http://h#.x/",
                                       "http://h\\x/",
                                       "http://[::1]x:1/",
                                       "http://x[::1]/",
                                       "http://[::1/",
                                       "http://u@h:4318"};
  for (const std::string& url : wrong) EXPECT_FALSE(Url::parse(url).ok()) << url;
}

}  // namespace
}  // namespace partita::net
