#include "http/reply_head.h"

#include <gtest/gtest.h>

#include <string>

namespace partita::http {
namespace {

TEST(DateText, WritesTheTimeAsHttpDoes) {
  DateText date;
  EXPECT_EQ(date.at(784'111'777'999), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(date.at(784'111'778'000), "Sun, 06 Nov 1994 08:49:38 GMT");
}

TEST(AppendHead, WritesEveryHeaderOnce) {
  ReplyHead head;
  head.status = 400;
  head.content_type = "application/x-amz-json-1.0";
  head.content_length = 2;
  head.crc32 = 2745614147;
  head.request_id = "ID";
  head.date = "now";
  std::string out;
  append_head(out, head);
  EXPECT_EQ(out,
            "HTTP/1.1 400 Bad Request\r\nServer: Server\r\nDate: now\r\nContent-Type: application/x-amz-json-1.0\r\n"
            "Content-Length: 2\r\nConnection: keep-alive\r\nx-amzn-RequestId: ID\r\nx-amz-crc32: 2745614147\r\n\r\n");
}

TEST(AppendHead, SaysHowTheBodyIsPacked) {
  ReplyHead head;
  head.content_encoding = "gzip";
  std::string out;
  append_head(out, head);
  EXPECT_NE(out.find("\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n"), std::string::npos);
}

TEST(AppendHead, SaysWhenToTryAgain) {
  ReplyHead head;
  head.status = 503;
  std::string out;
  append_head(out, head);
  EXPECT_EQ(out.find("retry-after"), std::string::npos);
  head.retry_after_ms = 1'250;
  append_head(out, head);
  EXPECT_NE(out.find("\r\nx-amz-retry-after: 1250\r\n"), std::string::npos);
}

TEST(AppendHead, AllowsOtherOrigins) {
  ReplyHead head;
  head.keep_alive = false;
  head.allowed_origin = "http://a.example";
  head.more = "Access-Control-Max-Age: 1\r\n";
  std::string out;
  append_head(out, head);
  EXPECT_NE(out.find("\r\nConnection: close\r\n"), std::string::npos);
  EXPECT_NE(out.find("\r\nVary: Origin\r\nAccess-Control-Allow-Origin: http://a.example\r\n"), std::string::npos);
  EXPECT_TRUE(out.ends_with("\r\nAccess-Control-Max-Age: 1\r\n\r\n"));
}

}  // namespace
}  // namespace partita::http
