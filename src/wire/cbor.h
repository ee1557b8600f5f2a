// CBOR (RFC 8949), read from a buffer and written into one. Neither side builds a tree, allocates per value, or checks
// that texts are UTF-8.
//
//   CborReader in(bytes);
//   for (auto members = in.map(); in.next(members);) {
//     const int64_t key = in.integer();
//     const std::string_view value = in.bytes();
//   }
//   if (!in.finished()) ...
//
//   CborWriter out;
//   out.array(2);
//   out.integer(-1);
//   out.text("a");
//   const std::string bytes = std::move(out).take();
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "wire/cbor_head.h"

namespace partita::wire {

// Reads data items one by one. The first malformed or unexpected one makes it fail permanently: everything read
// afterwards is empty, every loop over members ends, and ok() is false. Results point into the bytes.
class CborReader {
 public:
  explicit CborReader(std::string_view bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool ok() const { return ok_; }
  // Nothing failed and nothing is left.
  bool finished() const { return ok_ && at_ == end_; }
  std::string_view rest() const { return {at_, static_cast<size_t>(end_ - at_)}; }
  void fail() {
    ok_ = false;
    at_ = end_;
  }

  // The first byte of the next item, which stays; that of a break if there is none.
  uint8_t peek() const { return at_ == end_ ? 0xff : static_cast<uint8_t>(*at_); }
  CborMajor peek_major() const { return static_cast<CborMajor>(peek() >> 5); }

  // Any head; after a failure that of a break. The bytes of a string, and members, follow.
  CborHead head() {
    const uint8_t first = peek();
    const uint8_t low = first & 0x1f;
    if (low >= 24) return long_head();
    ++at_;
    return {static_cast<CborMajor>(first >> 5), low, low};
  }
  // The bytes behind the head of a string.
  std::string_view take(uint64_t size) {
    if (size > left()) return fail(kNothing);
    const std::string_view taken(at_, size);
    at_ += size;
    return taken;
  }

  int64_t integer() {
    const CborHead head = this->head();
    if (head.major > CborMajor::kNegative || head.argument > static_cast<uint64_t>(INT64_MAX)) return fail(int64_t{0});
    const auto value = static_cast<int64_t>(head.argument);
    return head.major == CborMajor::kNegative ? ~value : value;
  }
  // Of definite length only.
  std::string_view text() { return string(CborMajor::kText); }
  std::string_view bytes() { return string(CborMajor::kBytes); }
  bool boolean() {
    const uint8_t first = peek();
    if ((first & 0xfe) != (kSimpleBits | kCborFalse)) return fail(false);
    ++at_;
    return first == (kSimpleBits | kCborTrue);
  }
  // True if the next item is null or undefined, which is removed then.
  bool take_null() {
    if ((peek() & 0xfe) != (kSimpleBits | kCborNull)) return false;
    ++at_;
    return true;
  }
  // A float of any size.
  double number();
  uint64_t tag() {
    const CborHead head = this->head();
    return head.major == CborMajor::kTag ? head.argument : fail(uint64_t{0});
  }

  // What is yet to come of an array or a map. Each member takes at least one byte, so a count never requires more
  // memory than the bytes have.
  struct Members {
    uint64_t left = 0;
    bool indefinite() const { return left == kEndless; }
  };
  Members array() { return members(CborMajor::kArray, 1); }
  Members map() { return members(CborMajor::kMap, 2); }
  // Whether there is another member. Takes the break that ends an indefinite length.
  bool next(Members& members) {
    if (members.left != kEndless) return members.left != 0 && ok_ && members.left-- != 0;
    if (peek() != kBreakByte) return true;
    if (at_ == end_) return fail(false);
    ++at_;
    return false;
  }

  // Removes an item, with all that is in it, at most kMaxSkippedDepth levels deep, and returns its bytes. Strings of
  // indefinite length fail.
  std::string_view skip();
  static constexpr size_t kMaxSkippedDepth = 64;

 private:
  static constexpr uint64_t kEndless = std::numeric_limits<uint64_t>::max();
  static constexpr uint8_t kSimpleBits = static_cast<uint8_t>(CborMajor::kSimple) << 5;
  static constexpr uint8_t kBreakByte = kSimpleBits | kCborBreak;

  static constexpr std::string_view kNothing{"", 0};  // not null, which memcpy() must not be given

  size_t left() const { return static_cast<size_t>(end_ - at_); }
  CborHead long_head();
  std::string_view string(CborMajor major) {
    const CborHead head = this->head();
    return head.major == major ? take(head.argument) : fail(kNothing);
  }
  Members members(CborMajor major, size_t items) {
    const CborHead head = this->head();
    if (head.major != major || (head.argument > left() / items && !head.indefinite())) {
      return fail(Members());
    }
    return {head.argument};
  }
  template <class T>
  T fail(T nothing) {
    fail();
    return nothing;
  }

  const char* at_;
  const char* end_;
  bool ok_ = true;
};

// Writes data items one behind the other. The caller writes as many members as it announced; this is not checked.
class CborWriter {
 public:
  explicit CborWriter(size_t expected_bytes = 240);
  CborWriter(const CborWriter&) = delete;
  CborWriter& operator=(const CborWriter&) = delete;

