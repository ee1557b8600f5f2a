// Finds the end of a preamble or of a request in bytes that arrive in pieces: requests of DAX have no length in front.
//
//   RequestScanner scanner(RequestScanner::Kind::kRequest, max_bytes);
//   while (scanner.scan(received) == ScanStatus::kMore) receive_more(received);
//   const std::string_view request = received.substr(0, scanner.size());
//
// Takes time linear in the bytes, however many calls bring them, no memory of its own, and no recursion. It looks at
// heads only: a decoder still has to check what the values are. For one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace partita::wire::dax {

// What a request calls; the numbers are on the wire.
enum class Method : int32_t {
  kAuthorizeConnection = 1489122155,
  kEndpoints = 455855874,
  kDefineKeySchema = -742646399,
  kDefineAttributeListId = -1230579644,
  kDefineAttributeList = 670678385,
  kGetItem = 263244906,
  kPutItem = -2106490455,
  kDeleteItem = 1013539361,
  kUpdateItem = 1425579023,
  kQuery = -931250863,
  kScan = -1875390620,
  kBatchGetItem = -697851100,
  kBatchWriteItem = 116217951,
  kTransactGetItems = 1866287579,
  kTransactWriteItems = -1160037738,
  // Operations on tables, which old clients send and which are refused.
  kListTables = 1874119219,
  kDescribeTable = -819330193,
  kDeleteTable = 2120496185,
  kDescribeLimits = -475661135,
  kCreateTable = -313431286,
  kUpdateTable = 383747477,
};

// The number of the method's arguments; negative: there is no such method.
int argument_count(int64_t method);

enum class ScanStatus : uint8_t {
  kMore,           // the bytes are a proper beginning
  kComplete,       // size() bytes are the whole
  kMalformed,      // no more bytes can make it right
  kTooLarge,       // it is longer than is allowed
  kUnknownMethod,  // of another service, or a method whose arguments are not known
};

class RequestScanner {
 public:
  enum class Kind : uint8_t { kPreamble, kRequest };
  static constexpr size_t kMaxDepth = 64;

  RequestScanner(Kind kind, size_t max_bytes)
      : kind_(kind), max_bytes_(max_bytes), wanted_(kind == Kind::kPreamble ? kPreambleItems : kRequestItems) {}

  // `bytes`: all that have arrived since the preamble or the request began, those of earlier calls included. The result
  // stays the same once it is not kMore.
  ScanStatus scan(std::string_view bytes);

  // After kComplete: the bytes of the whole. After kMore and kTooLarge: it has at least that many.
  size_t size() const { return at_; }
  // Of a request, after kComplete: what it calls, and how many bytes come before its arguments.
  Method method() const { return method_; }
  size_t arguments_at() const { return arguments_at_; }

 private:
  static constexpr uint64_t kPreambleItems = 5;
  static constexpr uint64_t kRequestItems = 2;  // without its arguments

  // An array or a map that is not complete.
  struct Level {
    uint64_t left;  // items to come; of indefinite length: items that have come
    bool endless;
    bool map;
  };

  bool scan_whole(std::string_view bytes);
  ScanStatus scan_head(std::string_view bytes);
  ScanStatus open(bool map, bool endless, uint64_t count);
  ScanStatus close();
  ScanStatus end_item();
  // Of the first items of a request: the service and the method.
  ScanStatus begin(uint8_t major, uint64_t argument);

  const Kind kind_;
  const size_t max_bytes_;
  ScanStatus status_ = ScanStatus::kMore;
  size_t at_ = 0;  // of the next head; the bytes before it may not all have arrived
  size_t arguments_at_ = 0;
  uint64_t complete_ = 0;  // items outside of all arrays and maps
  uint64_t wanted_;
  Method method_{};
  bool tagged_ = false;  // the next item is that of a tag
  size_t depth_ = 0;
  std::array<Level, kMaxDepth> levels_;
};

// What a client says of itself before its requests.
struct Preamble {
  bool framed = false;               // layering 1: replies come in frames
  std::string_view user_agent = {};  // points into the bytes; empty: not given
};

// Precondition: the scanner said that these bytes are a complete preamble. Faults: kDaxMalformed, kDaxUnsupported.
Result<Preamble> read_preamble(std::string_view bytes);

}  // namespace partita::wire::dax
