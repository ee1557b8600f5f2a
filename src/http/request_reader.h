// Cuts requests out of the bytes of one connection. It owns the buffer that the bytes are received into, and all views
// that it gives point into that buffer: they live until next() or space() is called.
//
//   RequestReader reader(limits);
//   while (reader.next(), ...) {
//     while (state == RequestReader::State::kMore) state = reader.received(read(socket, reader.space()));
//     answer(reader.target(), reader.header("content-type"), reader.body());
//   }
//
// Bytes of the requests behind the current one (pipelining) stay in the buffer until next(). Memory grows with the
// bytes received, never with what a request merely announces.
#pragma once

#include <llhttp.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

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
    kMalformed,  // these three are final: the connection can not be read any further
    kHeadTooLarge,
    kBodyTooLarge,
  };

  enum class Method : uint8_t { kGet, kHead, kPost, kOptions, kOther };

  explicit RequestReader(Limits limits);
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  // Where to receive the next bytes; never empty.
  std::span<char> space();
  // `size` bytes were put at the front of space().
  State received(size_t size);
  // Forgets the complete request and looks at the bytes behind it.
  State next();

  // No byte of the current request has arrived yet.
  bool idle() const { return end_ == begin_ && !head_complete_; }
  bool head_complete() const { return head_complete_; }
  // The client waits for "100 Continue" before it sends the body. Precondition: head_complete().
  bool expects_continue() const;

  Method method() const;
  std::string_view target() const { return view(target_); }
  std::string_view body() const { return view(body_); }
  // By lower-case name; the first of several; empty when absent.
  std::string_view header(std::string_view lower_name) const;
  // Whether the client allows another request on this connection.
  bool keep_alive() const { return keep_alive_; }

 private:
  // Offsets from the start of the current request, because the buffer moves.
  struct Span {
    uint32_t offset = 0;
    uint32_t size = 0;
  };
  struct Header {
    Span name;
    Span value;
  };
  friend struct ReaderCallbacks;

  State parse();
  void drop_framing();
  void grow(size_t capacity);
  void release();
  bool extend(Span& span, const char* at, size_t size);
  std::string_view view(Span span) const { return {data_ + begin_ + span.offset, span.size}; }

  Limits limits_;
  llhttp_t parser_;
  char* data_ = nullptr;
  size_t capacity_ = 0;
  size_t begin_ = 0;   // of the current request
  size_t parsed_ = 0;  // bytes of it, from begin_, that the parser has seen
  size_t end_ = 0;     // of the bytes received

  State refusal_ = State::kMalformed;  // what an error of the parser means
  bool head_complete_ = false;
  bool complete_ = false;
  bool value_open_ = false;  // the newest header is in its value
  bool keep_alive_ = false;
  bool chunked_ = false;
  size_t framing_bytes_ = 0;  // received after the head beside the body itself
  Span target_;
  Span body_;
  std::vector<Header> headers_;
};

}  // namespace partita::http