  void integer(int64_t value) {
    const int64_t sign = value >> 63;
    head(sign == 0 ? CborMajor::kUnsigned : CborMajor::kNegative, static_cast<uint64_t>(value ^ sign));
  }
  void bytes(std::string_view bytes) { string(CborMajor::kBytes, bytes); }
  void text(std::string_view text) { string(CborMajor::kText, text); }
  void array(size_t members) { head(CborMajor::kArray, members); }
  void map(size_t members) { head(CborMajor::kMap, members); }
  void tag(uint64_t tag) { head(CborMajor::kTag, tag); }
  void boolean(bool value) { simple(value ? kCborTrue : kCborFalse); }
  void null() { simple(kCborNull); }
  void number(double value);
  // Of indefinite length, until end().
  void begin_array() { byte(static_cast<uint8_t>(CborMajor::kArray) << 5 | kCborIndefinite); }
  void begin_map() { byte(static_cast<uint8_t>(CborMajor::kMap) << 5 | kCborIndefinite); }
  void end() { simple(kCborBreak); }

  void head(CborMajor major, uint64_t argument) {
    char* const out = room(kMaxCborHeadBytes);
    next_ = write_cbor_head(out, major, argument);
  }
  // Data items that were written elsewhere.
  void raw(std::string_view items) {
    char* const out = room(items.size());
    std::memcpy(out, items.data(), items.size());
    next_ = out + items.size();
  }

  // A byte string whose size is not known yet: begin_bytes(), its content, end_bytes(). May be nested. Up to
  // 65,535 bytes the head has 2 bytes of size, even if fewer would do; more bytes are moved once.
  struct Bytes {
    size_t at;
  };
  Bytes begin_bytes() {
    room(kBytesHead);
    const Bytes bytes{size()};
    next_ += kBytesHead;
    return bytes;
  }
  void end_bytes(Bytes bytes) {
    char* const begin = buffer_.data() + bytes.at;
    const auto size = static_cast<size_t>(next_ - begin) - kBytesHead;
    if (size > UINT16_MAX) return end_large_bytes(bytes);
    *begin = static_cast<char>(static_cast<uint8_t>(CborMajor::kBytes) << 5 | 25);
    begin[1] = static_cast<char>(size >> 8);
    begin[2] = static_cast<char>(size & 0xff);
  }

  // Room for `bytes` more, to write into; wrote() takes the end of what was written.
  char* room(size_t bytes) {
    if (static_cast<size_t>(end_ - next_) < bytes) grow(bytes);
    return next_;
  }
  void wrote(char* end) { next_ = end; }

  size_t size() const { return static_cast<size_t>(next_ - buffer_.data()); }
  // Of the memory that it holds, which is up to twice as much.
  size_t capacity() const { return buffer_.capacity(); }
  // Valid until something is written.
  std::string_view view() const { return {buffer_.data(), size()}; }
  // Forgets everything behind the first `size` bytes.
  void cut(size_t size) { next_ = buffer_.data() + size; }
  std::string take() &&;

 private:
  static constexpr size_t kBytesHead = 3;

  void grow(size_t bytes);
  void end_large_bytes(Bytes bytes);
  void string(CborMajor major, std::string_view bytes) {
    char* const out = write_cbor_head(room(kMaxCborHeadBytes + bytes.size()), major, bytes.size());
    std::memcpy(out, bytes.data(), bytes.size());
    next_ = out + bytes.size();
  }
  void byte(uint8_t value) {
    char* const out = room(1);
    *out = static_cast<char>(value);
    next_ = out + 1;
  }
  void simple(uint8_t low) { byte(static_cast<uint8_t>(CborMajor::kSimple) << 5 | low); }

  std::string buffer_;
  char* next_;
  char* end_;
};

}  // namespace partita::wire
