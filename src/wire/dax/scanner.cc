#include "wire/dax/scanner.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "model/fault.h"
#include "wire/cbor.h"

namespace partita::wire::dax {
namespace {

using model::Fault;
using model::refuse;

constexpr std::string_view kMagic = "\x67J7yne5G";
constexpr uint8_t kService = 1;
constexpr uint8_t kEndlessMap = 0xbf;
constexpr uint8_t kBreakByte = 0xff;

Error malformed_preamble(std::string_view what) { return refuse(Fault::kDaxMalformed, {std::string(what)}); }

}  // namespace

int argument_count(int64_t method) {
  if (method != static_cast<int32_t>(method)) return -1;
  switch (static_cast<Method>(method)) {
    case Method::kEndpoints:
    case Method::kDescribeLimits:
      return 0;
    case Method::kDefineKeySchema:
    case Method::kDefineAttributeListId:
    case Method::kDefineAttributeList:
    case Method::kDescribeTable:
    case Method::kDeleteTable:
    case Method::kCreateTable:
    case Method::kUpdateTable:
      return 1;
    case Method::kScan:
    case Method::kBatchGetItem:
    case Method::kBatchWriteItem:
    case Method::kListTables:
      return 2;
    case Method::kGetItem:
    case Method::kDeleteItem:
    case Method::kUpdateItem:
    case Method::kQuery:
      return 3;
    case Method::kPutItem:
    case Method::kTransactGetItems:
      return 4;
    case Method::kAuthorizeConnection:
      return 5;
    case Method::kTransactWriteItems:
      return 9;
  }
  return -1;
}

ScanStatus RequestScanner::scan(std::string_view bytes) {
  if (kind_ == Kind::kPreamble) {
    const size_t known = std::min(bytes.size(), kMagic.size());
    if (bytes.substr(0, known) != kMagic.substr(0, known)) status_ = ScanStatus::kMalformed;
  }
  if (at_ == 0 && kind_ == Kind::kRequest && scan_whole(bytes)) return status_;
  while (status_ == ScanStatus::kMore) {
    if (complete_ == wanted_ && depth_ == 0) {
      if (at_ <= bytes.size()) status_ = ScanStatus::kComplete;
      break;
    }
    const size_t before = at_;
    status_ = scan_head(bytes);
    if (at_ > max_bytes_) status_ = ScanStatus::kTooLarge;
    if (at_ == before) break;
  }
  return status_;
}

namespace {

// Heads of up to five bytes.
class ShortHeads {
 public:
  explicit ShortHeads(std::string_view bytes) : begin_(bytes.data()), at_(begin_), end_(begin_ + bytes.size()) {}

  size_t at() const { return static_cast<size_t>(at_ - begin_); }
  // The major type of the next head; others than these majors, and what has not arrived: kNone.
  static constexpr unsigned kNone = 8;
  unsigned next(uint64_t& argument) {
    if (at_ == end_) return kNone;
    const auto first = static_cast<uint8_t>(*at_++);
    argument = first & 0x1f;
    if (argument >= 24) {
      if (argument > 26) return kNone;
      const size_t size = size_t{1} << (argument - 24);
      if (static_cast<size_t>(end_ - at_) < size) return kNone;
      argument = 0;
      for (size_t i = 0; i < size; ++i) argument = argument << 8 | static_cast<uint8_t>(at_[i]);
      at_ += size;
    }
    return first >> 5;
  }
  bool skip(uint64_t size) {
    if (size > static_cast<size_t>(end_ - at_)) return false;
    at_ += size;
    return true;
  }
  // Whether the next byte is this one, which is taken then.
  bool take(uint8_t byte) {
    if (at_ == end_ || static_cast<uint8_t>(*at_) != byte) return false;
    ++at_;
    return true;
  }
  // A string, an integer or a simple value.
  bool take_plain() {
    uint64_t argument = 0;
    const auto major = static_cast<CborMajor>(next(argument));
    if (major == CborMajor::kBytes || major == CborMajor::kText) return skip(argument);
    return major <= CborMajor::kNegative || major == CborMajor::kSimple;
  }

