#include "http/request_reader.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/check.h"

namespace partita::http {

namespace {

constexpr size_t kFirstCapacity = 4096;
constexpr size_t kLeastRoom = 1024;
// A buffer that grew beyond this for one request is not kept for the next.
constexpr size_t kKeptCapacity = size_t{64} << 10;
constexpr size_t kMostHeaders = 128;
// Chunk sizes, extensions and trailers, against bodies that are mostly that.
constexpr size_t kFreeFraming = size_t{64} << 10;
constexpr size_t kFramingPerBodyByte = 8;

bool same_name(std::string_view name, std::string_view lower) {
  return name.size() == lower.size() && std::equal(name.begin(), name.end(), lower.begin(), [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? static_cast<char>(a | 0x20) : a) == b;
         });
}

}  // namespace

// What llhttp calls while it parses. `at` always points into the reader's buffer.
struct ReaderCallbacks {
  static RequestReader& reader(llhttp_t* parser) { return *static_cast<RequestReader*>(parser->data); }

  static int on_url(llhttp_t* parser, const char* at, size_t size) {
    RequestReader& self = reader(parser);
    return self.extend(self.target_, at, size) ? 0 : HPE_USER;
  }

  static int on_field(llhttp_t* parser, const char* at, size_t size) {
    RequestReader& self = reader(parser);
    if (self.head_complete_) return 0;  // a trailer
    if (self.headers_.empty() || self.value_open_) {
      if (self.headers_.size() == kMostHeaders) {
        self.refusal_ = RequestReader::State::kHeadTooLarge;
        return HPE_USER;
      }
      self.headers_.emplace_back();
      self.value_open_ = false;
    }
    return self.extend(self.headers_.back().name, at, size) ? 0 : HPE_USER;
  }

  static int on_value(llhttp_t* parser, const char* at, size_t size) {
    RequestReader& self = reader(parser);
    if (self.head_complete_) return 0;
    self.value_open_ = true;
    return self.extend(self.headers_.back().value, at, size) ? 0 : HPE_USER;
  }

  static int on_head(llhttp_t* parser) {
    RequestReader& self = reader(parser);
    self.head_complete_ = true;
    self.chunked_ = (parser->flags & F_CHUNKED) != 0;
    // A client that would like another protocol is served this one.
    parser->upgrade = 0;
    if ((parser->flags & F_CONTENT_LENGTH) != 0 && parser->content_length > self.limits_.body_bytes) {
      self.refusal_ = RequestReader::State::kBodyTooLarge;
      return -1;
    }
    return 0;
  }

  // Pieces of a chunked body are moved together, over framing that has been parsed already.
  static int on_body(llhttp_t* parser, const char* at, size_t size) {
    RequestReader& self = reader(parser);
    char* base = self.data_ + self.begin_;
    if (self.body_.size == 0) self.body_.offset = static_cast<uint32_t>(at - base);
    if (self.body_.size + size > self.limits_.body_bytes) {
      self.refusal_ = RequestReader::State::kBodyTooLarge;
      return HPE_USER;
    }
    char* place = base + self.body_.offset + self.body_.size;
    if (place != at) std::memmove(place, at, size);
    self.body_.size += static_cast<uint32_t>(size);
    return 0;
  }

  static int on_complete(llhttp_t* parser) {
    RequestReader& self = reader(parser);
    self.complete_ = true;
    self.keep_alive_ = llhttp_should_keep_alive(parser) != 0;
    return HPE_PAUSED;
  }

  static const llhttp_settings_t& settings() {
    static const llhttp_settings_t all = [] {
      llhttp_settings_t made;
      llhttp_settings_init(&made);
      made.on_url = on_url;
      made.on_header_field = on_field;
      made.on_header_value = on_value;
      made.on_headers_complete = on_head;
      made.on_body = on_body;
      made.on_message_complete = on_complete;
      return made;
    }();
    return all;
  }
};

RequestReader::RequestReader(Limits limits) : limits_(limits) {
  llhttp_init(&parser_, HTTP_REQUEST, &ReaderCallbacks::settings());
  parser_.data = this;
}

