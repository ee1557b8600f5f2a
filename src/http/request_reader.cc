#include "http/request_reader.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/hex.h"
#include "http/head_scan.h"

namespace partita::http {

namespace {

using State = RequestReader::State;

constexpr size_t kFirstCapacity = 4096;  // not taken from the budget: the number of connections bounds these
constexpr size_t kLeastRoom = 1024;
constexpr size_t kKeptCapacity = size_t{16} << 10;   // a buffer that grew beyond this is not kept for the next request
constexpr size_t kSmallCapacity = size_t{64} << 10;  // a larger one leaves room for small ones, and for looking at it
constexpr size_t kMostAtOnce = size_t{32} << 10;
constexpr size_t kMostHeaders = 128;
constexpr size_t kMostChunkLine = 4096;
// Chunk sizes, extensions and trailers, against bodies that are mostly that.
constexpr size_t kFreeFraming = size_t{64} << 10;
constexpr size_t kFramingPerBodyByte = 8;

constexpr std::string_view kConnection = "connection";
constexpr std::string_view kUsualRequest = "POST / HTTP/1.1\r\n";

bool is_token(std::string_view text) { return !text.empty() && token_size(text) == text.size(); }

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// No control characters but the tab.
bool is_field_value(std::string_view text) {
  while (true) {
    text.remove_prefix(plain_size(text));
    if (text.empty()) return true;
    if (text.front() != '\t') return false;
    text.remove_prefix(1);
  }
}

// Digits alone; all that does not fit is as good as the largest number.
std::optional<uint64_t> read_digits(std::string_view text, unsigned base) {
  if (text.empty()) return std::nullopt;
  uint64_t number = 0;
  for (const char c : text) {
    const unsigned digit = hex_digit(c).value_or(base);
    if (digit >= base) return std::nullopt;
    number = number > (UINT64_MAX >> 5) ? UINT64_MAX : number * base + digit;
  }
  return number;
}

bool has_word(std::string_view list, std::string_view lower_word) {
  while (true) {
    const size_t comma = std::min(list.find(','), list.size());
    if (same_name(trim(list.substr(0, comma)), lower_word)) return true;
    if (comma == list.size()) return false;
    list.remove_prefix(comma + 1);
  }
}

// "name: value" as the pair of both; nothing for what is no header line.
std::optional<std::pair<std::string_view, std::string_view>> split_header(std::string_view line) {
  const size_t colon = token_size(line);
  if (colon == 0 || colon == line.size() || line[colon] != ':') return std::nullopt;
  const std::string_view value = trim(line.substr(colon + 1));
  if (!is_field_value(value)) return std::nullopt;
  return std::pair(line.substr(0, colon), value);
}

// ";name" or ";name=value", any number of them, without quotes: more than any client sends.
bool is_chunk_extension(std::string_view text) {
  while (!text.empty()) {
    if (text.front() != ';') return false;
    text.remove_prefix(1);
    const size_t end = std::min(text.find(';'), text.size());
    const std::string_view one = text.substr(0, end);
    const size_t equals = std::min(one.find('='), one.size());
    if (!is_token(one.substr(0, equals))) return false;
    if (equals < one.size() && !is_token(one.substr(equals + 1))) return false;
    text.remove_prefix(end);
  }
  return true;
}

RequestReader::Method method_of(std::string_view name) {
  if (name == "POST") return RequestReader::Method::kPost;
  if (name == "GET") return RequestReader::Method::kGet;
  if (name == "HEAD") return RequestReader::Method::kHead;
  if (name == "OPTIONS") return RequestReader::Method::kOptions;
  return RequestReader::Method::kOther;
}

}  // namespace

RequestReader::RequestReader(Limits limits, Budget& budget) : limits_(limits), share_(budget) {}

RequestReader::~RequestReader() { release(); }

void RequestReader::release() {
  std::free(data_);
  data_ = nullptr;
  capacity_ = 0;
  share_.release();
}

void RequestReader::drop() {
  release();
  begin_ = parsed_ = scanned_ = end_ = 0;
  target_ = body_ = Span{};
  seen_ = 0;
  headers_.clear();
}

bool RequestReader::grow(size_t capacity) {
  const size_t before = share_.bytes();
  const size_t limit = share_.budget().limit();
  const size_t charged = capacity > kFirstCapacity ? capacity : 0;
  if (!share_.resize_within(charged, capacity > kSmallCapacity ? limit / 2 : limit)) return false;
  auto* grown = static_cast<char*>(std::realloc(data_, capacity));
  if (grown == nullptr) {
    static_cast<void>(share_.resize(before));
    return false;
  }
  data_ = grown;
  capacity_ = capacity;
  return true;
}

std::span<char> RequestReader::space() {
  // Of a body whose size is known, no more than the rest of it is asked for.
  const size_t left =
      part_ == Part::kSizedBody ? static_cast<size_t>(content_length_) - (end_ - begin_ - body_.offset) : SIZE_MAX;
  const size_t wanted = std::min(kLeastRoom, left);
  if (capacity_ - end_ < wanted && begin_ > 0) {
    std::memmove(data_, data_ + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (capacity_ - end_ < wanted) {
    const size_t doubled = std::max(kFirstCapacity, capacity_ * 2);
    // A large body that has begun to come gets all of its room at once, or none: bodies that each got a part of what
    // there is would all be refused in the end.
    const bool whole = left < doubled - end_ || (left != SIZE_MAX && doubled > kSmallCapacity);
    if (!grow(whole ? end_ + left : doubled)) return {};
  }
  // A large body must not block the thread's other connections.
  return {data_ + end_, std::min(capacity_ - end_, kMostAtOnce)};
}

State RequestReader::received(size_t size) {
  PARTITA_CHECK(size <= capacity_ - end_ && part_ != Part::kDone);
  end_ += size;
  return parse();
}

State RequestReader::next() {
  if (part_ == Part::kDone) begin_ += parsed_;
  if (begin_ == end_) {
    begin_ = end_ = 0;
    if (capacity_ > kKeptCapacity) release();
  }
  parsed_ = scanned_ = 0;
  part_ = Part::kRequestLine;
  method_ = Method::kOther;
  old_version_ = keep_alive_ = blank_line_ = false;
  seen_ = header_count_ = 0;
  content_length_ = chunk_left_ = 0;
  framing_bytes_ = 0;
  target_ = body_ = Span{};
  headers_.clear();
  return parse();
}

State RequestReader::parse() {
  if (begin_ == end_) return State::kMore;
  State state = State::kMore;
  if (!head_complete()) state = parse_head();
  if (state == State::kMore && part_ == Part::kSizedBody) return parse_sized_body();
  if (state == State::kMore && head_complete()) return parse_chunks();
  return state;
}

// --- the head
// ---------------------------------------------------------------------------------------------------------

// Each line is judged as soon as its line feed has arrived, so that it never matters how much came with it.
State RequestReader::parse_head() {
  const char first = data_[begin_];
  if (part_ == Part::kRequestLine && first != '\r' && token_size({&first, 1}) == 0) return State::kMalformed;
  while (!head_complete()) {
    if (scanned_ == parsed_) {
      const State state = take_usual_lines();
      if (state != State::kMore || head_complete()) return state;
    }
    const char* const from = data_ + begin_ + scanned_;
    const auto* const feed = static_cast<const char*>(std::memchr(from, '\n', end_ - begin_ - scanned_));
    if (feed == nullptr) {
      scanned_ = end_ - begin_;
      return scanned_ > limits_.head_bytes ? State::kHeadTooLarge : State::kMore;
    }
    const std::string_view line(data_ + begin_ + parsed_, static_cast<size_t>(feed - (data_ + begin_ + parsed_)));
    parsed_ = scanned_ = static_cast<size_t>(feed + 1 - (data_ + begin_));
    if (parsed_ > limits_.head_bytes) return State::kHeadTooLarge;
    if (!line.ends_with('\r')) return State::kMalformed;
    const State state = take_head_line(line.substr(0, line.size() - 1));
    if (state != State::kMore) return state;
  }
  return State::kMore;
}

State RequestReader::take_head_line(std::string_view line) {
  if (part_ == Part::kRequestLine) return take_request_line(line);
  if (line.empty()) return end_head();
  const auto header = split_header(line);
  return header ? take_header(header->first, header->second) : State::kMalformed;
}

State RequestReader::take_request_line(std::string_view line) {
  // Old clients send an empty line behind a body.
  if (line.empty()) return std::exchange(blank_line_, true) ? State::kMalformed : State::kMore;
  const size_t space = line.find(' ');
  const size_t last = line.rfind(' ');
  if (space == std::string_view::npos || space == last) return State::kMalformed;
  const std::string_view name = line.substr(0, space);
  const std::string_view target = line.substr(space + 1, last - space - 1);
  const std::string_view version = line.substr(last + 1);
  const bool visible = std::ranges::all_of(target, [](char c) { return c > 0x20 && c < 0x7f; });
  if (!is_token(name) || target.empty() || !visible) return State::kMalformed;
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return State::kMalformed;
  old_version_ = version == "HTTP/1.0";
  keep_alive_ = !old_version_;
  method_ = method_of(name);
  target_ = span_of(target);
  part_ = Part::kHeaders;
  return State::kMore;
}

// Takes the lines at the front that are whole and as nearly all clients write them. Stops before any other line, which
// is then taken the long way, as is one that exceeds the limit of the head. Flattened, because the calls for each line
// cost as much as the scan.
[[gnu::flatten]] State RequestReader::take_usual_lines() {
  const std::string_view head(data_ + begin_, std::min(end_ - begin_, limits_.head_bytes));
  const auto pass = [&](size_t size) { scanned_ = parsed_ += size; };
  if (part_ == Part::kRequestLine) {
    if (!head.substr(parsed_).starts_with(kUsualRequest)) return State::kMore;
    method_ = Method::kPost;
    keep_alive_ = true;
    target_ = {static_cast<uint32_t>(parsed_ + kUsualRequest.find('/')), 1};
    part_ = Part::kHeaders;
    pass(kUsualRequest.size());
  }
  while (true) {
    const std::string_view rest(head.data() + parsed_, head.size() - parsed_);
    if (rest.starts_with("\r\n")) {
      pass(2);
      return end_head();
    }
    const HeaderLine line = usual_header(rest);
    if (line.size == 0) return State::kMore;
    pass(line.size);
    const State state = take_header(line.name, line.value);
    if (state != State::kMore) return state;
  }
}

State RequestReader::take_header(std::string_view name, std::string_view value) {
  if (header_count_++ == kMostHeaders) return State::kHeadTooLarge;
  const size_t place = place_in_once(name);
  if (place < kOnce.size()) return take_single(place, value);
  headers_.push_back({span_of(name), span_of(value)});
  if (same_name(name, kConnection)) {
    if (has_word(value, "close")) {
      keep_alive_ = false;
    } else if (old_version_ && has_word(value, "keep-alive")) {
      keep_alive_ = true;
    }
  }
  return State::kMore;
}

State RequestReader::take_single(size_t place, std::string_view value) {
  const auto header = static_cast<Once>(place);
  if (has(header)) {
    repeated_header_ = kOnce[place];
    return State::kMalformed;
  }
  seen_ |= 1U << place;
  singles_[place] = span_of(value);
  if (header == Once::kContentLength) {
    const auto length = read_digits(value, 10);
    if (!length) return State::kMalformed;
    content_length_ = *length;
  }
  if (header == Once::kTransferEncoding && !same_name(value, "chunked")) return State::kMalformed;
  const auto divides = [](char c) { return c == ' ' || c == '\t' || c == ','; };
  if (header == Once::kHost && std::ranges::any_of(value, divides)) return State::kMalformed;
  return State::kMore;
}

State RequestReader::end_head() {
  const bool chunked = has(Once::kTransferEncoding);
  if (!old_version_ && !has(Once::kHost)) return State::kMalformed;
  if (chunked && (old_version_ || has(Once::kContentLength))) return State::kMalformed;
  body_.offset = static_cast<uint32_t>(parsed_);
  part_ = chunked ? Part::kChunkSize : Part::kSizedBody;
  return content_length_ > limits_.body_bytes ? State::kBodyTooLarge : State::kMore;
}

// --- the body
// ---------------------------------------------------------------------------------------------------------

State RequestReader::finish() {
  part_ = Part::kDone;
  return State::kComplete;
}

State RequestReader::parse_sized_body() {
  const size_t arrived = end_ - begin_ - body_.offset;
  body_.size = static_cast<uint32_t>(std::min<uint64_t>(arrived, content_length_));
  parsed_ = scanned_ = body_.offset + body_.size;
  return body_.size == content_length_ ? finish() : State::kMore;
}

State RequestReader::parse_chunks() {
  while (true) {
    if (part_ == Part::kChunkData) {
      const State state = take_chunk_data();
      if (state != State::kMore || part_ == Part::kChunkData) return state;
      continue;
    }
    const char* const from = data_ + begin_ + scanned_;
    const auto* const feed = static_cast<const char*>(std::memchr(from, '\n', end_ - begin_ - scanned_));
    if (feed == nullptr) {
      scanned_ = end_ - begin_;
      if (scanned_ - parsed_ > kMostChunkLine) return State::kMalformed;
      drop_framing();
      return State::kMore;
    }
    const std::string_view line(data_ + begin_ + parsed_, static_cast<size_t>(feed - (data_ + begin_ + parsed_)));
    parsed_ = scanned_ = static_cast<size_t>(feed + 1 - (data_ + begin_));
    framing_bytes_ += line.size() + 1;
    if (!line.ends_with('\r') || line.size() > kMostChunkLine) return State::kMalformed;
    if (framing_bytes_ > kFreeFraming + kFramingPerBodyByte * body_.size) return State::kBodyTooLarge;
    const State state = take_chunk_size(line.substr(0, line.size() - 1));
    if (state != State::kMore) return state;
  }
}

// A line of the framing: a chunk's size, the empty line behind a chunk, or a trailer.
State RequestReader::take_chunk_size(std::string_view line) {
  if (part_ == Part::kChunkEnd) {
    part_ = Part::kChunkSize;
    return line.empty() ? State::kMore : State::kMalformed;
  }
  if (part_ == Part::kTrailers) {
    if (line.empty()) return finish();
    return split_header(line) ? State::kMore : State::kMalformed;
  }
  const size_t end = std::min(line.find(';'), line.size());
  const auto size = read_digits(line.substr(0, end), 16);
  if (!size || !is_chunk_extension(line.substr(end))) return State::kMalformed;
  if (*size > limits_.body_bytes - body_.size) return State::kBodyTooLarge;
  chunk_left_ = *size;
  part_ = chunk_left_ == 0 ? Part::kTrailers : Part::kChunkData;
  return State::kMore;
}

// Pieces of the body are moved together, over framing that has been understood already.
State RequestReader::take_chunk_data() {
  const size_t size = std::min<uint64_t>(chunk_left_, end_ - begin_ - parsed_);
  char* const base = data_ + begin_;
  std::memmove(base + body_.offset + body_.size, base + parsed_, size);
  body_.size += static_cast<uint32_t>(size);
  chunk_left_ -= size;
  parsed_ += size;
  scanned_ = parsed_;
  if (chunk_left_ == 0) {
    part_ = Part::kChunkEnd;
  } else {
    drop_framing();
  }
  return State::kMore;
}

// What stands between the body so far and the bytes that are not understood yet, nobody needs any more.
void RequestReader::drop_framing() {
  const size_t body_end = body_.offset + body_.size;
  const size_t gap = parsed_ - body_end;
  if (gap == 0) return;
  char* const base = data_ + begin_;
  std::memmove(base + body_end, base + parsed_, end_ - begin_ - parsed_);
  parsed_ -= gap;
  scanned_ -= gap;
  end_ -= gap;
}

// --- what was read
// ----------------------------------------------------------------------------------------------------

RequestReader::Span RequestReader::span_of(std::string_view part) const {
  return {static_cast<uint32_t>(part.data() - (data_ + begin_)), static_cast<uint32_t>(part.size())};
}

bool RequestReader::sent_by_page() const {
  if (has(Once::kOrigin) || has(Once::kReferer)) return true;
  return has(Once::kFetchSite) && single(Once::kFetchSite) != "none";
}

bool RequestReader::expects_continue() const { return same_name(single(Once::kExpect), "100-continue"); }

std::optional<std::string_view> RequestReader::value_of(std::string_view lower_name, size_t place) const {
  const size_t once = place_in_once(lower_name);
  if (once < kOnce.size()) {
    return place == 0 && has(static_cast<Once>(once)) ? std::optional(view(singles_[once])) : std::nullopt;
  }
  for (const Header& header : headers_) {
    if (same_name(view(header.name), lower_name) && place-- == 0) return view(header.value);
  }
  return std::nullopt;
}

}  // namespace partita::http
