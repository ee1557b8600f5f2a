#include "http/reply_head.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <ctime>

namespace partita::http {

namespace {

std::string_view reason_of(int status) {
  switch (status) {
    case 304:
      return "Not Modified";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 413:
      return "Request Entity Too Large";
    case 500:
      return "Internal Server Error";
    case 503:
      return "Service Unavailable";
    default:
      return "Status";
  }
}

constexpr std::string_view kExposed =
    "\r\nAccess-Control-Expose-Headers: "
    "x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,x-amz-crc32,x-amz-retry-after,Date";
constexpr size_t kMostFixed = 512;  // of the text around what a head says
constexpr size_t kMostDigits = 20;

// Puts texts one behind the other, into room that is known to suffice.
class Pen {
 public:
  explicit Pen(char* at) : at_(at) {}
  Pen& operator<<(std::string_view text) {
    if (!text.empty()) std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
    return *this;
  }
  Pen& operator<<(uint64_t number) {
    at_ = std::to_chars(at_, at_ + kMostDigits, number).ptr;
    return *this;
  }
  char* at() const { return at_; }

 private:
  char* at_;
};

}  // namespace

std::string_view DateText::at(int64_t now_ms) {
  const int64_t second = now_ms / 1000;
  if (second != second_) {
    second_ = second;
    const time_t time = second;
    std::tm parts{};
    gmtime_r(&time, &parts);
    char text[64];
    text_.assign(text, std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts));
  }
  return text_;
}

void append_head(std::string& out, const ReplyHead& head) {
  const size_t before = out.size();
  const size_t said = head.content_type.size() + head.content_encoding.size() + head.request_id.size() +
                      head.date.size() + head.allowed_origin.size() + head.more.size();
  out.resize_and_overwrite(before + kMostFixed + said, [&](char* text, size_t) {
    Pen pen(text + before);
    if (head.status == 200) {
      pen << "HTTP/1.1 200 OK";
    } else {
      pen << "HTTP/1.1 " << static_cast<uint64_t>(head.status) << " " << reason_of(head.status);
    }
    pen << "\r\nServer: Server\r\nDate: " << head.date;
    if (!head.content_type.empty()) pen << "\r\nContent-Type: " << head.content_type;
    if (!head.content_encoding.empty()) pen << "\r\nContent-Encoding: " << head.content_encoding;
    pen << "\r\nContent-Length: " << head.content_length;
    if (head.keep_alive) {
      pen << "\r\nConnection: keep-alive";
    } else {
      pen << "\r\nConnection: close";
    }
    if (!head.request_id.empty()) {
      pen << "\r\nx-amzn-RequestId: " << head.request_id << "\r\nx-amz-crc32: " << uint64_t{head.crc32};
    }
    if (head.retry_after_ms != 0) [[unlikely]]
      pen << "\r\nx-amz-retry-after: " << uint64_t{head.retry_after_ms};
    if (!head.allowed_origin.empty()) {
      pen << "\r\nVary: Origin\r\nAccess-Control-Allow-Origin: " << head.allowed_origin << kExposed;
    }
    pen << "\r\n" << head.more << "\r\n";
    return static_cast<size_t>(pen.at() - text);
  });
}

}  // namespace partita::http