 private:
  const char* const begin_;
  const char* at_;
  const char* const end_;
};

}  // namespace

// Most requests arrive whole, and their only array or map is that of the keywords. False: the heads have to be looked
// at one by one; nothing has changed.
[[gnu::flatten]] bool RequestScanner::scan_whole(std::string_view bytes) {
  ShortHeads in(bytes);
  if (!in.take(kService)) return false;
  uint64_t argument = 0;
  const unsigned major = in.next(argument);
  if (major > static_cast<unsigned>(CborMajor::kNegative) || argument > INT32_MAX) return false;
  const auto number = static_cast<int64_t>(argument);
  const int64_t method = major == 0 ? number : ~number;
  const size_t arguments_at = in.at();
  for (int left = argument_count(method); left != 0; --left) {
    if (left < 0) return false;
    if (!in.take(kEndlessMap)) {
      if (!in.take_plain()) return false;
      continue;
    }
    while (!in.take(kBreakByte)) {
      if (!in.take_plain() || !in.take_plain()) return false;
    }
  }
  if (in.at() > max_bytes_) return false;
  method_ = static_cast<Method>(method);
  arguments_at_ = arguments_at;
  at_ = in.at();
  complete_ = wanted_;
  status_ = ScanStatus::kComplete;
  return true;
}

// Leaves at_ where it is if the head has not arrived.
ScanStatus RequestScanner::scan_head(std::string_view bytes) {
  if (at_ >= bytes.size()) return ScanStatus::kMore;
  const auto first = static_cast<uint8_t>(bytes[at_]);
  if (first == kBreakByte) return close();
  const auto major = static_cast<CborMajor>(first >> 5);
  const uint8_t low = first & 0x1f;
  uint64_t argument = low;
  size_t size = 1;
  const bool endless = low == kCborIndefinite;
  if (low >= 24 && !endless) {
    if (low > 27) return ScanStatus::kMalformed;
    const size_t more = size_t{1} << (low - 24);
    if (bytes.size() - at_ - 1 < more) return ScanStatus::kMore;
    argument = 0;
    for (size_t i = 1; i <= more; ++i) argument = argument << 8 | static_cast<uint8_t>(bytes[at_ + i]);
    size += more;
  }
  const bool container = major == CborMajor::kArray || major == CborMajor::kMap;
  if (endless && !container) return ScanStatus::kMalformed;
  at_ += size;
  if (depth_ == 0 && kind_ == Kind::kRequest && complete_ < kRequestItems) return begin(first >> 5, argument);
  if (container) return open(major == CborMajor::kMap, endless, argument);
  if (major == CborMajor::kTag) {
    tagged_ = true;
    return ScanStatus::kMore;
  }
  if (major == CborMajor::kBytes || major == CborMajor::kText) {
    at_ = argument > SIZE_MAX - at_ ? SIZE_MAX : at_ + argument;
    if (argument > max_bytes_) return ScanStatus::kTooLarge;
  }
  return end_item();
}

ScanStatus RequestScanner::begin(uint8_t major, uint64_t argument) {
  const bool negative = major == static_cast<uint8_t>(CborMajor::kNegative);
  if (major > static_cast<uint8_t>(CborMajor::kNegative) || tagged_) return ScanStatus::kMalformed;
  if (complete_++ == 0) {
    return negative || argument != kService ? ScanStatus::kUnknownMethod : ScanStatus::kMore;
  }
  if (argument > INT32_MAX) return ScanStatus::kUnknownMethod;
  const int64_t method = negative ? ~static_cast<int64_t>(argument) : static_cast<int64_t>(argument);
  const int arguments = argument_count(method);
  if (arguments < 0) return ScanStatus::kUnknownMethod;
  method_ = static_cast<Method>(method);
  wanted_ += static_cast<uint64_t>(arguments);
  arguments_at_ = at_;
  return ScanStatus::kMore;
}

ScanStatus RequestScanner::open(bool map, bool endless, uint64_t count) {
  tagged_ = false;
  if (endless) count = 0;
  // Every item takes a byte or more, so that the doubled count cannot overflow either.
  if (count > max_bytes_) {
    at_ = count > SIZE_MAX - at_ ? SIZE_MAX : at_ + count;
    return ScanStatus::kTooLarge;
  }
  if (count == 0 && !endless) return end_item();
  if (depth_ == kMaxDepth) return ScanStatus::kMalformed;
  levels_[depth_++] = {map ? 2 * count : count, endless, map};
  return ScanStatus::kMore;
}

ScanStatus RequestScanner::close() {
  if (depth_ == 0 || tagged_) return ScanStatus::kMalformed;
  const Level& level = levels_[depth_ - 1];
  if (!level.endless || (level.map && level.left % 2 != 0)) return ScanStatus::kMalformed;
  ++at_;
  --depth_;
  return end_item();
}

ScanStatus RequestScanner::end_item() {
  tagged_ = false;
  while (depth_ > 0) {
    Level& level = levels_[depth_ - 1];
    if (level.endless) {
      ++level.left;
      return ScanStatus::kMore;
    }
    if (--level.left > 0) return ScanStatus::kMore;
    --depth_;
  }
  ++complete_;
  return ScanStatus::kMore;
}

Result<Preamble> read_preamble(std::string_view bytes) {
  CborReader in(bytes);
  Preamble preamble;
  if (in.text() != kMagic.substr(1)) return malformed_preamble("the preamble does not begin with J7yne5G");
  const int64_t layering = in.integer();
  in.skip();  // the session
  for (auto members = in.map(); in.next(members);) {
    const std::string_view name = in.peek_major() == CborMajor::kText ? in.text() : in.skip();
    if (name == "UserAgent" && in.peek_major() == CborMajor::kText) {
      preamble.user_agent = in.text();
    } else {
      in.skip();
    }
  }
  const int64_t mode = in.integer();
  if (!in.finished()) return malformed_preamble("the preamble is not of 5 values");
  if (layering != 0 && layering != 1) {
    return refuse(Fault::kDaxUnsupported, {"Layering " + std::to_string(layering)});
  }
  if (mode != 0) return refuse(Fault::kDaxUnsupported, {"Client mode " + std::to_string(mode)});
  preamble.framed = layering == 1;
  return preamble;
}

}  // namespace partita::wire::dax
