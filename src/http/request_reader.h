// Cuts requests out of the bytes of one connection. It owns the buffer that the bytes are received into, and all views
// that it gives point into that buffer: they live until next() or space() is called.
//
//   RequestReader reader(limits, budget);
//   while (reader.next(), ...) {
//     while (state == RequestReader::State::kMore) state = reader.received(read(socket, reader.space()));
//     answer(reader.target(), reader.header("content-type"), reader.body());
//   }
//
// It accepts requests by RFC 9112's grammar, and nothing that two readers could understand differently: bare line
// feeds, folded lines, white space around names, a framing or routing header that comes twice, and codings other than
// one "chunked" are malformed. The result does not depend on how the bytes were split.
//
// Bytes of pipelined requests stay in the buffer until next(). Memory grows with the bytes received; once 64 KiB of a
// body are there, room for all that it announced is taken. All memory but a first page is taken from the budget. Half
// of the budget is for bodies larger than that.
//
// For one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "http/head_scan.h"

namespace partita::http {

class RequestReader {
 public:
  struct Limits {
    size_t head_bytes;
    size_t body_bytes;
  };

  enum class State : uint8_t {
    kMore,       // the request is not complete yet
    kComplete,   // the accessors below may be used
    kMalformed,  // these three are final: the connection cannot be read any further
    kHeadTooLarge,
    kBodyTooLarge,
  };

  enum class Method : uint8_t { kGet, kHead, kPost, kOptions, kOther };

  RequestReader(Limits limits, Budget& budget);
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  // Where to receive the next bytes, 32 KiB at most; empty when there is no memory for them.
  std::span<char> space();
  // Precondition: `size` bytes were put at the front of space().
  State received(size_t size);
  // Drops the complete request and parses the bytes behind it.
  State next();

  // Frees all memory: nothing more will be read.
  void drop();

  // What has arrived of the current request.
  std::string_view bytes() const { return {data_ + begin_, end_ - begin_}; }
  // No byte of the current request has arrived yet.
  bool idle() const { return end_ == begin_ && part_ == Part::kRequestLine; }
  bool head_complete() const { return part_ > Part::kHeaders; }
  // If the request is malformed because a header came twice: its name in lower case; else empty.
  std::string_view repeated_header() const { return repeated_header_; }
  // The client waits for "100 Continue" before it sends the body. Precondition: head_complete().
  bool expects_continue() const;

  // All of these from head_complete() on.
  Method method() const { return method_; }
  std::string_view target() const { return view(target_); }
  // Content-Length; 0 if the body is chunked.
  uint64_t announced_bytes() const { return content_length_; }
  // Of the body so far.
  size_t received_bytes() const { return body_.size; }
  std::string_view body() const { return view(body_); }
  // Empty when absent.
  std::string_view single(Once header) const {
    return has(header) ? view(singles_[static_cast<size_t>(header)]) : std::string_view();
  }
  // By lower-case name; the first of several; empty when absent.
  std::string_view header(std::string_view lower_name) const { return value_of(lower_name, 0).value_or(""); }
  // The header at that place among those of the name, from 0; nothing if there are fewer.
  std::optional<std::string_view> value_of(std::string_view lower_name, size_t place) const;
  // Whether a browser sent it for a page: Origin, Referer or Sec-Fetch-Site says so, and no page can leave all of them
  // out of a POST. A URL that a person types into a browser comes from no page.
  bool sent_by_page() const;
  // Whether the client allows another request on this connection.
  bool keep_alive() const { return keep_alive_; }

 private:
  // Which part of a request the next byte belongs to, in the order in which they come.
  enum class Part : uint8_t { kRequestLine, kHeaders, kSizedBody, kChunkSize, kChunkData, kChunkEnd, kTrailers, kDone };
  // Offsets from the start of the current request, because the buffer moves.
  struct Span {
    uint32_t offset = 0;
    uint32_t size = 0;
  };
  struct Header {
    Span name;
    Span value;
  };

  State parse();
  State parse_head();
  State parse_sized_body();
  State parse_chunks();
  State take_head_line(std::string_view line);
  State take_request_line(std::string_view line);
  State take_usual_lines();
  State take_header(std::string_view name, std::string_view value);
  State take_single(size_t place, std::string_view value);
  State end_head();
  State take_chunk_size(std::string_view line);
  State take_chunk_data();
  State finish();
  void drop_framing();

  bool has(Once header) const { return (seen_ >> static_cast<unsigned>(header) & 1) != 0; }
  bool grow(size_t capacity);
  void release();
  Span span_of(std::string_view part) const;
  std::string_view view(Span span) const { return {data_ + begin_ + span.offset, span.size}; }

  Limits limits_;
  BudgetShare share_;
  char* data_ = nullptr;
  size_t capacity_ = 0;
  size_t begin_ = 0;    // of the current request
  size_t parsed_ = 0;   // bytes of it, from begin_, that are understood
  size_t scanned_ = 0;  // bytes of it that are known to hold no further line feed
  size_t end_ = 0;      // of the bytes received

  Part part_ = Part::kRequestLine;
  Method method_ = Method::kOther;
  bool old_version_ = false;  // HTTP/1.0
  bool keep_alive_ = false;
  bool blank_line_ = false;           // one came before the request line
  uint32_t seen_ = 0;                 // a bit for each of Once
  std::string_view repeated_header_;  // one of kOnce
  uint32_t header_count_ = 0;
  uint64_t content_length_ = 0;
  uint64_t chunk_left_ = 0;
  size_t framing_bytes_ = 0;  // received after the head beside the body itself
  Span target_;
  Span body_;
  std::array<Span, kOnce.size()> singles_;  // the values of those that were seen
  std::vector<Header> headers_;             // the others
};

}  // namespace partita::http