RequestReader::~RequestReader() { release(); }

void RequestReader::release() {
  std::free(data_);
  data_ = nullptr;
  capacity_ = 0;
}

void RequestReader::grow(size_t capacity) {
  auto* grown = static_cast<char*>(std::realloc(data_, capacity));
  PARTITA_CHECK(grown != nullptr);
  data_ = grown;
  capacity_ = capacity;
}

std::span<char> RequestReader::space() {
  if (capacity_ - end_ < kLeastRoom && begin_ > 0) {
    std::memmove(data_, data_ + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (capacity_ - end_ < kLeastRoom) grow(std::max(kFirstCapacity, capacity_ * 2));
  return {data_ + end_, capacity_ - end_};
}

RequestReader::State RequestReader::received(size_t size) {
  PARTITA_CHECK(size <= capacity_ - end_ && !complete_);
  end_ += size;
  return parse();
}

RequestReader::State RequestReader::next() {
  if (complete_) {
    begin_ += parsed_;
    parsed_ = 0;
    llhttp_resume(&parser_);
  }
  if (begin_ == end_) {
    begin_ = end_ = 0;
    if (capacity_ > kKeptCapacity) release();
  }
  head_complete_ = complete_ = value_open_ = keep_alive_ = chunked_ = false;
  framing_bytes_ = 0;
  target_ = body_ = Span{};
  headers_.clear();
  return parse();
}

RequestReader::State RequestReader::parse() {
  const size_t size = end_ - begin_ - parsed_;
  if (size == 0) return State::kMore;
  const size_t body_before = body_.size;
  const bool in_body = head_complete_;
  const char* from = data_ + begin_ + parsed_;
  const llhttp_errno_t outcome = llhttp_execute(&parser_, from, size);
  if (complete_) {
    parsed_ = static_cast<size_t>(llhttp_get_error_pos(&parser_) - (data_ + begin_));
    return State::kComplete;
  }
  if (outcome != HPE_OK) return refusal_;
  parsed_ += size;
  if (!head_complete_) return parsed_ > limits_.head_bytes ? State::kHeadTooLarge : State::kMore;
  if (in_body) framing_bytes_ += size - (body_.size - body_before);
  if (framing_bytes_ > kFreeFraming + kFramingPerBodyByte * body_.size) return State::kBodyTooLarge;
  drop_framing();
  return State::kMore;
}

// What was parsed behind the body so far is framing that nobody needs any more.
void RequestReader::drop_framing() {
  if (!chunked_ || body_.size == 0) return;
  parsed_ = body_.offset + body_.size;
  end_ = begin_ + parsed_;
}

// Adds a piece that arrived to what is known of a span; false when the request can not be accepted.
bool RequestReader::extend(Span& span, const char* at, size_t size) {
  const auto offset = static_cast<size_t>(at - (data_ + begin_));
  if (offset + size > limits_.head_bytes) {
    refusal_ = State::kHeadTooLarge;
    return false;
  }
  if (span.size == 0) span.offset = static_cast<uint32_t>(offset);
  // A value folded over several lines comes in pieces that do not touch.
  if (span.offset + span.size != offset) return size == 0;
  span.size += static_cast<uint32_t>(size);
  return true;
}

bool RequestReader::expects_continue() const { return same_name(header("expect"), "100-continue"); }

RequestReader::Method RequestReader::method() const {
  switch (parser_.method) {
    case HTTP_GET:
      return Method::kGet;
    case HTTP_HEAD:
      return Method::kHead;
    case HTTP_POST:
      return Method::kPost;
    case HTTP_OPTIONS:
      return Method::kOptions;
    default:
      return Method::kOther;
  }
}

std::string_view RequestReader::header(std::string_view lower_name) const {
  for (const Header& header : headers_) {
    if (!same_name(view(header.name), lower_name)) continue;
    std::string_view value = view(header.value);
    while (value.ends_with(' ') || value.ends_with('\t')) value.remove_suffix(1);
    return value;
  }
  return {};
}

}  // namespace partita::http
