#include "http/reply_head.h"

#include <charconv>
#include <cstring>
#include <ctime>

namespace partita::http {

namespace {

std::string_view reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
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

// Every pair of the 32 digits of an identifier.
constexpr std::array<char, 2048> kDigitPairs = [] {
  constexpr std::string_view kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUV";
  std::array<char, 2048> pairs{};
  for (size_t i = 0; i < 1024; ++i) {
    pairs[2 * i] = kDigits[i & 31];
    pairs[2 * i + 1] = kDigits[i >> 5];
  }
  return pairs;
}();

void append_number(std::string& out, uint64_t number) {
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

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

uint64_t RequestIds::mix() { return splitmix64(state_); }

std::string_view RequestIds::next() {
  constexpr size_t kPairsOfWord = 6;
  uint64_t bits = 0;
  for (size_t pair = 0; pair < kSize / 2; ++pair) {
    if (pair % kPairsOfWord == 0) bits = mix();
    std::memcpy(&text_[2 * pair], &kDigitPairs[2 * (bits & 1023)], 2);
    bits >>= 10;
  }
  return {text_.data(), text_.size()};
}

void append_head(std::string& out, const ReplyHead& head) {
  out += "HTTP/1.1 ";
  append_number(out, static_cast<uint64_t>(head.status));
  out += ' ';
  out += reason_of(head.status);
  out += "\r\nServer: Server\r\nDate: ";
  out += head.date;
  if (!head.content_type.empty()) {
    out += "\r\nContent-Type: ";
    out += head.content_type;
  }
  out += "\r\nContent-Length: ";
  append_number(out, head.content_length);
  out += head.keep_alive ? "\r\nConnection: keep-alive" : "\r\nConnection: close";
  if (!head.request_id.empty()) {
    out += "\r\nx-amzn-RequestId: ";
    out += head.request_id;
    out += "\r\nx-amz-crc32: ";
    append_number(out, head.crc32);
  }
  if (!head.allowed_origin.empty()) {
    out += "\r\nVary: Origin\r\nAccess-Control-Allow-Origin: ";
    out += head.allowed_origin;
    out += "\r\nAccess-Control-Expose-Headers: x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,x-amz-crc32,Date";
  }
  out += "\r\n";
  out += head.more;
  out += "\r\n";
}

}  // namespace partita::http
