#include "net/address.h"

#include <gtest/gtest.h>

#include <string>

namespace partita::net {
namespace {

TEST(AddressTest, ItsDigitsAreAsTheyAreWritten) {
  for (const std::string text :
       {"0.0.0.0", "127.0.0.1", "255.255.255.255", "10.200.3.40", "::1", "2001:db8::ff00:42"}) {
    const auto named = Address::named(text);
    ASSERT_TRUE(named.ok()) << text;
    EXPECT_EQ(named->front().host(), text);
  }
}

}  // namespace
}  // namespace partita::net
