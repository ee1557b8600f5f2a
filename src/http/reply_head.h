// The first part of a reply: status line and headers, as DynamoDB sends them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace partita::http {

// The time as HTTP writes it, formatted once a second. For one thread.
class DateText {
 public:
  std::string_view at(int64_t now_ms);

 private:
  int64_t second_ = -1;
  std::string text_;
};

struct ReplyHead {
  int status = 200;
  std::string_view content_type;  // empty: none is sent
  size_t content_length = 0;
  std::string_view content_encoding = {};  // of the body; empty: it is as it is
  uint32_t crc32 = 0;                      // of the body, as it is sent
  std::string_view request_id;
  std::string_view date;
  bool keep_alive = true;
  uint32_t retry_after_ms = 0;      // 0: nothing is said
  std::string_view allowed_origin;  // of the page that sent the request, when it may read the reply
  std::string_view more;            // further lines, each with its CR LF
};

// Appends the head, with the empty line behind it.
void append_head(std::string& out, const ReplyHead& head);

}  // namespace partita::http
