#include "http/content_coding.h"

#include <gtest/gtest.h>
#include <libdeflate.h>

#include <cstdlib>
#include <string>
#include <thread>

#include "base/random.h"

namespace partita::http {
namespace {

using Outcome = UnpackedBody::Outcome;

constexpr size_t kMost = size_t{1} << 20;

// {"a":1}, as Python's gzip and zlib write it.
constexpr std::string_view kGzipped(
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xab\x56\x4a\x54\xb2\x32\xac\x05\x00\xaf\xac\x1b\x56\x07\x00\x00\x00", 27);
constexpr std::string_view kZlib("\x78\x9c\xab\x56\x4a\x54\xb2\x32\xac\x05\x00\x08\x2a\x02\x09", 15);

class UnpackedBodyTest : public testing::Test {
 protected:
  Outcome read(Coding coding, std::string_view packed, size_t most = kMost) { return body_.read(coding, packed, most); }

  Budget budget_{size_t{64} << 20};
  UnpackedBody body_{budget_};
};

std::string packed_text(Coding coding, std::string_view plain) {
  const auto packed = pack(coding, plain);
  EXPECT_TRUE(packed.has_value());
  return packed.value_or("");
}

TEST(ContentCoding, NamesOfOneCodingAreKnown) {
  EXPECT_EQ(coding_named(""), Coding::kIdentity);
  EXPECT_EQ(coding_named("identity"), Coding::kIdentity);
  EXPECT_EQ(coding_named("gzip"), Coding::kGzip);
  EXPECT_EQ(coding_named("GZip"), Coding::kGzip);
  EXPECT_EQ(coding_named("\tdeflate "), Coding::kDeflate);
  for (const std::string_view other :
       {"garbage", "x-gzip", "br", "gzip, gzip", "gzip,deflate", "gzip;q=1", "aws-chunked"}) {
    EXPECT_EQ(coding_named(other), std::nullopt) << other;
  }
}

TEST(ContentCoding, TheClientsWeightsDecide) {
  const auto expect = [](std::string_view header, Coding coding) {
    EXPECT_EQ(coding_accepted(header), coding) << header;
  };
  for (const std::string_view none :
       {"", "identity", "br", "x-gzip", "gzip br", "\"gzip\"", "gzip:q=1", "gzip;q=0", "*;q=0", "identity;q=0",
        "br;q=0.8,*;q=0", "gzip;nq=1;q=0 ", "gzip;q=-1", "gzip;q=nan", ",;,"}) {
    expect(none, Coding::kIdentity);
  }
  for (const std::string_view gzip :
       {"gzip", "GZIP, identity", "gzip, deflate", "br ,, gzip ,", "*", "*, identity", "gzip;q=0.5,identity;q=0.8",
        "deflate;q=0.5, gzip;q=31", "gzip;q=31,deflate;q=51", "*, deflate;q=0.5", "gzip;q=0, gzip;q=1",
        "deflate;q=0.5,gzip;q=0.x", "deflate;q=0.5,gzip;q=1;q=0.2", "br,gzip;q=0.0001", "deflate;q=-0.5,gzip;q=0.2"}) {
    expect(gzip, Coding::kGzip);
  }
  for (const std::string_view deflate :
       {"deflate", "identity, deflate, gzip", "gzip;q=0, deflate; q = 0.5", "*, deflate", "*, gzip;q=0.5",
        "deflate;q=0.5, gzip;q=0.2", "deflate;q=0.5,gzip;q=0."}) {
    expect(deflate, Coding::kDeflate);
  }
}

TEST(ContentCoding, WhatIsPackedIsUnpackedAgain) {
  SeededRandom random(7);
  for (const size_t size : {size_t{4096}, size_t{100'000}, size_t{1'000'000}}) {
    std::string text(size, '{');
    for (size_t i = 0; i < size; i += 3) text[i] = static_cast<char>('0' + random.next() % 10);
    for (const Coding coding : {Coding::kGzip, Coding::kDeflate}) {
      const std::string packed = packed_text(coding, text);
      EXPECT_LT(packed.size(), size);
      Budget budget(size_t{64} << 20);
      UnpackedBody body(budget);
      ASSERT_EQ(body.read(coding, packed, size), Outcome::kRead);
      EXPECT_EQ(body.text(), text);
    }
  }
}

TEST(ContentCoding, WhatWouldNotBecomeShorterIsNotPacked) {
  SeededRandom random(7);
  std::string noise(8192, ' ');
  for (char& c : noise) c = static_cast<char>(random.next());
  EXPECT_EQ(pack(Coding::kGzip, noise), std::nullopt);
  EXPECT_EQ(pack(Coding::kDeflate, noise), std::nullopt);
}

TEST_F(UnpackedBodyTest, ReadsWhatOthersPacked) {
  ASSERT_EQ(read(Coding::kGzip, kGzipped), Outcome::kRead);
  EXPECT_EQ(body_.text(), "{\"a\":1}");
  ASSERT_EQ(read(Coding::kDeflate, kZlib), Outcome::kRead);
  EXPECT_EQ(body_.text(), "{\"a\":1}");
}

TEST_F(UnpackedBodyTest, EveryPieceOfAStreamIsBroken) {
  for (size_t size = 0; size < kGzipped.size(); ++size) {
    EXPECT_EQ(read(Coding::kGzip, kGzipped.substr(0, size)), Outcome::kBroken) << size;
  }
  for (size_t size = 0; size < kZlib.size(); ++size) {
    EXPECT_EQ(read(Coding::kDeflate, kZlib.substr(0, size)), Outcome::kBroken) << size;
  }
}

TEST_F(UnpackedBodyTest, WhatIsNotPackedSoIsBroken) {
  for (const Coding coding : {Coding::kGzip, Coding::kDeflate}) {
    EXPECT_EQ(read(coding, "{\"TableName\":\"plain\",\"Key\":{\"a\":{\"S\":\"b\"}}}"), Outcome::kBroken);
  }
  EXPECT_EQ(read(Coding::kDeflate, kGzipped), Outcome::kBroken);
  EXPECT_EQ(read(Coding::kGzip, kZlib), Outcome::kBroken);
  EXPECT_EQ(read(Coding::kDeflate, kZlib.substr(2)), Outcome::kBroken) << "without the frame of zlib";
  // Neither the check sum nor the size may be wrong.
  for (size_t i = kGzipped.size() - 8; i < kGzipped.size(); ++i) {
    std::string damaged(kGzipped);
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_EQ(read(Coding::kGzip, damaged), Outcome::kBroken) << i;
  }
}

TEST_F(UnpackedBodyTest, SeveralMembersOfGzipAreOneText) {
  const std::string one(kGzipped);
  ASSERT_EQ(read(Coding::kGzip, one + one + one), Outcome::kRead);
  EXPECT_EQ(body_.text(), "{\"a\":1}{\"a\":1}{\"a\":1}");
  EXPECT_EQ(read(Coding::kGzip, one + one.substr(0, one.size() - 1)), Outcome::kBroken);
}

TEST_F(UnpackedBodyTest, WhatFollowsAndIsNoMemberIsIgnored) {
  for (const std::string_view behind : {"junk", "\x1f\x8b\x07 of another method, and long enough", "\x1f\x8b\x08"}) {
    ASSERT_EQ(read(Coding::kGzip, std::string(kGzipped).append(behind)), Outcome::kRead) << behind;
    EXPECT_EQ(body_.text(), "{\"a\":1}");
  }
  ASSERT_EQ(read(Coding::kDeflate, std::string(kZlib).append(kZlib)), Outcome::kRead);
  EXPECT_EQ(body_.text(), "{\"a\":1}");
}

TEST_F(UnpackedBodyTest, NoMoreThanTheLimitIsUnpacked) {
  const std::string zeros(kMost, '0');
  for (const Coding coding : {Coding::kGzip, Coding::kDeflate}) {
    const std::string packed = packed_text(coding, zeros);
    EXPECT_LT(packed.size(), kMost / 100);
    EXPECT_EQ(read(coding, packed, kMost - 1), Outcome::kLarger);
    EXPECT_LE(budget_.used(), kMost);
    ASSERT_EQ(read(coding, packed, kMost), Outcome::kRead);
    EXPECT_EQ(body_.text(), zeros);
  }
  const std::string half = packed_text(Coding::kGzip, std::string(kMost / 2, '1'));
  ASSERT_EQ(read(Coding::kGzip, half + half, kMost), Outcome::kRead);
  EXPECT_EQ(body_.text().size(), kMost);
  EXPECT_EQ(read(Coding::kGzip, half + half + std::string(kGzipped), kMost), Outcome::kLarger);
}

// The size that a member ends with is only a guess of what is to come.
TEST_F(UnpackedBodyTest, ASizeThatLiesHelpsNobody) {
  std::string packed = packed_text(Coding::kGzip, std::string(kMost, '0'));
  packed.replace(packed.size() - 4, 4, "\1\0\0\0", 4);
  EXPECT_EQ(read(Coding::kGzip, packed), Outcome::kBroken);
  packed.replace(packed.size() - 4, 4, "\xff\xff\xff\xff", 4);
  EXPECT_EQ(read(Coding::kGzip, packed), Outcome::kBroken);
  std::string small(kGzipped);
  small.replace(small.size() - 4, 4, "\xff\xff\xff\xff", 4);
  EXPECT_EQ(read(Coding::kGzip, small), Outcome::kBroken);
  EXPECT_LE(budget_.used(), kGzipped.size() * 1032);
}

TEST(UnpackedBody, TheBudgetIsAskedBeforeMemoryIsTaken) {
  Budget budget(100'000);
  {
    UnpackedBody body(budget);
    EXPECT_EQ(body.read(Coding::kGzip, packed_text(Coding::kGzip, std::string(90'000, 'x')), kMost), Outcome::kNoRoom);
    EXPECT_EQ(budget.used(), 0U);
    ASSERT_EQ(body.read(Coding::kGzip, packed_text(Coding::kGzip, std::string(70'000, 'x')), kMost), Outcome::kRead);
    EXPECT_GE(budget.used(), 70'000U);
  }
  EXPECT_EQ(budget.used(), 0U);
}

// A thread that once found no memory serves packed bodies again when there is some.
TEST(ContentCoding, MemoryIsAskedForAgainWhenThereWasNone) {
  std::jthread([] {
    Budget budget(kMost);
    UnpackedBody body(budget);
    const std::string plain(1000, 'x');
    libdeflate_set_memory_allocator([](size_t) -> void* { return nullptr; }, std::free);
    EXPECT_EQ(body.read(Coding::kGzip, kGzipped, kMost), Outcome::kNoRoom);
    EXPECT_EQ(pack(Coding::kGzip, plain), std::nullopt);
    libdeflate_set_memory_allocator(std::malloc, std::free);
    EXPECT_EQ(body.read(Coding::kGzip, kGzipped, kMost), Outcome::kRead);
    EXPECT_TRUE(pack(Coding::kGzip, plain).has_value());
  }).join();
}

}  // namespace
}  // namespace partita::http
