#include "wire/dax/scanner.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "model/fault.h"
#include "wire/cbor.h"
#include "wire/hex_testing.h"

namespace partita::wire::dax {
namespace {

constexpr size_t kEnough = 1 << 20;

ScanStatus status_of(std::string_view bytes, RequestScanner::Kind kind = RequestScanner::Kind::kRequest) {
  return RequestScanner(kind, kEnough).scan(bytes);
}

std::string request(Method method) {
  CborWriter out;
  out.integer(1);
  out.integer(static_cast<int32_t>(method));
  return std::move(out).take();
}

// A put with attributes of the list 257, as a client sent it.
const std::string kPut = from_hex("013a7d8e7e56" "4454616231" "42676f" "4a190101c4822118966179" "bfff");
const std::string kPreamble = from_hex("674a37796e65354700" "6130" "a169557365724167656e7473"
                                       "446178476f5632436c69656e742d312e302e3300");

// However the bytes arrive, the end is found where it is.
void expect_whole(const std::string& whole, RequestScanner::Kind kind) {
  const std::string more = whole + whole;
  for (size_t piece = 1; piece <= whole.size(); ++piece) {
    RequestScanner scanner(kind, kEnough);
    size_t have = 0;
    ScanStatus status = ScanStatus::kMore;
    while (status == ScanStatus::kMore && have < more.size()) {
      EXPECT_LE(scanner.size(), whole.size());
      have = std::min(have + piece, more.size());
      status = scanner.scan(std::string_view(more).substr(0, have));
      EXPECT_EQ(status == ScanStatus::kComplete, have >= whole.size()) << have;
    }
    EXPECT_EQ(status, ScanStatus::kComplete);
    EXPECT_EQ(scanner.size(), whole.size());
  }
}

TEST(DaxScanner, FindsTheEndOfARequest) {
  expect_whole(kPut, RequestScanner::Kind::kRequest);
  RequestScanner scanner(RequestScanner::Kind::kRequest, kEnough);
  EXPECT_EQ(scanner.scan(kPut), ScanStatus::kComplete);
  EXPECT_EQ(scanner.method(), Method::kPutItem);
  EXPECT_EQ(scanner.arguments_at(), 6u);
}

TEST(DaxScanner, FindsTheEndOfAPreamble) { expect_whole(kPreamble, RequestScanner::Kind::kPreamble); }

TEST(DaxScanner, KnowsHowManyArgumentsAMethodHas) {
  for (const Method method : {Method::kEndpoints, Method::kScan, Method::kQuery, Method::kTransactWriteItems}) {
    std::string bytes = request(method);
    for (int i = 0; i < argument_count(static_cast<int32_t>(method)); ++i) {
      EXPECT_EQ(status_of(bytes), ScanStatus::kMore);
      bytes += "\xf6";
    }
    EXPECT_EQ(status_of(bytes), ScanStatus::kComplete);
  }
  EXPECT_EQ(argument_count(7), -1);
  EXPECT_EQ(argument_count((int64_t{1} << 32) + static_cast<int32_t>(Method::kScan)), -1);
}

TEST(DaxScanner, RefusesOtherServicesAndMethods) {
  EXPECT_EQ(status_of(from_hex("3a3c9b1d5f")), ScanStatus::kUnknownMethod);
  EXPECT_EQ(status_of(from_hex("0107")), ScanStatus::kUnknownMethod);
  EXPECT_EQ(status_of(from_hex("011bffffffffffffffff")), ScanStatus::kUnknownMethod);
  EXPECT_EQ(status_of(from_hex("6131")), ScanStatus::kMalformed);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n", RequestScanner::Kind::kPreamble), ScanStatus::kMalformed);
}

TEST(DaxScanner, RefusesBytesThatAreNoCbor) {
  const std::string head = request(Method::kDefineAttributeListId);
  EXPECT_EQ(status_of(head + from_hex("9f01ff")), ScanStatus::kComplete);
  EXPECT_EQ(status_of(head + from_hex("bf0102ff")), ScanStatus::kComplete);
  EXPECT_EQ(status_of(head + from_hex("d90cf98161ff")), ScanStatus::kComplete);
  for (const char* bad : {"ff", "8201ff", "bf01ff", "5f4101ff", "1c", "9fc1ff", "a101ff"}) {
    EXPECT_EQ(status_of(head + from_hex(bad)), ScanStatus::kMalformed) << bad;
  }
}

TEST(DaxScanner, BoundsDepthAndBytes) {
  const std::string head = request(Method::kDefineAttributeListId);
  EXPECT_EQ(status_of(head + std::string(RequestScanner::kMaxDepth, '\x81') + "\x01"), ScanStatus::kComplete);
  EXPECT_EQ(status_of(head + std::string(RequestScanner::kMaxDepth + 1, '\x81') + "\x01"), ScanStatus::kMalformed);
  for (const char* large : {"5a00200000", "5bffffffffffffffff", "9bffffffffffffffff", "bbffffffffffffffff"}) {
    EXPECT_EQ(status_of(head + from_hex(large)), ScanStatus::kTooLarge) << large;
  }
  RequestScanner scanner(RequestScanner::Kind::kRequest, kPut.size());
  EXPECT_EQ(scanner.scan(kPut), ScanStatus::kComplete);
  RequestScanner tight(RequestScanner::Kind::kRequest, kPut.size() - 1);
  EXPECT_EQ(tight.scan(kPut), ScanStatus::kTooLarge);
}

TEST(DaxScanner, DoesNotStartAgainForEachPiece) {
  std::string bytes = request(Method::kDefineAttributeListId) + from_hex("9a00080000");
  RequestScanner scanner(RequestScanner::Kind::kRequest, kEnough);
  const size_t members = 512 * 1024;
  bytes.reserve(bytes.size() + members);
  for (size_t i = 0; i < members; ++i) {
    ASSERT_EQ(scanner.scan(bytes), ScanStatus::kMore);
    bytes.push_back('\x01');
  }
  EXPECT_EQ(scanner.scan(bytes), ScanStatus::kComplete);
}

// What arrives whole is scanned in another way than what arrives in pieces.
TEST(DaxScanner, SaysTheSameOfTheWholeAsOfPieces) {
  const std::string whole = from_hex("011a0fb0cc6a4562656e63684d757365722d3030303030303137bf02f50301ff");
  const auto scan = [](std::string_view bytes, size_t first) {
    RequestScanner scanner(RequestScanner::Kind::kRequest, 40);
    for (size_t size = first; size < bytes.size(); ++size) scanner.scan(bytes.substr(0, size));
    const ScanStatus status = scanner.scan(bytes);
    const bool complete = status == ScanStatus::kComplete;
    return std::tuple(status, complete ? scanner.size() : 0, complete ? scanner.arguments_at() : 0,
                      complete ? scanner.method() : Method{});
  };
  EXPECT_EQ(std::get<0>(scan(whole, whole.size())), ScanStatus::kComplete);
  for (size_t at = 0; at < whole.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = whole;
      changed[at] = static_cast<char>(byte);
      EXPECT_EQ(scan(changed, changed.size()), scan(changed, 1)) << at << ' ' << byte;
    }
    EXPECT_EQ(scan(whole.substr(0, at), at), scan(whole.substr(0, at), 1)) << at;
  }
}

TEST(DaxPreamble, IsRead) {
  const auto preamble = read_preamble(kPreamble);
  ASSERT_TRUE(preamble.ok());
  EXPECT_FALSE(preamble->framed);
  EXPECT_EQ(preamble->user_agent, "DaxGoV2Client-1.0.3");
  const std::string framed = from_hex("674a37796e653547" "01" "f6" "a2616101" "69557365724167656e746178" "00");
  ASSERT_TRUE(read_preamble(framed).ok());
  EXPECT_TRUE(read_preamble(framed)->framed);
  EXPECT_EQ(read_preamble(framed)->user_agent, "x");
}

TEST(DaxPreamble, RefusesWhatIsNotKnown) {
  const auto fault = [](std::string_view rest) {
    return model::fault_of(read_preamble(from_hex("674a37796e653547") + from_hex(rest)).error());
  };
  EXPECT_EQ(fault("02f6a000"), model::Fault::kDaxUnsupported);
  EXPECT_EQ(fault("00f6a007"), model::Fault::kDaxUnsupported);
  EXPECT_EQ(fault("00f68000"), model::Fault::kDaxMalformed);
  EXPECT_EQ(fault("f6f6a000"), model::Fault::kDaxMalformed);
}

}  // namespace
}  // namespace partita::wire::dax
